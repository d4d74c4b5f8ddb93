//! The commands that a text says to run.

/// Programs that are of interest.
const PROGRAMS: &[&str] = &["npm", "pnpm", "yarn", "npx", "bun", "bunx", "node", "vite", "nodemon", "tsx"];

/// The commands in lines of a shell block or in what is quoted in a text: those that call a package manager or Node.js,
/// each as `cd FOLDER && COMMAND` when it is to run in a folder. Lines of one block follow each other in one shell.
///
/// In a block, `yarn` alone is a command.
pub(super) fn find<'l>(lines: impl Iterator<Item = &'l str>, block: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut folder = String::new();
    for line in lines {
        let line = line.trim().trim_start_matches(['$', '>', '%']).trim();
        let line = line.split(" #").next().unwrap_or_default();
        for command in line.split("&&").map(str::trim) {
            if let Some(to) = command.strip_prefix("cd ") {
                folder = moved(&folder, to.trim());
                continue;
            }
            let mut words = command.split_whitespace();
            let program = words.next().unwrap_or_default();
            let verb = words.next().unwrap_or_default();
            let bare = block && command == "yarn";
            let generates = matches!(verb, "create" | "init" | "dlx") || verb.starts_with("create-");
            let plain = !command.contains(['|', ';', '`', '$', '<', '>', '&', '\\', '(', ')', '*', '?', '\n']);
            if PROGRAMS.contains(&program) && (bare || !verb.is_empty()) && !generates && plain {
                found.push(match folder.as_str() {
                    "" => command.to_owned(),
                    folder => format!("cd {folder} && {command}"),
                });
            }
        }
    }
    found
}

/// The folder after one more `cd`. One that cannot be told is where it was.
fn moved(folder: &str, to: &str) -> String {
    let to = to.trim_matches(['"', '\'']);
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/@".contains(c);
    if to.is_empty() || to.starts_with('/') || !to.chars().all(plain) {
        return folder.to_owned();
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in to.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}
