//! Repairs after which an app is built and started once more, told from why it failed. The failed command stays in the
//! record, and with it whose fault it was.

use webeval_evidence::DeployFailure;

use super::install::{Packages, install};
use super::{Site, Stop, imports, node, repair, tools};
use crate::Error;

/// Most packages that are added to what an app depends on.
const MOST_ADDED: usize = 5;

/// Repairs what surrounds the app, and tells whether there is anything new to try. Each repair has its own bound, so that
/// asking again comes to an end.
pub(crate) async fn mend(
    site: &mut Site,
    packages: &mut Packages,
    failure: &DeployFailure,
    output: &str,
) -> Result<bool, Stop> {
    match failure.kind.as_str() {
        "node-version" => {
            if !tools::use_node(site, &node::wanted(&failure.message), &failure.message).await? {
                return Ok(false);
            }
            replace(site, packages).await?;
            Ok(true)
        }
        "missing-dependency" => add_dependencies(site, packages, output).await,
        "missing-environment" => Ok(repair::example_env(site)?.is_some()),
        _ => Ok(false),
    }
}

/// Installs anew what the app depends on now.
async fn replace(site: &mut Site, packages: &mut Packages) -> Result<(), Stop> {
    packages.take_out(site);
    *packages = install(site).await?;
    Ok(())
}

/// Adds packages that the app's code asks for and its package does not list.
async fn add_dependencies(site: &mut Site, packages: &mut Packages, output: &str) -> Result<bool, Stop> {
    let Some(package) = site.package() else { return Ok(false) };
    let mut missing = imports::packages(output, &site.file(""));
    missing.retain(|(name, _)| package.depends_on(name).is_none() && !site.added.contains(name));
    missing.truncate(MOST_ADDED - site.added.len().min(MOST_ADDED));
    if missing.is_empty() {
        return Ok(false);
    }
    let path = site.file("package.json");
    let before = std::fs::read_to_string(&path).map_err(Error::io("read", &path))?;
    let names: Vec<&str> = missing.iter().map(|(name, _)| name.as_str()).collect();
    let Some(after) = with_dependencies(&before, &names) else { return Ok(false) };
    write(site, &after)?;
    let asks: Vec<String> = missing.iter().map(|(name, file)| format!("{file} asks for {name}")).collect();
    let why = format!("missing-dependency: {}, which package.json does not list", asks.join(", "));
    repair::record(site, "package.json", &why, &before, &after);
    site.added.extend(missing.iter().map(|(name, _)| name.clone()));
    match replace(site, packages).await {
        Ok(()) => Ok(true),
        Err(Stop::Failed(failure)) => {
            site.notes.push(format!("adding {} did not help: {}", names.join(", "), failure.message));
            write(site, &before)?;
            replace(site, packages).await?;
            Ok(false)
        }
        Err(fault) => Err(fault),
    }
}

fn write(site: &Site, text: &str) -> Result<(), Error> {
    let path = site.file("package.json");
    std::fs::write(&path, text).map_err(Error::io("write", &path))?;
    site.sandbox.hand_over(&path)
}

/// A `package.json` with more dependencies, otherwise as it was.
fn with_dependencies(json: &str, names: &[&str]) -> Option<String> {
    let lines: Vec<String> = names.iter().map(|name| format!("    \"{name}\": \"*\"")).collect();
    let listed = lines.join(",\n");
    let whole: serde_json::Value = serde_json::from_str(json.trim_start_matches('\u{feff}')).ok()?;
    let (at, text) = match whole.get("dependencies").and_then(serde_json::Value::as_object) {
        Some(there) => {
            let key = json.find("\"dependencies\"")?;
            let comma = if there.is_empty() { "\n  " } else { "," };
            (key + json[key..].find('{')? + 1, format!("\n{listed}{comma}"))
        }
        None => {
            let comma = if whole.as_object()?.is_empty() { "\n" } else { "," };
            (json.find('{')? + 1, format!("\n  \"dependencies\": {{\n{listed}\n  }}{comma}"))
        }
    };
    let after = format!("{}{text}{}", &json[..at], &json[at..]);
    // A text that has the word elsewhere first is not taken apart.
    let parsed: serde_json::Value = serde_json::from_str(after.trim_start_matches('\u{feff}')).ok()?;
    names.iter().all(|name| parsed["dependencies"][*name] == "*").then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_added_and_the_rest_stays() {
        for (before, after) in [
            ("{}", "{\n  \"dependencies\": {\n    \"a\": \"*\"\n  }\n}"),
            ("{\"name\": \"x\"}", "{\n  \"dependencies\": {\n    \"a\": \"*\"\n  },\"name\": \"x\"}"),
            ("{\"dependencies\": {}}", "{\"dependencies\": {\n    \"a\": \"*\"\n  }}"),
            (
                "{\n  \"dependencies\": {\n    \"b\": \"1\"\n  }\n}\n",
                "{\n  \"dependencies\": {\n    \"a\": \"*\",\n    \"b\": \"1\"\n  }\n}\n",
            ),
        ] {
            assert_eq!(with_dependencies(before, &["a"]).as_deref(), Some(after));
        }
        assert_eq!(
            with_dependencies("{\"keywords\": [\"dependencies\"], \"scripts\": {}, \"dependencies\": {}}", &["a"]),
            None
        );
        assert_eq!(with_dependencies("not json", &["a"]), None);
    }
}
