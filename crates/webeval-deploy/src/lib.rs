//! An app folder in, a served and instrumented app at a URL out
