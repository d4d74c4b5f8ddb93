//! A run directory in, one self-contained HTML page out
