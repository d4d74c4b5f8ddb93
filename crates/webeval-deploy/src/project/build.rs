//! Making what is served.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::SystemTime;

use webeval_evidence::StepKind;

use super::install::Packages;
use super::{Site, repair, stays_inside, used_members};
use crate::Error;
use crate::detect::{Framework, Package, has_word, slashed};
use crate::sandbox::{Ended, Job};

/// Most repairs of one build.
const REPAIRS: usize = 4;

/// What is to be run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// Type checks and linters, whose failure stops nothing.
    checks: Vec<String>,
    /// The build; none for a server that runs from its sources.
    build: Option<String>,
    /// What its instructions say instead, which is tried first.
    instructed: Option<String>,
}

/// What came of it.
pub(crate) enum Built {
    /// Folders with a first page that were not there before, the likeliest first.
    Yes(Vec<PathBuf>),
    No(Ended),
}

impl Plan {
    /// By the build script, taken apart where that can be done.
    pub(crate) fn of(site: &Site) -> Self {
        let package = site.package();
        let script = |name: &str| package.as_ref().and_then(|package| package.script(name)).map(str::to_owned);
        let own = tool(site.detected.framework);
        let instructed = site.setup.build.clone();
        let Some(build) = script("build") else {
            return Self { checks: Vec::new(), build: own.map(str::to_owned), instructed };
        };
        // What create-vue writes: `run-p type-check "build-only {@}" --`.
        if let (true, Some(only)) = (build.starts_with("run-p"), script("build-only")) {
            return Self { checks: script("type-check").into_iter().collect(), build: Some(only), instructed };
        }
        let whole =
            || Self { build: Some("npm run build".to_owned()), instructed: instructed.clone(), ..Self::default() };
        let Some(parts) = parts(&build) else { return whole() };
        let emits = own.is_none();
        let (checks, commands): (Vec<&str>, Vec<&str>) = parts.into_iter().partition(|part| is_check(part, emits));
        if commands.is_empty() || script("prebuild").is_some() || script("postbuild").is_some() {
            return whole();
        }
        let checks = checks.into_iter().map(str::to_owned).collect();
        Self { checks, build: Some(commands.join(" && ")), instructed }
    }
}

/// How bundlers are told to write source maps.
const SOURCE_MAPS: [(&str, &str); 3] =
    [("vite build", "--sourcemap"), ("ng build", "--source-map"), ("webpack", "--devtool source-map")];

impl Plan {
    /// The same build by another configuration of Vite; none where Vite is not called by the command itself, or has been told
    /// of a configuration.
    pub(crate) fn with_vite_config(&self, config: &str) -> Option<Self> {
        let build = self.build.as_ref()?;
        let told = |command: &str| {
            let words: Vec<&str> = command.split_whitespace().collect();
            let other = words.iter().any(|word| *word == "-c" || word.starts_with("--config"));
            (words.starts_with(&["vite", "build"]) && !other).then(|| format!("{command} --config {config}"))
        };
        let commands = parts(build)?;
        commands.iter().any(|command| told(command).is_some()).then(|| {
            let commands: Vec<String> =
                commands.iter().map(|command| told(command).unwrap_or_else(|| (*command).to_owned())).collect();
            Self { build: Some(commands.join(" && ")), ..Self::default() }
        })
    }

    /// The same build with source maps; none where its bundler is not known, or not called by the command itself.
    pub(crate) fn with_source_maps(&self) -> Option<Self> {
        let build = self.build.as_ref()?;
        let told: Vec<String> = parts(build)?
            .into_iter()
            .map(|command| {
                let found = SOURCE_MAPS.iter().find(|(tool, flag)| {
                    let called = command == *tool || command.starts_with(&format!("{tool} "));
                    called && !command.contains(flag.split(' ').next().unwrap_or(flag))
                });
                found.map_or_else(|| command.to_owned(), |(_, flag)| format!("{command} {flag}"))
            })
            .collect();
        let told = told.join(" && ");
        (told != *build).then(|| Self { build: Some(told), ..Self::default() })
    }
}

/// Names of scripts that check an app and change nothing of it.
const CHECKS: [&str; 7] = ["lint", "typecheck", "type-check", "check-types", "check", "test", "test:unit"];

/// The checks that the app declares beside its build, as commands.
fn declared_checks(package: &Package) -> Vec<String> {
    let declared = CHECKS.iter().filter_map(|name| package.script(name));
    // What `npm init` writes is no test.
    declared.filter(|line| !line.contains("no test specified")).map(str::to_owned).collect()
}

/// The command that a framework is built with.
fn tool(framework: Framework) -> Option<&'static str> {
    Some(match framework {
        Framework::Vite | Framework::SvelteKit => "vite build",
        Framework::Next => "next build",
        Framework::CreateReactApp => "react-scripts build",
        Framework::Astro => "astro build",
        Framework::Nuxt => "nuxt build",
        Framework::Angular => "ng build",
        _ => return None,
    })
}

/// The commands of a script that are joined by `&&` and nothing else.
fn parts(script: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = script.split("&&").map(str::trim).collect();
    let plain = |part: &&str| !part.is_empty() && !part.contains(['|', ';', '&', '(', '`', '$', '<', '>']);
    parts.iter().all(plain).then_some(parts)
}

/// Whether a command only looks at the code. Where no bundler follows, a compiler makes what is served.
fn is_check(command: &str, emits: bool) -> bool {
    let lints = ["eslint", "biome", "prettier", "oxlint", "stylelint"].iter().any(|tool| has_word(command, tool));
    let types = has_word(command, "tsc") && (!emits || command.contains("--noEmit"));
    let others = ["vue-tsc", "svelte-check"].iter().any(|tool| has_word(command, tool));
    lints || types || others || command.starts_with("astro check")
}

/// Settings that keep tools from asking, phoning and failing over style.
pub(crate) fn env() -> Vec<(String, String)> {
    let settings = [
        ("NEXT_TELEMETRY_DISABLED", "1"),
        ("ASTRO_TELEMETRY_DISABLED", "1"),
        ("NUXT_TELEMETRY_DISABLED", "1"),
        ("NG_CLI_ANALYTICS", "false"),
        ("DISABLE_ESLINT_PLUGIN", "true"),
        ("NEXT_IGNORE_INCORRECT_LOCKFILE", "1"),
        ("NX_DAEMON", "false"),
        ("TURBO_TELEMETRY_DISABLED", "1"),
        ("BROWSER", "none"),
        ("npm_config_offline", "true"),
        ("npm_config_update_notifier", "false"),
        ("COREPACK_ENABLE_DOWNLOAD_PROMPT", "0"),
        // For scripts that call yarn: the one that is there, on the packages that are there.
        ("YARN_IGNORE_PATH", "true"),
        ("YARN_NODE_LINKER", "node-modules"),
        ("YARN_ENABLE_TELEMETRY", "false"),
        ("YARN_GLOBAL_FOLDER", "/tmp/yarn"),
        ("NODE_OPTIONS", "--max-old-space-size=3072"),
    ];
    settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

/// Runs the checks on the app as it was given.
pub(crate) async fn check(site: &mut Site, plan: &Plan, packages: &Packages) -> Result<(), Error> {
    let mut checks = plan.checks.clone();
    if site.options.declared_checks {
        let declared = site.package().map(|package| declared_checks(&package)).unwrap_or_default();
        checks.extend(declared.into_iter().filter(|check| !plan.checks.contains(check)));
    }
    for check in &checks {
        // Test runners watch the files unless they are told that nobody is there.
        let mut env = env();
        env.push(("CI".to_owned(), "true".to_owned()));
        let job = site.job(check, packages, env)?;
        let ended = site.run(StepKind::Check, &job).await?;
        if !ended.is_success() {
            site.notes.push(format!("`{check}` fails; that alone does not keep the app from being built"));
        }
    }
    Ok(())
}

/// Runs the build, with repairs of what surrounds the app.
pub(crate) async fn build(site: &mut Site, plan: &Plan, packages: &mut Packages) -> Result<Built, Error> {
    if let Some(ended) = build_members(site, packages).await? {
        return Ok(Built::No(ended));
    }
    if let Some(line) = plan.instructed.as_ref().filter(|line| plan.build.as_ref() != Some(*line)) {
        let built = run_build(site, line, packages).await?;
        if matches!(built, Built::Yes(_)) {
            return Ok(built);
        }
        site.note(format!("`{line}`, which its instructions say to run, does not build it; what is detected decides"));
    }
    match &plan.build {
        Some(line) => run_build(site, line, packages).await,
        None => Ok(Built::Yes(Vec::new())),
    }
}

async fn run_build(site: &mut Site, line: &str, packages: &mut Packages) -> Result<Built, Error> {
    let before = first_pages(site);
    let mut extra: Vec<(String, String)> = Vec::new();
    let mut tries = 0;
    loop {
        let mut env = env();
        env.extend(extra.iter().cloned());
        let job = site.job(line, packages, env)?;
        let ended = site.run(StepKind::Build, &job).await?;
        if ended.is_success() {
            break;
        }
        tries += 1;
        if tries > REPAIRS {
            return Ok(Built::No(ended));
        }
        if ended.tail.contains("EROFS") {
            site.notes.push("the build writes to its packages, so it got a copy of them".to_owned());
            packages.copy_in(site).await?;
        } else if let Some(settings) = repair::find(site, &ended)? {
            extra.extend(settings);
        } else {
            return Ok(Built::No(ended));
        }
    }
    let mut made: Vec<PathBuf> = first_pages(site)
        .into_iter()
        .filter(|(path, time)| before.get(path) != Some(time))
        .filter_map(|(path, _)| path.parent().map(PathBuf::from))
        .collect();
    made.sort_by_key(|path| (path.components().count(), path.clone()));
    made.dedup();
    Ok(Built::Yes(made))
}

/// Builds the packages of the workspace that the app uses and that are of no use before. Gives the first that fails.
async fn build_members(site: &mut Site, packages: &Packages) -> Result<Option<Ended>, Error> {
    for folder in used_members(site) {
        let Some(package) = Package::read(&site.stage, &folder) else { continue };
        let entries = ["main", "module", "types"].iter().filter_map(|field| package.text(field));
        let lacks = entries.into_iter().any(|entry| !site.stage.join(&folder).join(entry).exists());
        let exports = package.get("exports").is_some_and(|all| all.to_string().contains("dist/"));
        if package.script("build").is_none() || !(lacks || exports) {
            continue;
        }
        let job = Job { folder: folder.clone(), ..site.job("npm run build", packages, env())? };
        let ended = site.run(StepKind::Build, &job).await?;
        if !ended.is_success() {
            return Ok(Some(ended));
        }
    }
    Ok(None)
}

/// Pages that an app could begin with, and when they were written. What a framework keeps for itself is left out.
fn first_pages(site: &Site) -> BTreeMap<PathBuf, Option<SystemTime>> {
    let root = site.stage.join(&site.detected.folder);
    let kept = |entry: &walkdir::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() == 0 || !(name == "node_modules" || (name.starts_with('.') && name != ".output"))
    };
    let walk = walkdir::WalkDir::new(&root).max_depth(6).into_iter().filter_entry(kept).filter_map(Result::ok);
    let pages = walk.filter(|entry| {
        let name = entry.file_name().to_string_lossy();
        entry.file_type().is_file() && matches!(name.as_ref(), "index.html" | "index.csr.html" | "200.html")
    });
    let pages = pages.filter(|entry| stays_inside(entry.path(), &site.stage));
    pages.map(|entry| (entry.path().to_owned(), entry.metadata().ok().and_then(|meta| meta.modified().ok()))).collect()
}

/// A path for people, within the app.
pub(crate) fn shown(site: &Site, path: &std::path::Path) -> String {
    slashed(path.strip_prefix(&site.stage).unwrap_or(path))
}
