//! Packages that an app's code asks for and that are not there, told from what a failed command printed.

use std::path::Path;

use super::needs::code;

/// Packages that an error message says are not there and that the app's own code asks for, each with the file that does.
/// A path of a file, an alias and a part of Node.js are none.
pub(crate) fn packages(output: &str, folder: &Path) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for wanted in imports(output) {
        let Some(name) = package_of(&wanted) else { continue };
        if found.iter().any(|(known, _)| *known == name) || is_alias(folder, &name) {
            continue;
        }
        let by = code(folder).find(|(path, text)| asks_for(path, text, &name)).map(|(path, _)| path);
        found.extend(by.map(|path| (name, path)));
    }
    for (program, name) in PROGRAMS {
        let misses = output.lines().any(|line| line.contains(&format!("{program}: not found")));
        if misses && !found.iter().any(|(known, _)| known == name) {
            found.push(((*name).to_owned(), "a script of package.json".to_owned()));
        }
    }
    found
}

/// Programs that scripts call by another name than that of their package, or by the same.
pub(crate) const PROGRAMS: &[(&str, &str)] = &[
    ("vite", "vite"),
    ("tsc", "typescript"),
    ("webpack", "webpack-cli"),
    ("next", "next"),
    ("react-scripts", "react-scripts"),
    ("parcel", "parcel"),
    ("astro", "astro"),
    ("nuxt", "nuxt"),
    ("ng", "@angular/cli"),
    ("nodemon", "nodemon"),
    ("tsx", "tsx"),
    ("ts-node", "ts-node"),
    ("cross-env", "cross-env"),
    ("concurrently", "concurrently"),
    ("rimraf", "rimraf"),
    ("esbuild", "esbuild"),
    ("rollup", "rollup"),
    ("tsup", "tsup"),
    ("vue-tsc", "vue-tsc"),
    ("tailwindcss", "@tailwindcss/cli"),
    ("npm-run-all", "npm-run-all"),
    ("run-p", "npm-run-all"),
    ("run-s", "npm-run-all"),
    ("dotenv", "dotenv-cli"),
];

/// What a message says could not be found, as it was asked for.
fn imports(output: &str) -> Vec<String> {
    const SAYS: &[&str] = &[
        "failed to resolve import ",
        "Failed to resolve import ",
        "Could not resolve ",
        "Can't resolve ",
        "Cannot find module ",
        "Cannot find package ",
        "Cannot resolve ",
        "Unable to resolve ",
    ];
    let mut found = Vec::new();
    for says in SAYS {
        for piece in output.split(says).skip(1) {
            let Some(quote) = piece.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) else { continue };
            let text = piece[1..].split(quote).next().unwrap_or_default();
            if !found.iter().any(|known| known == text) {
                found.push(text.to_owned());
            }
        }
    }
    found
}

/// The package of what is imported; none for what is none.
fn package_of(wanted: &str) -> Option<String> {
    const BUILT_IN: &[&str] = &[
        "assert",
        "async_hooks",
        "buffer",
        "child_process",
        "cluster",
        "console",
        "constants",
        "crypto",
        "dgram",
        "dns",
        "events",
        "fs",
        "http",
        "http2",
        "https",
        "module",
        "net",
        "os",
        "path",
        "perf_hooks",
        "process",
        "punycode",
        "querystring",
        "readline",
        "stream",
        "string_decoder",
        "timers",
        "tls",
        "tty",
        "url",
        "util",
        "v8",
        "vm",
        "worker_threads",
        "zlib",
    ];
    let mut parts = wanted.split('/');
    let first = parts.next()?;
    let name = match first.strip_prefix('@') {
        Some(_) => format!("{first}/{}", parts.next()?),
        None => first.to_owned(),
    };
    let plain = |part: &str| {
        let starts = part.chars().next().is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        starts && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-._".contains(c))
    };
    let fits = name.trim_start_matches('@').split('/').all(plain) && name.len() <= 214;
    (fits && !BUILT_IN.contains(&name.as_str())).then_some(name)
}

/// Whether the app's settings give a name another meaning.
fn is_alias(folder: &Path, name: &str) -> bool {
    let files = [
        "tsconfig.json",
        "tsconfig.app.json",
        "jsconfig.json",
        "vite.config.js",
        "vite.config.ts",
        "vite.config.mjs",
        "webpack.config.js",
        "svelte.config.js",
        "package.json",
    ];
    let scope = name.split('/').next().unwrap_or(name);
    let texts = files.iter().filter_map(|file| Some((*file, std::fs::read_to_string(folder.join(file)).ok()?)));
    let keys = [
        format!("{name}/*\""),
        format!("{name}\":"),
        format!("'{name}':"),
        format!("{scope}/*\""),
        format!("'{scope}':"),
        format!("\"{scope}\":"),
    ];
    texts.into_iter().any(|(file, text)| {
        // In package.json a key is a dependency, or an alias of the imports field, which begin with `#`.
        file != "package.json" && keys.iter().any(|key| text.contains(key.as_str()))
    })
}

fn asks_for(path: &str, text: &str, name: &str) -> bool {
    let quoted = ['"', '\'', '`']
        .iter()
        .any(|quote| text.contains(&format!("{quote}{name}{quote}")) || text.contains(&format!("{quote}{name}/")));
    // `plugins: { autoprefixer: {} }`
    let configures = path.contains("config")
        && text.split(|c: char| !(c.is_ascii_alphanumeric() || "-_.@/".contains(c))).any(|word| word == name);
    quoted || configures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_told_from_files_aliases_and_parts_of_node() {
        for (wanted, name) in [
            ("axios", Some("axios")),
            ("lodash/debounce", Some("lodash")),
            ("@scope/name/deep/file.js", Some("@scope/name")),
            ("./a.js", None),
            ("/app/a.js", None),
            ("@/components/Button", None),
            ("~/lib", None),
            ("#internal", None),
            ("node:fs", None),
            ("fs/promises", None),
            ("virtual:pwa", None),
            ("@scope", None),
            ("Button", None),
            ("a b", None),
        ] {
            assert_eq!(package_of(wanted).as_deref(), name, "{wanted}");
        }
        let base = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(base.path().join(name), text).unwrap();
        write("a.js", "import axios from 'axios';\nimport '@lib/thing';\n");
        write("postcss.config.js", "module.exports = { plugins: { autoprefixer: {} } }");
        write("tsconfig.json", "{\"compilerOptions\": {\"paths\": {\"@lib/*\": [\"./lib/*\"]}}}");
        let output = "[vite]: Rollup failed to resolve import \"axios\" from \"/app/a.js\".\nCannot find module 'autoprefixer'\n\
                      Could not resolve \"@lib/thing\"\nCannot find module 'only-a-package-asks-for-this'\n";
        let named = |name: &str, file: &str| (name.to_owned(), file.to_owned());
        assert_eq!(packages(output, base.path()), [named("axios", "a.js"), named("autoprefixer", "postcss.config.js")]);
    }
}
