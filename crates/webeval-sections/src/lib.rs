//! A rendered page in, sections and measured visual faults out
