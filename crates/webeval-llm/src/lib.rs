//! Chat models behind one trait, with usage, cost and cassettes
