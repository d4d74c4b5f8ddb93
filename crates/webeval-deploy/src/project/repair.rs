//! Repairs of what surrounds an app, never of its own source: each one is recorded with its reason and a diff.

use std::path::Path;

use serde_json::{Value, json};
use webeval_evidence::{CommandStep, StepKind};

use super::Site;
use crate::Error;
use crate::sandbox::Ended;

/// Looks for something that can be repaired after a failed build, does it, and gives settings for the next try.
pub(crate) fn find(site: &mut Site, ended: &Ended) -> Result<Option<Vec<(String, String)>>, Error> {
    let tail = &ended.tail;
    if tail.contains("Inlining of fonts failed") {
        return angular_fonts(site);
    }
    if tail.contains("fonts.googleapis.com") || tail.contains("from Google Fonts") || tail.contains("next/font") {
        return next_fonts(site, tail);
    }
    if tail.contains("environment variable") || tail.contains("is required") {
        return example_env(site);
    }
    Ok(None)
}

pub(super) fn record(site: &mut Site, file: &str, why: &str, before: &str, after: &str) {
    let diff = similar::TextDiff::from_lines(before, after);
    let diff = diff.unified_diff().context_radius(2).header(&format!("a/{file}"), &format!("b/{file}")).to_string();
    site.steps.push(CommandStep {
        kind: StepKind::Repair,
        command: format!("change {file}"),
        exit: Some(0),
        repair: Some(format!("{why}\n{diff}")),
        ..CommandStep::default()
    });
}

/// Angular fetches web fonts to write them into the page; that is switched off for every configuration.
fn angular_fonts(site: &mut Site) -> Result<Option<Vec<(String, String)>>, Error> {
    let path = site.file("angular.json");
    let Ok(before) = std::fs::read_to_string(&path) else { return Ok(None) };
    let Ok(mut config) = serde_json::from_str::<Value>(&before) else { return Ok(None) };
    let optimization = json!({"scripts": true, "styles": {"minify": true, "inlineCritical": true}, "fonts": false});
    let mut changed = false;
    for project in config["projects"].as_object_mut().into_iter().flat_map(|all| all.values_mut()) {
        let targets = if project["architect"].is_object() { "architect" } else { "targets" };
        let build = &mut project[targets]["build"];
        // Without a configuration that is named as the default, the options alone count.
        let mut places: Vec<&mut Value> = vec![];
        let (options, production) = split(build);
        places.extend(options);
        places.extend(production.filter(|settings| settings["optimization"] == json!(true)));
        for settings in places {
            if settings["optimization"]["fonts"] != json!(false) {
                settings["optimization"] = optimization.clone();
                changed = true;
            }
        }
    }
    if !changed {
        return Ok(None);
    }
    let after = serde_json::to_string_pretty(&config).unwrap_or_default() + "\n";
    write(&path, &after)?;
    // The layout of the file would drown the change.
    let before = serde_json::from_str::<Value>(&before).ok().and_then(|old| serde_json::to_string_pretty(&old).ok());
    record(
        site,
        "angular.json",
        "it fetches web fonts while it is built",
        &(before.unwrap_or_default() + "\n"),
        &after,
    );
    Ok(Some(Vec::new()))
}

/// The options of an Angular build, and those of its production configuration.
fn split(build: &mut Value) -> (Option<&mut Value>, Option<&mut Value>) {
    let (mut options, mut production) = (None, None);
    for (name, value) in build.as_object_mut().into_iter().flatten() {
        match name.as_str() {
            "options" => options = Some(value),
            "configurations" => production = value.get_mut("production"),
            _ => {}
        }
    }
    (options.filter(|value| value.is_object()), production.filter(|value| value.is_object()))
}

/// Next.js takes the style sheets of web fonts from a file, when it is told to.
fn next_fonts(site: &mut Site, tail: &str) -> Result<Option<Vec<(String, String)>>, Error> {
    let path = site.file("webeval-fonts.cjs");
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    let mut urls: Vec<String> = before
        .lines()
        .filter_map(|line| line.trim().strip_prefix("\"")?.split_once('"'))
        .map(|(url, _)| url.to_owned())
        .collect();
    let known = urls.len();
    for piece in tail.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | '<' | '>')) {
        let url = piece.trim_end_matches(['.', ',', ':']);
        if url.starts_with("https://fonts.googleapis.com/css") && !urls.contains(&url.to_owned()) {
            urls.push(url.to_owned());
        }
    }
    if !before.is_empty() && urls.len() == known {
        return Ok(None);
    }
    let families: Vec<String> = urls.iter().map(|url| family(url)).collect();
    let entries: Vec<String> =
        urls.iter().zip(&families).map(|(url, family)| format!("  {}: face({}),", json!(url), json!(family))).collect();
    let after = format!(
        "const face = (family) => `@font-face {{ font-family: '${{family}}'; font-style: normal; font-weight: 100 900; font-display: swap; src: local('${{family}}'); }}`;\n\
         const known = {{\n{}\n}};\n\
         module.exports = new Proxy(known, {{ get: (all, url) => all[url] ?? (typeof url === 'string' && url.startsWith('https:') ? face((/family=([^:&]+)/.exec(url) || [])[1]?.replaceAll('+', ' ') ?? 'sans-serif') : undefined) }});\n",
        entries.join("\n")
    );
    write(&path, &after)?;
    record(
        site,
        "webeval-fonts.cjs",
        "it fetches web fonts while it is built; fallback fonts stand in for them",
        &before,
        &after,
    );
    let inside = site.sandbox.in_app(&site.stage, &super::build::shown(site, &path));
    Ok(Some(vec![("NEXT_FONT_GOOGLE_MOCKED_RESPONSES".to_owned(), inside)]))
}

fn family(url: &str) -> String {
    let family = url.split("family=").nth(1).unwrap_or("sans-serif");
    family.split([':', '&']).next().unwrap_or_default().replace('+', " ")
}

/// Values from the example that came with the app.
pub(super) fn example_env(site: &mut Site) -> Result<Option<Vec<(String, String)>>, Error> {
    let path = site.file(".env");
    if path.exists() {
        return Ok(None);
    }
    let examples = [".env.example", ".env.template", ".env.sample", ".env.default", "env.example"];
    let found = examples.iter().find_map(|name| Some((name, std::fs::read_to_string(site.file(name)).ok()?)));
    let Some((name, text)) = found else { return Ok(None) };
    write(&path, &text)?;
    record(site, ".env", &format!("it needs environment variables; {name} says which"), "", &text);
    Ok(Some(Vec::new()))
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(Error::io("write", path))
}
