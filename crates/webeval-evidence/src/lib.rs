//! The run directory: typed reading and writing of everything a run records
