//! The server that a front end has within its own package: `server.js` or `server/` beside `src/`, as full-stack apps that
//! come in one piece have it.
//!
//! Where it shows the pages too, it serves the app. Where it only answers the pages' requests, it is started as its script
//! says, on the port that it chooses, and the pages are served as the build left them. Its code is counted in either case.

use std::collections::BTreeSet;
use std::path::Path;

use webeval_evidence::DeployFailure;

use super::install::Packages;
use super::instructions::script_of;
use super::needs::code_paths;
use super::serving::{self, Port};
use super::{Site, beside};
use crate::Error;
use crate::detect::{Framework, Package, SERVERS, has_word, is_code, starts_node};
use crate::serve::{Backend, OwnServer};

/// Names of scripts that start a server and nothing else, the likeliest first.
const SCRIPTS: &[&str] = &[
    "server",
    "start:server",
    "server:start",
    "backend",
    "start:backend",
    "api",
    "start:api",
    "server:dev",
    "dev:server",
    "dev:backend",
    "dev:api",
];

/// Scripts that start a server and the bundler's own at once.
const BOTH: &[&str] = &["start", "dev", "dev:all", "dev:full", "start:all"];

/// Where the server is, when no script says so.
const FILES: &[&str] = &[
    "server.js",
    "server.mjs",
    "server.cjs",
    "server/index.js",
    "server/index.mjs",
    "server/server.js",
    "server/app.js",
    "backend/index.js",
    "backend/server.js",
    "src/server.js",
];

/// Folders of a server's code.
const FOLDERS: &[&str] = &["server", "backend"];

/// Paths, within what was given, of the files of the server that a front end has in its package.
pub(crate) fn server_files(site: &Site) -> BTreeSet<String> {
    let Some(package) = site.package().filter(|_| site.detected.framework != Framework::Node) else {
        return BTreeSet::new();
    };
    let folder = site.file("");
    let by_script = serving::starts_server(&package).then(|| "npm start".to_owned());
    let lines: Vec<String> =
        site.setup.start.clone().into_iter().chain(by_script).chain(command(&package, &folder)).collect();
    let of_app = |file: String| match site.detected.folder.as_str() {
        "" => file,
        folder => format!("{folder}/{file}"),
    };
    files(&folder, &package, &lines).into_iter().map(of_app).collect()
}

/// How the server of a package is started; none when it has none.
pub(crate) fn command(package: &Package, folder: &Path) -> Option<String> {
    let named = SCRIPTS.iter().filter_map(|name| Some((*name, package.script(name)?)));
    for (name, script) in named {
        if starts_node(script) {
            return Some(if script.contains("&&") { format!("npm run {name}") } else { steady(script) });
        }
    }
    let together = BOTH.iter().filter_map(|name| package.script(name));
    let quoted =
        together.filter(|script| has_word(script, "concurrently")).flat_map(|script| script.split(['"', '\'']));
    if let Some(line) = quoted.map(str::trim).find(|part| starts_node(part)) {
        return Some(steady(line));
    }
    SERVERS.iter().find(|name| package.depends_on(name).is_some())?;
    FILES.iter().find(|name| folder.join(name).is_file()).map(|name| format!("node {name}"))
}

/// Without what restarts it on changes, and serves the same.
fn steady(script: &str) -> String {
    let mut words = script.split_whitespace();
    let (mut kept, mut restarts) = (Vec::new(), false);
    while let Some(word) = words.next() {
        match word {
            "nodemon" => {
                restarts = true;
                kept.push("node");
            }
            // Its own options have values, which Node.js would take for the file.
            "--watch" | "-w" | "--ext" | "-e" | "--ignore" | "-i" if restarts => drop(words.next()),
            "watch" | "--watch" => {}
            _ => kept.push(word),
        }
    }
    kept.join(" ")
}

/// Files of the package, relative to it, that only run on the server that it has: the file that one of `lines` starts with
/// what lies around it, or, where that file is made by the build, the folders of a server's code.
pub(crate) fn files(folder: &Path, package: &Package, lines: &[String]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if lines.is_empty() {
        return found;
    }
    let mut folders: Vec<String> = FOLDERS.iter().map(|name| format!("{name}/")).collect();
    for entry in lines.iter().filter_map(|line| entry(folder, package, line)) {
        match entry.rsplit_once('/') {
            None => top_files(folder, &entry, &mut found),
            // What lies in `src` is the front end's as likely as not.
            Some(("src", _)) => {}
            Some((place, _)) => folders.push(format!("{place}/")),
        }
        found.insert(entry);
    }
    found.extend(code_paths(folder).filter(|path| folders.iter().any(|place| path.starts_with(place.as_str()))));
    found
}

/// The file of the package's sources that a command starts; none when it starts what a build makes.
fn entry(folder: &Path, package: &Package, line: &str) -> Option<String> {
    let script = match script_of(line) {
        Some(name) => package.script(name)?,
        None => line,
    };
    let named = script.split_whitespace().map(|word| word.trim_start_matches("./"));
    let made = |word: &str| ["dist/", "build/", "out/"].iter().any(|place| word.starts_with(place));
    let inside = |word: &str| !word.starts_with(['/', '.']) && !word.contains("..");
    named
        .filter(|word| is_code(word) && inside(word) && !made(word))
        .find(|word| folder.join(word).is_file())
        .map(str::to_owned)
}

/// What a file at the top asks for that lies right beside it and is as little part of the front end.
fn top_files(folder: &Path, entry: &str, found: &mut BTreeSet<String>) {
    let mut open = vec![entry.to_owned()];
    while let Some(path) = open.pop() {
        let text = std::fs::read_to_string(folder.join(&path)).unwrap_or_default();
        for wanted in text.split(['"', '\'', '`']).filter_map(|text| text.strip_prefix("./")) {
            let endings = ["", ".js", ".mjs", ".cjs", ".ts"];
            let names = endings.iter().map(|ending| format!("{wanted}{ending}"));
            let mut there = names.filter(|name| is_code(name) && folder.join(name).is_file());
            let Some(name) = there.find(|name| !name.contains('/') && !name.contains(".config.")) else { continue };
            if name != entry && found.insert(name.clone()) {
                open.push(name);
            }
        }
    }
}

/// Starts the server beside the pages that the build left. The inner error says why it is not up.
pub(crate) async fn start(
    site: &mut Site,
    packages: &Packages,
    line: &str,
) -> Result<Result<(OwnServer, Backend), DeployFailure>, Error> {
    let mut server = match serving::start(site, packages, line, Port::Own).await? {
        Ok(server) => server,
        Err((failure, _)) => return Ok(Err(failure)),
    };
    let backend = beside::attach(site, &mut server, "in its package").await;
    Ok(Ok((server, backend)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(scripts: &str, paths: &[(&str, &str)]) -> (tempfile::TempDir, Package) {
        let base = tempfile::tempdir().unwrap();
        let package = format!("{{\"scripts\": {scripts}, \"dependencies\": {{\"express\": \"^5\"}}}}");
        std::fs::write(base.path().join("package.json"), package).unwrap();
        for (path, text) in paths {
            let path = base.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let package = Package::read(base.path(), "").unwrap();
        (base, package)
    }

    #[test]
    fn the_command_is_found_in_scripts_and_else_by_the_usual_file() {
        let of = |scripts: &str, paths: &[(&str, &str)]| {
            let (base, package) = app(scripts, paths);
            command(&package, base.path())
        };
        let some = |line: &str| Some(line.to_owned());
        assert_eq!(of(r#"{"server": "nodemon server.js"}"#, &[]), some("node server.js"));
        assert_eq!(
            of(r#"{"dev:server": "NODE_ENV=development tsx watch server/index.ts"}"#, &[]),
            some("NODE_ENV=development tsx server/index.ts")
        );
        assert_eq!(of(r#"{"server": "nodemon --watch server -e js server/a.js"}"#, &[]), some("node server/a.js"));
        assert_eq!(of(r#"{"server": "npm run db && node server.js"}"#, &[]), some("npm run server"));
        assert_eq!(
            of(r#"{"dev": "concurrently \"vite\" 'node --watch api/server.js'"}"#, &[]),
            some("node api/server.js")
        );
        assert_eq!(of(r#"{"dev": "vite"}"#, &[("server/index.js", "")]), some("node server/index.js"));
        // A development server of pages, and a file that nothing says is a server.
        assert_eq!(of(r#"{"dev": "vite", "server": "vite preview"}"#, &[("src/main.js", "")]), None);
    }

    #[test]
    fn its_files_are_told_from_those_of_the_front_end() {
        let of = |line: &str, paths: &[(&str, &str)]| {
            let (base, package) = app(r#"{"start": "node dist/index.js", "api": "node api/main.mjs"}"#, paths);
            files(base.path(), &package, &[line.to_owned()]).into_iter().collect::<Vec<_>>()
        };
        let top = [
            ("server.js", "import db from './db.js'; import { x } from './src/shared.js'; require('./routes')"),
            ("db.js", "import './server.js'"),
            ("routes.js", ""),
            ("vite.config.js", ""),
            ("src/shared.js", ""),
            ("src/main.js", ""),
        ];
        assert_eq!(of("node server.js", &top), ["db.js", "routes.js", "server.js"]);
        let folder = [
            ("api/main.mjs", "import './deep/a.js'"),
            ("api/deep/a.js", ""),
            ("api/notes.md", ""),
            ("src/main.js", ""),
        ];
        assert_eq!(of("npm run api", &folder), ["api/deep/a.js", "api/main.mjs"]);
        let built =
            [("dist/index.js", ""), ("server/index.ts", ""), ("server/routes.ts", ""), ("client/src/main.tsx", "")];
        assert_eq!(of("npm start", &built), ["server/index.ts", "server/routes.ts"]);
        assert_eq!(of("node src/server.js", &[("src/server.js", ""), ("src/main.js", "")]), ["src/server.js"]);
    }
}
