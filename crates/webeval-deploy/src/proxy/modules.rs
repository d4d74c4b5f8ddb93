//! Packages as ECMAScript modules for the browser, as esm.sh and jsDelivr make them: one file a package, which imports
//! what it depends on from the same place.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;
use tokio::process::Command;

use super::cdn::Found;
use super::packages::{Package, Packages};

/// Where the modules import each other from; we stand in for it.
const FROM: &str = "https://esm.sh";
/// Fields of a `package.json` that name other packages.
const DEPENDENCIES: &[&str] = &["dependencies", "peerDependencies", "optionalDependencies"];

/// The module of a package, its range and a path within it.
///
/// There is one module of each version, at the address with that version; a range leads to it. Of the versions that fit, one
/// that the page has asked for by its number comes first: two copies of a library such as React do not work together.
pub(super) async fn find(
    packages: &Packages,
    (name, range, inside): &(String, String, String),
) -> Result<Found, String> {
    let exact = is_exact(range);
    let version = if exact { Some(range.clone()) } else { packages.asked_for(name, |version| fits(version, range)) };
    if exact {
        packages.note_asked(name, range);
    }
    let package = packages.get(name, version.as_ref().unwrap_or(range)).await?;
    let slash = if inside.is_empty() { "" } else { "/" };
    if inside.ends_with(".css") {
        let body = package.read(inside).ok_or_else(|| format!("{name} has no file {inside}"))?;
        let what = format!("{name}@{}/{inside}", package.version);
        return Ok(Found { body, kind: "text/css; charset=utf-8".to_owned(), what });
    }
    let what = format!("{name}@{}{slash}{inside} as a module", package.version);
    let kind = "text/javascript; charset=utf-8".to_owned();
    let kept = package.folder.with_file_name(format!(".{}{slash}{inside}.js", package.version).replace('/', "+"));
    let body = match std::fs::read(&kept) {
        Ok(body) => body,
        Err(_) => {
            let bundle = bundle(packages, &package, inside).await?;
            let body = finished(&bundle, &package).into_bytes();
            let _ = std::fs::write(&kept, &body);
            body
        }
    };
    if exact {
        return Ok(Found { body, kind, what });
    }
    let address = format!("{FROM}/{name}@{}{slash}{inside}", package.version);
    let text = String::from_utf8_lossy(&body);
    let has_default = text.contains("export default ") || text.contains(" as default");
    let default = if has_default { format!("export {{ default }} from \"{address}\";\n") } else { String::new() };
    Ok(Found { body: format!("export * from \"{address}\";\n{default}").into_bytes(), kind, what })
}

fn is_exact(range: &str) -> bool {
    range.starts_with(|c: char| c.is_ascii_digit())
        && range.split(['-', '+']).next().is_some_and(|core| core.split('.').count() == 3)
}

/// Whether a version is in a range such as `18`, `^18.2.0`, `~1.2.0` or anything.
fn fits(version: &str, range: &str) -> bool {
    let numbers = |text: &str| -> Vec<u64> {
        let core = text.split(['-', '+']).next().unwrap_or_default();
        core.split('.').map_while(|part| part.parse().ok()).collect()
    };
    let (version, base) = (numbers(version), numbers(range.trim_start_matches(['^', '~'])));
    let same = match range.chars().next() {
        Some('^') => base.iter().position(|part| *part != 0).unwrap_or(0) + 1,
        Some('~') => 2,
        _ => base.len(),
    };
    version >= base && version.iter().zip(&base).take(same).all(|(a, b)| a == b)
}

/// One file of what the package is made of, with everything that it depends on left out.
async fn bundle(packages: &Packages, package: &Package, inside: &str) -> Result<String, String> {
    let esbuild = bundler(packages).await?;
    let failed = |error: std::io::Error| format!("{}: cannot be made a module: {error}", package.name);
    let work = tempfile::tempdir().map_err(failed)?;
    let place = work.path().join("node_modules").join(&package.name);
    std::fs::create_dir_all(place.parent().unwrap_or(work.path())).map_err(failed)?;
    std::os::unix::fs::symlink(package.folder.canonicalize().map_err(failed)?, &place).map_err(failed)?;
    let inside = inside.split('?').next().unwrap_or_default();
    let entry = if inside.is_empty() { package.name.clone() } else { format!("{}/{inside}", package.name) };
    let mut command = Command::new(esbuild);
    command.arg(&entry).args(["--bundle", "--format=esm", "--platform=browser", "--target=es2022"]);
    command.args([
        "--main-fields=module,browser,main",
        "--preserve-symlinks",
        "--log-level=error",
        "--legal-comments=none",
    ]);
    command.args(["--define:process.env.NODE_ENV=\"production\"", "--define:global=globalThis"]);
    // Named one by one: to leave out all packages would leave out the one that is asked for.
    let manifest = package.manifest();
    for field in DEPENDENCIES {
        for name in manifest.get(*field).and_then(Value::as_object).into_iter().flat_map(|all| all.keys()) {
            command.arg(format!("--external:{name}"));
        }
    }
    command.arg("--external:node:*").current_dir(work.path()).kill_on_drop(true);
    let output = tokio::time::timeout(std::time::Duration::from_secs(60), command.output()).await;
    let output = output.map_err(|_| format!("{entry}: bundling takes too long"))?.map_err(failed)?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!(
            "{entry} cannot be made a module: {}",
            text.lines().find(|line| !line.is_empty()).unwrap_or_default()
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// esbuild's own program, which its package for this kind of machine holds.
async fn bundler(packages: &Packages) -> Result<PathBuf, String> {
    let arch = match std::env::consts::ARCH {
        "aarch64" => "arm64",
        _ => "x64",
    };
    let package = packages.get(&format!("@esbuild/linux-{arch}"), "latest").await?;
    let program = package.folder.join("bin/esbuild");
    make_runnable(&program).map_err(|error| format!("esbuild cannot be run: {error}"))?;
    Ok(program)
}

fn make_runnable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

/// Imports by name become imports by address, and what a CommonJS package exports gets its names.
fn finished(bundle: &str, package: &Package) -> String {
    let manifest = package.manifest();
    let address = |name: &str| address(name, package, &manifest);
    let mut required: BTreeMap<String, usize> = BTreeMap::new();
    let mut text = String::with_capacity(bundle.len());
    for line in bundle.lines() {
        let is_import = line.starts_with("import ") || line.starts_with("export ") || line.starts_with("} from ");
        let mut line = line.to_owned();
        let named = line.strip_suffix("\";").filter(|_| is_import).and_then(|line| line.rsplit_once('"'));
        if let Some((head, name)) = named.filter(|(head, _)| head.ends_with("from ") || *head == "import ") {
            line = format!("{head}\"{}\";", address(name));
        }
        while let Some(at) = line.find("__require(\"") {
            let rest = &line[at + 11..];
            let Some(end) = rest.find("\")") else { break };
            let name = rest[..end].to_owned();
            let count = required.len();
            let number = *required.entry(name).or_insert(count);
            line.replace_range(at..at + 11 + end + 2, &format!("__needed({number})"));
        }
        text.push_str(&line);
        text.push('\n');
    }
    let mut head = String::new();
    for (name, number) in &required {
        head.push_str(&format!("import * as __need{number} from \"{}\";\n", address(name)));
    }
    if !required.is_empty() {
        let list: Vec<String> = (0..required.len()).map(|number| format!("__need{number}")).collect();
        head.push_str(&format!(
            "const __need = [{}];\nconst __needed = (at) => __need[at].default ?? __need[at];\n",
            list.join(", ")
        ));
    }
    // esbuild writes this for a package that is CommonJS.
    if let Some((before, call)) =
        text.trim_end().rsplit_once("export default ").filter(|(_, call)| call.starts_with("require_"))
    {
        let call = call.trim_end_matches(';').to_owned();
        let mut tail = format!("const __all = {call};\nexport default __all;\n");
        for (number, name) in exported(bundle).iter().enumerate() {
            tail.push_str(&format!("const __e{number} = __all.{name};\nexport {{ __e{number} as {name} }};\n"));
        }
        return format!("{head}{before}{tail}");
    }
    format!("{head}{text}")
}

/// Names that a CommonJS package gives to what it exports, anywhere in it.
fn exported(bundle: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for piece in bundle.split("exports").skip(1) {
        // `exports.name =`, and `exports2.name =` after renaming
        let piece = piece.trim_start_matches(|c: char| c.is_ascii_digit());
        let Some(piece) = piece.strip_prefix('.') else { continue };
        let end = piece.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$')).unwrap_or(piece.len());
        let (name, rest) = piece.split_at(end);
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$');
        if starts && rest.trim_start().starts_with('=') && !rest.trim_start().starts_with("==") && name != "default" {
            found.insert(name);
        }
    }
    found
}

/// The address of the module of something that a package depends on.
fn address(import: &str, package: &Package, manifest: &Value) -> String {
    if import.contains("://") || import.starts_with(['.', '/']) {
        return import.to_owned();
    }
    let parts: Vec<&str> = import.splitn(if import.starts_with('@') { 3 } else { 2 }, '/').collect();
    let length = if import.starts_with('@') { 2 } else { 1 };
    let name = parts[..length.min(parts.len())].join("/");
    let inside = parts.get(length).map(|inside| format!("/{inside}")).unwrap_or_default();
    if name == package.name {
        return format!("{FROM}/{name}@{}{inside}", package.version);
    }
    let range = DEPENDENCIES.iter().find_map(|field| manifest.get(*field)?.get(&name)?.as_str()).unwrap_or_default();
    let last = range.split("||").last().unwrap_or_default().trim();
    let simple = last.trim_start_matches(">=").trim().split(' ').next().unwrap_or_default();
    // An open range means the newest.
    let simple = if last.starts_with('>') { "" } else { simple };
    let range = if simple.is_empty() { String::new() } else { format!("@{simple}") };
    format!("{FROM}/{name}{range}{inside}")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Package, exported, finished, fits, is_exact};

    #[test]
    fn ranges_are_told_from_versions() {
        assert!(
            is_exact("18.2.0") && is_exact("19.0.0-rc.1") && !is_exact("18") && !is_exact("^18.2.0") && !is_exact("")
        );
        for (version, range, expected) in [
            ("18.2.0", "^18.2.0", true),
            ("18.3.1", "^18.2.0", true),
            ("18.1.0", "^18.2.0", false),
            ("19.0.0", "^18.2.0", false),
            ("0.23.5", "^0.23.2", true),
            ("0.24.0", "^0.23.2", false),
            ("1.2.9", "~1.2.3", true),
            ("1.3.0", "~1.2.3", false),
            ("18.2.0", "18", true),
            ("17.0.2", "18", false),
            ("4.0.0", "", true),
        ] {
            assert_eq!(fits(version, range), expected, "{version} in {range}");
        }
    }

    #[test]
    fn names_of_exports_are_found() {
        let bundle =
            "exports.useState = f; exports2.$x=1; exports.a == b; exports.default = 1; exports[0] = 2; exports.b() ";
        assert_eq!(exported(bundle).into_iter().collect::<Vec<_>>(), ["$x", "useState"]);
    }

    #[test]
    fn what_is_needed_is_imported_by_address() {
        let folder = tempfile::tempdir().expect("a folder");
        let manifest = r#"{"dependencies": {"scheduler": "^0.23.0"}, "peerDependencies": {"react": ">=17 || ^18.2.0", "any": ">=1"}}"#;
        std::fs::write(folder.path().join("package.json"), manifest).expect("a file");
        let package = Package { name: "p".into(), version: "1.0.0".into(), folder: PathBuf::from(folder.path()) };
        let module = finished("import { a } from \"any/sub\";\nimport b from \"./c.js\";\na(b);\n", &package);
        assert_eq!(module, "import { a } from \"https://esm.sh/any/sub\";\nimport b from \"./c.js\";\na(b);\n");
        let common = "var require_p = __commonJS({ \"p\"(exports) { exports.one = __require(\"react\"); __require(\"scheduler\"); } });\nexport default require_p();\n";
        let module = finished(common, &package);
        assert!(module.starts_with("import * as __need0 from \"https://esm.sh/react@^18.2.0\";\nimport * as __need1 from \"https://esm.sh/scheduler@^0.23.0\";\n"), "{module}");
        assert!(module.contains("exports.one = __needed(0); __needed(1);"), "{module}");
        assert!(
            module.ends_with("export default __all;\nconst __e0 = __all.one;\nexport { __e0 as one };\n"),
            "{module}"
        );
    }
}
