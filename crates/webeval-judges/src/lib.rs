//! Judges that score a run from its recorded evidence
