//! Coverage-guided exploration of a web application
