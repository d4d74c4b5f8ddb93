//! What the setup instructions that came with an app say to run for it: a model's reply has them, or its README.
//!
//! They are tried before what is detected. Only calls of a package manager, of Node.js, and of programs that its packages
//! bring are followed, and only those that install, prepare, build or start.

use std::path::Path;

use super::manager::Kind;
use crate::App;
use crate::detect::{Detected, Package, has_word, starts_node};

/// What is to be run for one package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Setup {
    /// Commands that fetch packages and say more than that they be fetched.
    pub(crate) installs: Vec<String>,
    /// The package manager that they call.
    pub(crate) manager: Option<Kind>,
    /// Commands between install and build: generators, migrations.
    pub(crate) prepares: Vec<String>,
    pub(crate) build: Option<String>,
    /// The app's own server.
    pub(crate) start: Option<String>,
    /// What is not followed, and why.
    pub(crate) notes: Vec<String>,
    /// Whether anything is said about installing, and about building or starting.
    says_install: bool,
    says_run: bool,
}

/// Switches of installs that are followed.
const INSTALL_FLAGS: &[&str] = &[
    "--legacy-peer-deps",
    "--strict-peer-deps",
    "--force",
    "-f",
    "--save",
    "--save-dev",
    "--save-exact",
    "--dev",
    "-S",
    "-D",
    "-d",
    "-E",
    "--frozen-lockfile",
    "--no-frozen-lockfile",
    "--immutable",
    "--no-immutable",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    "--include=dev",
    "--include=optional",
    "--production=false",
    "--shamefully-hoist",
    "--workspaces",
    "--silent",
    "--verbose",
];

/// What a command is for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Use {
    /// Whether it says more than that packages be fetched.
    Install(bool),
    Prepare,
    Build,
    /// As it is to be run.
    Start(String),
    /// A server that is for working on the app.
    Dev,
    /// A server for the files of a build.
    Files,
    Other,
}

/// The instructions of an app and where they stand: those that came with it, else those of its README.
pub(crate) fn of_app(app: &App, detected: &Detected) -> Option<(Vec<String>, &'static str)> {
    if !app.instructions.is_empty() {
        return Some((app.instructions.clone(), "its instructions"));
    }
    for folder in [detected.folder.as_str(), ""] {
        let names = ["README.md", "readme.md", "Readme.md"];
        let text = names.iter().find_map(|name| std::fs::read_to_string(app.root.join(folder).join(name)).ok());
        let Some(text) = text else { continue };
        let mut commands = crate::input::extract(&text).commands;
        // A README also says how its package is added to another one.
        commands.retain(|command| !adds_packages(command));
        if !commands.is_empty() {
            let placed =
                |command: String| if folder.is_empty() { command } else { format!("cd {folder} && {command}") };
            return Some((commands.into_iter().map(placed).collect(), "its README's instructions"));
        }
    }
    None
}

fn adds_packages(command: &str) -> bool {
    let command = command.rsplit("&& ").next().unwrap_or(command);
    let mut words = command.split_whitespace().skip(1).skip_while(|word| word.starts_with('-'));
    let verb = words.next().unwrap_or_default();
    matches!(verb, "install" | "i" | "add") && words.any(|word| !word.starts_with('-'))
}

impl Setup {
    /// Those of `commands` that are for the package in `folder`, whose packages are installed in `workspace`.
    pub(crate) fn of(commands: &[String], root: &Path, folder: &str, workspace: &str) -> Self {
        let mut setup = Self::default();
        let Some(package) = Package::read(root, folder) else { return setup };
        let mut dev = None;
        for (place, command) in commands.iter().map(|command| placed(command, root, folder)) {
            let used = match Package::read(root, &place) {
                Some(other) if place != folder => classify(&command, &other),
                _ => classify(&command, &package),
            };
            // What is said about another package is said all the same.
            setup.says_install |= matches!(used, Use::Install(_));
            setup.says_run |= matches!(used, Use::Build | Use::Start(_) | Use::Dev);
            if place != folder && !(place == workspace && matches!(used, Use::Install(_))) {
                continue;
            }
            match used {
                Use::Install(more) => setup.add_install(command, more),
                Use::Prepare => setup.prepares.push(command),
                Use::Build => setup.build = Some(command),
                // Of two ways to start it, the one for working on it comes second.
                Use::Start(_)
                    if setup.start.is_some() && script_of(&command).is_some_and(|name| name.starts_with("dev")) => {}
                Use::Start(line) => setup.start = Some(line),
                Use::Dev => dev = Some(command),
                Use::Files => {
                    setup.notes.push(format!("`{command}` is left out: the files of the build are served as they are"))
                }
                Use::Other => {}
            }
        }
        if let Some(command) = dev.filter(|_| setup.start.is_none()) {
            setup
                .notes
                .push(format!("`{command}` starts a development server; what is measured is a production build"));
        }
        // The build script is what is run in any case, its checks apart.
        let is_script = |command: &str| script_of(command).is_some_and(|name| name == "build");
        if package.script("build").is_some() {
            setup.build = setup.build.filter(|command| !is_script(command));
        }
        setup
    }

    fn add_install(&mut self, command: String, more: bool) {
        let kind = command.split_whitespace().next().and_then(Kind::called);
        // Of several package managers in turn, each is an alternative to the first.
        if self.manager.is_some() && self.manager != kind {
            return;
        }
        self.manager = kind;
        if more {
            self.installs.push(command);
        }
    }

    /// What was done that they do not say, from the record.
    pub(crate) fn beyond(&self, steps: &[webeval_evidence::CommandStep]) -> Vec<String> {
        use webeval_evidence::StepKind;
        let mut beyond: Vec<String> = Vec::new();
        for step in steps.iter().filter(|step| step.exit == Some(0) || step.kind == StepKind::Serve) {
            let said = match step.kind {
                StepKind::Install => self.says_install,
                StepKind::Build | StepKind::Serve => self.says_run,
                StepKind::Repair => false,
                _ => true,
            };
            if !said && !beyond.contains(&step.command) {
                beyond.push(step.command.clone());
            }
        }
        beyond
    }
}

/// The folder of a command within the app, and the command. A `cd` to where nothing is names the app itself, as does one
/// at the top when there is no package.
fn placed(command: &str, root: &Path, folder: &str) -> (String, String) {
    let (to, command) = match command.strip_prefix("cd ").and_then(|rest| rest.split_once(" && ")) {
        Some((to, command)) => (to, command),
        None => ("", command),
    };
    let mut to = to;
    while !to.is_empty() && !root.join(to).join("package.json").is_file() {
        to = to.split_once('/').map_or("", |(_, rest)| rest);
    }
    let place = if to.is_empty() && !root.join("package.json").is_file() { folder } else { to };
    (place.to_owned(), command.to_owned())
}

/// The script that a package manager is told to run.
pub(super) fn script_of(command: &str) -> Option<&str> {
    let mut words = command.split_whitespace();
    let program = words.next()?;
    let verb = words.next()?;
    match (program, verb) {
        ("npm" | "pnpm" | "yarn" | "bun", "run" | "run-script") => words.find(|word| !word.starts_with('-')),
        ("npm", "start" | "test") => Some(verb),
        ("pnpm" | "yarn", verb) if !verb.starts_with('-') => Some(verb),
        _ => None,
    }
}

fn classify(command: &str, package: &Package) -> Use {
    let words: Vec<&str> = command.split_whitespace().collect();
    let (program, rest) = (words[0], &words[1..]);
    let flags = |word: &&&str| word.starts_with('-');
    let manager = Kind::called(program).is_some();
    let verb = rest.first().copied().unwrap_or_default();
    if manager && (matches!(verb, "install" | "i" | "ci" | "add") || command == "yarn") {
        if rest.iter().any(|word| matches!(*word, "-g" | "--global" | "global")) {
            return Use::Other;
        }
        // Others could name registries, and programs to run while there is a network.
        if rest.iter().any(|word| word.starts_with('-') && !INSTALL_FLAGS.contains(word)) {
            return Use::Other;
        }
        return Use::Install(rest.len() > 1);
    }
    match program {
        "node" | "nodemon" | "tsx" => return by_file(program, rest),
        "npx" | "bunx" => {
            let tool: Vec<&str> = rest.iter().skip_while(flags).copied().collect();
            return by_tool(command, &tool.join(" "));
        }
        "vite" => return by_tool(&format!("npx {command}"), command),
        "bun" if script_of(command).is_none() && is_file(verb) => return by_file("bun", rest),
        _ => {}
    }
    if matches!(verb, "exec") {
        return by_tool(command, &rest[1..].iter().skip_while(flags).copied().collect::<Vec<_>>().join(" "));
    }
    let Some(name) = script_of(command) else { return Use::Other };
    if program == "bun" && is_file(name) {
        return by_file("bun", &rest[1..]);
    }
    by_script(command, name, package.script(name))
}

fn is_file(word: &str) -> bool {
    [".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx"].iter().any(|ending| word.ends_with(ending))
}

/// A file that Node.js runs.
fn by_file(program: &str, arguments: &[&str]) -> Use {
    let Some(file) = arguments.iter().find(|word| !word.starts_with('-')) else { return Use::Other };
    let name = file.rsplit('/').next().unwrap_or(file).to_ascii_lowercase();
    let program = if program == "nodemon" { "node" } else { program };
    let line = format!("{program} {}", arguments.join(" "));
    match name.as_str() {
        name if prepares(name) => Use::Prepare,
        name if name.contains("build") || name.contains("bundle") => Use::Build,
        name if name.contains("test") => Use::Other,
        _ => Use::Start(line),
    }
}

/// A program that a package brings.
fn by_tool(command: &str, tool: &str) -> Use {
    let mut words = tool.split_whitespace();
    let (program, verb) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    match (program, verb) {
        ("serve" | "http-server" | "live-server", _) | (_, "preview") => Use::Files,
        (_, "build" | "export") | ("tsc" | "webpack" | "rollup" | "esbuild", _) => Use::Build,
        ("prisma", "generate" | "migrate" | "db") | ("drizzle-kit", _) => Use::Prepare,
        ("nodemon" | "tsx" | "ts-node", _) => by_file(program, &tool.split_whitespace().skip(1).collect::<Vec<_>>()),
        _ if is_dev(tool) => Use::Dev,
        _ => {
            tracing::debug!(command, "an instruction is left out");
            Use::Other
        }
    }
}

/// A script of the package, by its name and by what it runs.
fn by_script(command: &str, name: &str, script: Option<&str>) -> Use {
    // One that is not there is tried all the same: that it fails is worth knowing.
    let body = script.unwrap_or_default();
    let first = name.split([':', '-']).next().unwrap_or(name);
    match first {
        "start" | "serve" | "server" | "prod" | "production" | "dev" | "develop" | "preview" => {
            // What restarts on changes and what does not serve the same.
            if body.starts_with("nodemon ") {
                Use::Start(body.replacen("nodemon", "node", 1))
            } else if starts_node(body) || (script.is_none() && first == "start") {
                Use::Start(command.to_owned())
            } else if is_dev(body) || first == "dev" {
                Use::Dev
            } else if has_word(body, "preview") || has_word(body, "serve") {
                Use::Files
            } else {
                Use::Other
            }
        }
        "build" | "generate" | "export" | "compile" | "bundle" => Use::Build,
        _ if prepares(name) => Use::Prepare,
        _ if is_dev(body) => Use::Dev,
        _ if has_word(body, "build") => Use::Build,
        _ => Use::Other,
    }
}

fn prepares(name: &str) -> bool {
    ["seed", "migrate", "migration", "setup", "init", "codegen", "prepare", "db"]
        .iter()
        .any(|word| name.split([':', '-', '.', '_']).any(|part| part == *word))
}

/// Whether a script starts a server that builds while it serves.
fn is_dev(script: &str) -> bool {
    let word = |word: &str| has_word(script, word);
    let serves = |tool: &str, verbs: &[&str]| word(tool) && verbs.iter().any(|verb| word(verb));
    (word("vite") && !word("build") && !word("preview"))
        || (word("parcel") && !word("build"))
        || word("webpack-dev-server")
        || serves("react-scripts", &["start"])
        || serves("next", &["dev"])
        || serves("nuxt", &["dev"])
        || serves("astro", &["dev"])
        || serves("webpack", &["serve"])
        || serves("ng", &["serve"])
        || serves("vue-cli-service", &["serve"])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(scripts: &str) -> (tempfile::TempDir, Package) {
        let base = tempfile::tempdir().unwrap();
        std::fs::write(base.path().join("package.json"), format!("{{\"scripts\": {scripts}}}")).unwrap();
        let package = Package::read(base.path(), "").unwrap();
        (base, package)
    }

    #[test]
    fn commands_are_told_apart_by_what_they_run() {
        let scripts = r#"{"dev": "vite", "watch": "nodemon server.js", "start": "node server.js", "build:prod": "tsc && vite build",
            "serve": "vite preview", "server": "nodemon --watch src server.js", "db:seed": "node seed.js", "eject": "x", "test": "jest"}"#;
        let (_base, package) = package(scripts);
        let start = |line: &str| Use::Start(line.to_owned());
        for (command, used) in [
            ("npm install", Use::Install(false)),
            ("npm ci", Use::Install(false)),
            ("yarn", Use::Install(false)),
            ("pnpm add react", Use::Install(true)),
            ("npm install --legacy-peer-deps", Use::Install(true)),
            ("npm install -g serve", Use::Other),
            ("npm install --ignore-scripts=false", Use::Other),
            ("npm install --registry=http://example.com", Use::Other),
            ("pnpm install --config.ignore-scripts=false", Use::Other),
            ("yarn global add serve", Use::Other),
            ("npm run dev", Use::Dev),
            ("yarn dev", Use::Dev),
            ("npx vite", Use::Dev),
            ("vite", Use::Dev),
            ("npx vite build", Use::Build),
            ("npm run build:prod", Use::Build),
            ("npm start", start("npm start")),
            ("yarn start", start("yarn start")),
            ("node server.js --port 3000", start("node server.js --port 3000")),
            ("npm run server", start("node --watch src server.js")),
            ("npx nodemon server.js", start("node server.js")),
            ("bun run index.ts", start("bun index.ts")),
            ("bun server.ts", start("bun server.ts")),
            ("npm run serve", Use::Files),
            ("npx serve dist", Use::Files),
            ("npm run db:seed", Use::Prepare),
            ("node seed.js", Use::Prepare),
            ("npx prisma generate", Use::Prepare),
            ("npm run eject", Use::Other),
            ("npm test", Use::Other),
            ("npm run build", Use::Build),
        ] {
            assert_eq!(classify(command, &package), used, "{command}");
        }
    }

    #[test]
    fn of_several_package_managers_the_first_counts() {
        let (base, _) = package("{\"dev\": \"vite\", \"build\": \"vite build\"}");
        let commands =
            ["cd my-app && pnpm install --prefer-offline", "npm install --force", "pnpm dev", "npm run build"]
                .map(str::to_owned);
        let setup = Setup::of(&commands, base.path(), "", "");
        assert_eq!(setup.installs, ["pnpm install --prefer-offline"]);
        assert_eq!((setup.manager, setup.build, setup.start), (Some(Kind::Pnpm), None, None));
        assert!(setup.notes[0].contains("development server"), "{:?}", setup.notes);
    }
}
