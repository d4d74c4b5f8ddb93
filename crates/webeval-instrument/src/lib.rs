//! Istanbul-format coverage instrumentation for JavaScript, TypeScript and HTML
