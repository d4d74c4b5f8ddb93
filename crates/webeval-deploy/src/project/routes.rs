//! What a front end's development server hands on to a back end, as far as its configuration says so in plain words:
//! Vite's, webpack's and Vue's `proxy`, Angular's `proxy.conf.json`, and the `setupProxy` of Create React App.

mod literal;

use std::path::Path;

use crate::detect::Package;
use crate::serve::Route;
use literal::{Entry, arguments, entries, string, without_comments};

/// Files that may hold a `proxy` setting, in a front end's folder.
const FILES: &[&str] = &[
    "vite.config.js",
    "vite.config.ts",
    "vite.config.mjs",
    "vite.config.mts",
    "vue.config.js",
    "webpack.config.js",
    "webpack.dev.js",
    "rsbuild.config.ts",
];

/// What is handed on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Routes {
    /// Which requests, and how their paths are changed. Empty when nothing is said.
    pub(crate) routes: Vec<Route>,
    /// What could not be read, or leads elsewhere.
    pub(crate) notes: Vec<String>,
}

/// Reads the configuration of the front end in `folder`.
pub(crate) fn of(folder: &Path, package: Option<&Package>) -> Routes {
    let mut found = Routes::default();
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    for name in FILES {
        let Some(text) = read(name) else { continue };
        let text = without_comments(&text);
        for value in settings(&text, "proxy") {
            found.add(name, value);
        }
    }
    for name in ["proxy.conf.json", "src/proxy.conf.json", "proxy.conf.js", "proxy.conf.mjs"] {
        let Some(text) = read(name) else { continue };
        let text = without_comments(&text);
        let start = text.find(['{', '[']).unwrap_or(text.len());
        found.add(name, &text[start..]);
    }
    let strips = package.and_then(|package| package.depends_on("http-proxy-middleware")).is_some_and(mounts_strip);
    for name in ["src/setupProxy.js", "src/setupProxy.ts", "src/setupProxy.cjs"] {
        if let Some(text) = read(name) {
            found.add_middleware(name, &without_comments(&text), strips);
        }
    }
    found
}

/// From its version 3 on, the middleware hands on what is left of a path below the one that it is mounted at.
fn mounts_strip(range: &str) -> bool {
    let major: String = range.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    major.parse::<u32>().is_ok_and(|major| major >= 3)
}

/// Values of a setting that are objects or lists.
fn settings<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(name) {
        let before = text[..at].chars().next_back().unwrap_or(' ');
        let rest = text[at + name.len()..].trim_start_matches(['"', '\'']).trim_start();
        let Some(value) = rest.strip_prefix(':').map(str::trim_start) else { continue };
        if !(before.is_alphanumeric() || before == '_' || before == '.') && value.starts_with(['{', '[']) {
            found.push(value);
        }
    }
    found
}

impl Routes {
    /// Adds an object of prefixes, or a list of objects with a `context`.
    fn add(&mut self, file: &str, value: &str) {
        let Some(inside) = literal::inside(value) else { return };
        if value.starts_with('[') {
            for element in literal::split(inside) {
                let options = literal::inside(element).map(entries).unwrap_or_default();
                let context = options.iter().find(|entry| entry.key == "context").map(|entry| strings(entry.value));
                for prefix in context.unwrap_or_default() {
                    self.add_route(file, &prefix, element, false);
                }
            }
            return;
        }
        for Entry { key, value } in entries(inside) {
            if key.is_empty() {
                self.notes.push(format!("{file}: a part of its proxy setting cannot be read: {}", clip(value)));
            } else {
                self.add_route(file, key, value, false);
            }
        }
    }

    /// Adds calls of `app.use` with a proxy in them.
    fn add_middleware(&mut self, file: &str, text: &str, strips: bool) {
        for (at, found) in text.match_indices(".use(") {
            let Some(parts) = arguments(&text[at + found.len() - 1..]) else { continue };
            let (paths, call) = match parts.as_slice() {
                [paths, call, ..] => (strings(paths), *call),
                [call] => (Vec::new(), *call),
                [] => continue,
            };
            let Some(inner) = call.find('(').and_then(|open| arguments(&call[open..])) else { continue };
            let mounted = !paths.is_empty();
            let (paths, options) = match inner.as_slice() {
                [filter, options, ..] if paths.is_empty() => (strings(filter), *options),
                [options, ..] => (paths, *options),
                [] => continue,
            };
            let filter = || {
                let all = literal::inside(options).map(entries).unwrap_or_default();
                all.iter().find(|entry| entry.key == "pathFilter").map(|entry| strings(entry.value)).unwrap_or_default()
            };
            let paths = if paths.is_empty() { filter() } else { paths };
            if paths.is_empty() {
                self.notes.push(format!("{file}: what it hands on cannot be read: {}", clip(call)));
            }
            for prefix in paths {
                self.add_route(file, &prefix, options, mounted && strips);
            }
        }
    }

    fn add_route(&mut self, file: &str, key: &str, value: &str, strip: bool) {
        let options =
            if value.starts_with('{') { literal::inside(value).map(entries).unwrap_or_default() } else { Vec::new() };
        let option = |name: &str| options.iter().find(|entry| entry.key == name).map(|entry| entry.value);
        let target = string(value).or_else(|| option("target").and_then(string));
        let mut base = String::new();
        if let Some(url) = target.as_deref().and_then(|target| url::Url::parse(target).ok()) {
            let host = url.host_str().unwrap_or_default();
            // A name without a dot is that of a container beside it.
            let own = matches!(host, "127.0.0.1" | "0.0.0.0" | "[::1]" | "localhost") || !host.contains(['.', ':']);
            if !own {
                self.notes.push(format!("{file}: {key} is handed on to {host}, which is not part of it"));
                return;
            }
            base = url.path().trim_end_matches('/').to_owned();
        }
        let prefix = literal_prefix(key);
        if !prefix.starts_with('/') {
            self.notes.push(format!("{file}: which requests {key:?} means cannot be read"));
            return;
        }
        let mut changes = Vec::new();
        let rewrites = [option("rewrite").map(replaced), option("pathRewrite").map(rewritten)];
        for rewrite in rewrites.into_iter().flatten() {
            match rewrite {
                Some(more) => changes.extend(more),
                None => self.notes.push(format!("{file}: how it changes paths below {key} cannot be read; they stay")),
            }
        }
        let route = Route { prefix, strip, changes, base };
        if !self.routes.contains(&route) {
            self.routes.push(route);
        }
    }
}

/// Strings, alone or in a list.
fn strings(value: &str) -> Vec<String> {
    match literal::inside(value).filter(|_| value.starts_with('[')) {
        Some(inside) => literal::split(inside).into_iter().filter_map(string).collect(),
        None => string(value).into_iter().collect(),
    }
}

/// The start of a path that a key stands for: `/api`, `^/api/.*`, `/api/**`.
fn literal_prefix(key: &str) -> String {
    let Some(regex) = key.strip_prefix('^') else { return key.split('*').next().unwrap_or_default().to_owned() };
    let regex = regex.replace("\\/", "/");
    regex.split(['*', '.', '(', '[', '?', '$', '\\', '+', '|']).next().unwrap_or_default().to_owned()
}

/// `(path) => path.replace(/^\/api/, '')`
fn replaced(function: &str) -> Option<Vec<(String, String)>> {
    let (_, body) = function.split_once(".replace(")?;
    let parts = arguments(&function[function.len() - body.len() - 1..])?;
    let [from, to] = parts.as_slice() else { return None };
    // Nothing may come after it but the end of the function.
    let length = literal::length(&function[function.len() - body.len() - 1..])?;
    let rest = &body[length - 1..];
    if !rest.chars().all(|c| c.is_whitespace() || matches!(c, '}' | ';' | ')'))
        || function.matches(".replace(").count() > 1
    {
        return None;
    }
    let from = match string(from) {
        Some(text) => text,
        None => pattern(from.strip_prefix('/')?.rsplit_once('/')?.0)?,
    };
    Some(vec![(from, string(to)?)])
}

/// `{ '^/api': '' }`
fn rewritten(object: &str) -> Option<Vec<(String, String)>> {
    let all = entries(literal::inside(object)?);
    all.into_iter().map(|Entry { key, value }| Some((pattern(key)?, string(value)?))).collect()
}

/// The text that a pattern at the start of a path stands for, when it is nothing but text.
fn pattern(regex: &str) -> Option<String> {
    let text = regex.strip_prefix('^')?.replace("\\/", "/").replace("\\-", "-").replace("\\.", "\u{0}");
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/-_~\u{0}".contains(c));
    (plain && !text.is_empty()).then(|| text.replace('\u{0}', "."))
}

fn clip(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(files: &[(&str, &str)]) -> Routes {
        let base = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = base.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        of(base.path(), Package::read(base.path(), "").as_ref())
    }

    fn paths(routes: &Routes, asked: &[&str]) -> Vec<Option<String>> {
        asked.iter().map(|path| routes.routes.iter().find_map(|route| route.leads(path))).collect()
    }

    #[test]
    fn a_vite_configuration_is_read() {
        let config = r#"import { defineConfig } from 'vite'; // proxy: { '/never': 'x' }
export default defineConfig(({ mode }) => ({
  plugins: [react({ include: /\.(js|jsx)$/ })],
  server: {
    port: 5173, /* proxy: {} */
    proxy: {
      '/api/v2': { target: process.env.API ?? 'http://localhost:5000', rewrite: (p) => p.replace(/^\/api\/v2/, '/v2') },
      '/api': { target: 'http://localhost:5000', changeOrigin: true, rewrite: (path) => path.replace(/^\/api/, '') },
      "/auth": "http://127.0.0.1:5000/base/",
      '^/files/.*': `http://backend:5000`,
      '/odd': { target: 'http://localhost:5000', rewrite: (path) => path.toLowerCase() },
      '/far': 'https://api.example.com',
      ...more,
    },
  },
}));"#;
        let routes = read(&[("vite.config.ts", config)]);
        let asked =
            ["/api/items?a=/api", "/api/v2/x", "/auth/login", "/files/a.png", "/odd/A", "/far/x", "/", "/app.js"];
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            paths(&routes, &asked),
            [
                some("/items?a=/api"),
                some("/v2/x"),
                some("/base/auth/login"),
                some("/files/a.png"),
                some("/odd/A"),
                None,
                None,
                None
            ]
        );
        assert_eq!(routes.notes.len(), 3, "{:?}", routes.notes);
    }

    #[test]
    fn other_configurations_are_read() {
        let some = |text: &str| Some(text.to_owned());
        let cra = "const { createProxyMiddleware } = require('http-proxy-middleware');\nmodule.exports = function (app) {\n\
                   app.use('/api', createProxyMiddleware({ target: 'http://localhost:5000', changeOrigin: true, pathRewrite: { '^/api': '' } }));\n\
                   app.use(createProxyMiddleware(['/auth', '/me'], { target: 'http://localhost:5000' }));\n};";
        let two = r#"{"dependencies": {"http-proxy-middleware": "^2.0.6"}}"#;
        let routes = read(&[("src/setupProxy.js", cra), ("package.json", two)]);
        assert_eq!(
            paths(&routes, &["/api/items", "/auth", "/me/1", "/x"]),
            [some("/items"), some("/auth"), some("/me/1"), None]
        );

        let mounted = "app.use('/api', createProxyMiddleware({ target: 'http://localhost:5000' }));";
        let three = r#"{"dependencies": {"http-proxy-middleware": "^3.0.0"}}"#;
        let asked = |package| {
            paths(&read(&[("src/setupProxy.js", mounted), ("package.json", package)]), &["/api/items", "/api"])
        };
        assert_eq!(asked(two), [some("/api/items"), some("/api")]);
        assert_eq!(asked(three), [some("/items"), some("/")]);

        let angular =
            r#"{"/api/*": {"target": "http://localhost:3000", "secure": false, "pathRewrite": {"^/api": ""}}}"#;
        assert_eq!(paths(&read(&[("src/proxy.conf.json", angular)]), &["/api/items", "/api2"]), [some("/items"), None]);

        let webpack = "module.exports = { devServer: { proxy: [{ context: ['/api', '/auth'], target: 'http://localhost:3000' }] } };";
        assert_eq!(
            paths(&read(&[("webpack.config.js", webpack)]), &["/api/items", "/auth/x"]),
            [some("/api/items"), some("/auth/x")]
        );
        assert_eq!(read(&[("vite.config.js", "export default {}")]), Routes::default());
    }
}
