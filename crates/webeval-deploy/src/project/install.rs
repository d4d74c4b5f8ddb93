//! Fetching what an app depends on, once for everything that is given again.
//!
//! Packages are installed into a store of ours, under a name made from everything that decides what is installed. The
//! folders of packages are then mounted, read-only, where the app expects them. So the second deployment of an app
//! installs nothing, and nothing that an app does reaches the packages of another one.

use std::path::{Path, PathBuf};

use serde_json::json;
use sha2::{Digest, Sha256};
use webeval_evidence::{DeployFailure, FailureOwner, StepKind};

use super::failure;
use super::manager::{Kind, Manager};
use super::{Site, Stop};
use crate::Error;
use crate::detect::Package;
use crate::sandbox::{Job, Mount, open_up};

/// Folders inside of `node_modules` that tools write to while they build.
const SCRATCH: &[&str] = &[".cache", ".vite", ".vite-temp", ".astro", ".tmp", ".nuxt", ".prisma"];
/// Settings of a project's `.npmrc` that are kept: those that decide what is installed, not from where or by what.
const SETTINGS: &[&str] = &[
    "legacy-peer-deps",
    "strict-peer-deps",
    "strict-peer-dependencies",
    "auto-install-peers",
    "shamefully-hoist",
    "public-hoist-pattern[]",
    "public-hoist-pattern",
    "hoist",
    "hoist-pattern[]",
    "node-linker",
    "save-exact",
    "resolution-mode",
    "install-links",
    "force",
];

/// Packages that are there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packages {
    store: PathBuf,
    /// Folders that hold a `node_modules`, within the app.
    folders: Vec<String>,
    /// Folders of package managers, as jobs name them.
    pub(crate) path: Vec<String>,
    pub(crate) tools: Vec<Mount>,
    /// Whether they were copied into the staged app, where commands can change them.
    copied: bool,
}

impl Packages {
    /// What a job of the app has to see of them.
    pub(crate) fn mounts(&self, site: &Site) -> Result<Vec<Mount>, Error> {
        let mut mounts = self.tools.clone();
        if self.copied {
            return Ok(mounts);
        }
        for (number, folder) in self.folders.iter().enumerate() {
            let to = site.sandbox.in_app(&site.stage, &join(folder, "node_modules"));
            let from = self.store.join("app").join(folder).join("node_modules");
            mounts.push(Mount { from: from.clone(), to: to.clone(), writable: false });
            for name in SCRATCH.iter().filter(|name| from.join(name).is_dir()) {
                let scratch = site.work.join("scratch").join(number.to_string()).join(name);
                std::fs::create_dir_all(&scratch).map_err(Error::io("create", &scratch))?;
                site.sandbox.hand_over(&scratch)?;
                mounts.push(Mount { from: scratch, to: format!("{to}/{name}"), writable: true });
            }
        }
        Ok(mounts)
    }

    /// Copies them into the staged app, for tools that write to them and where nothing can be mounted.
    pub(crate) async fn copy_in(&mut self, site: &Site) -> Result<(), Error> {
        if self.copied {
            return Ok(());
        }
        for folder in &self.folders {
            let from = self.store.join("app").join(folder).join("node_modules");
            let to = site.stage.join(folder).join("node_modules");
            // An empty one may have been left behind by a mount.
            let _ = std::fs::remove_dir_all(&to);
            let status = tokio::process::Command::new("cp").arg("-a").arg("--reflink=auto").args([&from, &to]).status();
            let status = status.await.map_err(Error::io("copy", &from))?;
            if !status.success() {
                return Err(Error::io("copy", &from)(std::io::Error::other(format!("cp ended with {status}"))));
            }
            site.sandbox.hand_over(&to)?;
        }
        self.copied = true;
        Ok(())
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Installs what the app depends on, or finds that it is there already.
pub(crate) async fn install(site: &mut Site, asked: &[String]) -> Result<Packages, Stop> {
    let workspace = site.detected.workspace.clone();
    let Some(package) = Package::read(&site.stage, &workspace) else { return Ok(Packages::default()) };
    let is_workspace = !package.workspaces(&site.stage).is_empty();
    if package.dependencies().next().is_none() && !is_workspace && asked.is_empty() {
        return Ok(Packages::default());
    }
    let manager = Manager::of(&site.stage.join(&workspace), &package);
    let needed = needed(site, &workspace, &package)?;
    if let Kind::Other(name) = manager.kind {
        site.notes
            .push(format!("{name} is not supported: npm installs what package.json asks for, without the lock file"));
    }
    let key = key(&site.stage, &needed, &manager, asked, site.options.scripts)?;
    let store = site.options.cache.join("packages").join(&key);
    if !store.join("done.json").is_file() {
        fill(site, &store, &needed, &manager, asked).await?;
    } else {
        site.notes.push(format!("packages from the cache, installed by an earlier `{}`", earlier(&store)));
    }
    let mut packages = Packages { folders: folders(&store.join("app")), store, ..Packages::default() };
    if let Some(spec) = &manager.package {
        (packages.path, packages.tools) = tool(site, spec).await?;
    }
    if !site.sandbox.is_confined() {
        packages.copy_in(site).await?;
    }
    Ok(packages)
}

fn earlier(store: &Path) -> String {
    let text = std::fs::read_to_string(store.join("done.json")).unwrap_or_default();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    json["command"].as_str().unwrap_or("install").to_owned()
}

/// The files that decide what is installed, by their paths in the app, and their text.
fn needed(site: &Site, workspace: &str, package: &Package) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let mut paths = vec![join(workspace, "package.json"), join(workspace, "pnpm-workspace.yaml")];
    for name in ["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", ".yarnrc"] {
        paths.push(join(workspace, name));
    }
    let members = if package.workspaces(&site.stage).is_empty() { Vec::new() } else { Package::all(&site.stage) };
    let within = |folder: &str| workspace.is_empty() || folder.starts_with(&format!("{workspace}/"));
    paths.extend(members.iter().filter(|one| within(&one.folder)).map(|one| join(&one.folder, "package.json")));
    // Packages that lie in the app itself.
    for (_, range) in package.dependencies() {
        let local = ["file:", "link:", "portal:"].iter().find_map(|prefix| range.strip_prefix(prefix));
        let Some(local) = local.and_then(|path| crate::input::inside(Path::new(workspace), path)) else { continue };
        let found = walkdir::WalkDir::new(site.stage.join(&local)).sort_by_file_name().into_iter();
        let found = found.filter_entry(|entry| entry.file_name() != "node_modules").filter_map(Result::ok);
        for entry in found.filter(|entry| entry.file_type().is_file()).take(1000) {
            paths.push(crate::detect::slashed(&crate::detect::relative(&site.stage, entry.path())));
        }
    }
    paths.sort();
    paths.dedup();
    let mut files = Vec::new();
    for path in paths {
        let full = site.stage.join(&path);
        if full.is_file() {
            files.push((path, std::fs::read(&full).map_err(Error::io("read", &full))?));
        }
    }
    if let Ok(text) = std::fs::read_to_string(site.stage.join(workspace).join(".npmrc")) {
        files.push((join(workspace, ".npmrc"), harmless(&text).into_bytes()));
    }
    Ok(files)
}

/// A project's settings without those that lead elsewhere or run something.
fn harmless(npmrc: &str) -> String {
    let kept =
        npmrc.lines().filter(|line| line.split_once('=').is_some_and(|(name, _)| SETTINGS.contains(&name.trim())));
    kept.map(|line| format!("{line}\n")).collect()
}

fn key(
    stage: &Path,
    files: &[(String, Vec<u8>)],
    manager: &Manager,
    asked: &[String],
    scripts: bool,
) -> Result<String, Error> {
    let mut hash = Sha256::new();
    hash.update(format!("1 {manager:?} {asked:?} {scripts} {} {}", std::env::consts::ARCH, stage.is_dir()));
    for (path, content) in files {
        hash.update(format!("\n{path} {}\n", content.len()));
        hash.update(content);
    }
    Ok(hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect())
}

/// All folders with a `node_modules`, the outermost of each path.
fn folders(app: &Path) -> Vec<String> {
    let walk = walkdir::WalkDir::new(app).sort_by_file_name().into_iter();
    let mut found = Vec::new();
    let mut walk = walk;
    while let Some(entry) = walk.next() {
        let Ok(entry) = entry else { continue };
        if entry.file_type().is_dir() && entry.file_name() == "node_modules" {
            walk.skip_current_dir();
            let folder = entry.path().parent().unwrap_or(app);
            found.push(crate::detect::slashed(&crate::detect::relative(app, folder)));
        }
    }
    found
}

/// Installs into a new folder of the store, which gets its name when everything is there.
async fn fill(
    site: &mut Site,
    store: &Path,
    files: &[(String, Vec<u8>)],
    manager: &Manager,
    asked: &[String],
) -> Result<(), Stop> {
    let parent = site.options.cache.join("packages");
    std::fs::create_dir_all(&parent).map_err(Error::io("create", &parent))?;
    let partial = tempfile::Builder::new().prefix(".partial-").tempdir_in(&parent);
    let partial = partial.map_err(Error::io("create a folder in", &parent))?;
    let app = partial.path().join("app");
    let (path, tools) = match &manager.package {
        Some(spec) => tool(site, spec).await?,
        None => Default::default(),
    };
    let mut commands: Vec<String> = asked.to_vec();
    commands.extend(manager.commands().into_iter().map(str::to_owned));
    commands.dedup();
    let mut last = None;
    for command in commands {
        // Each try begins with what the app came with.
        let _ = std::fs::remove_dir_all(&app);
        write_files(&app, files)?;
        site.sandbox.share(&app)?;
        let job = Job {
            line: command.clone(),
            app: app.clone(),
            folder: site.detected.workspace.clone(),
            mounts: [tools.clone(), vec![cache(site)?]].concat(),
            env: registry_env(site, command.starts_with("pnpm")).await,
            path: path.clone(),
            network: true,
            shared: true,
            time: site.options.limits.install,
        };
        let ended = site.run(StepKind::Install, &job).await?;
        if ended.is_success() {
            run_scripts(site, &app, &job).await?;
            finish(site, partial, store, &command)?;
            return Ok(());
        }
        let failure = failure::of_install(&ended);
        let hopeless = failure.whose == FailureOwner::Environment || matches!(failure.kind.as_str(), "no-such-package");
        last = Some(failure);
        if hopeless {
            break;
        }
    }
    Err(last.unwrap_or_else(nothing_tried).into())
}

fn nothing_tried() -> DeployFailure {
    DeployFailure {
        kind: "install".into(),
        message: "there was nothing to install with".into(),
        whose: FailureOwner::Tool,
    }
}

/// Runs the packages' own install scripts, when they were asked for: with everything there, and without the network.
async fn run_scripts(site: &mut Site, app: &Path, install: &Job) -> Result<(), Stop> {
    if !site.options.scripts {
        return Ok(());
    }
    let mut env = install.env.clone();
    env.retain(|(name, _)| name != "npm_config_ignore_scripts");
    env.push(("npm_config_offline".to_owned(), "true".to_owned()));
    // That they are to run has been decided already.
    env.push(("npm_config_dangerously_allow_all_scripts".to_owned(), "true".to_owned()));
    let job = Job {
        line: "npm rebuild".to_owned(),
        app: app.to_owned(),
        mounts: Vec::new(),
        env,
        network: false,
        ..install.clone()
    };
    let ended = site.run(StepKind::Install, &job).await?;
    if !ended.is_success() {
        site.notes.push("install scripts of packages failed; the app is tried without what they do".to_owned());
    }
    Ok(())
}

fn write_files(app: &Path, files: &[(String, Vec<u8>)]) -> Result<(), Error> {
    for (path, content) in files {
        let path = app.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
        }
        std::fs::write(&path, content).map_err(Error::io("write", &path))?;
    }
    Ok(())
}

/// Makes the folders that tools will want to write to, and puts the whole under its name.
fn finish(site: &Site, partial: tempfile::TempDir, store: &Path, command: &str) -> Result<(), Error> {
    for folder in folders(&partial.path().join("app")) {
        let modules = partial.path().join("app").join(folder).join("node_modules");
        for name in SCRATCH {
            let path = modules.join(name);
            std::fs::create_dir_all(&path).map_err(Error::io("create", &path))?;
        }
    }
    site.sandbox.share(&partial.path().join("app"))?;
    let done = partial.path().join("done.json");
    std::fs::write(&done, json!({"command": command}).to_string()).map_err(Error::io("write", &done))?;
    let partial = partial.keep();
    open_up(&partial, 0o755)?;
    match std::fs::rename(&partial, store) {
        Ok(()) => Ok(()),
        // Somebody else was quicker with the same packages.
        Err(_) if store.join("done.json").is_file() => {
            let _ = std::fs::remove_dir_all(&partial);
            Ok(())
        }
        Err(error) => Err(Error::io("rename", &partial)(error)),
    }
}

/// npm's own store of downloads, which it keeps by content.
fn cache(site: &Site) -> Result<Mount, Error> {
    let from = site.options.cache.join("downloads");
    if !from.is_dir() {
        std::fs::create_dir_all(&from).map_err(Error::io("create", &from))?;
        site.sandbox.share(&from)?;
    }
    Ok(Mount { to: site.sandbox.at(&from, "/downloads"), from, writable: true })
}

/// Where packages come from, by npm's own configuration, and how installs are to behave.
async fn registry_env(site: &Site, pnpm: bool) -> Vec<(String, String)> {
    let downloads = site.sandbox.at(&site.options.cache.join("downloads"), "/downloads");
    let mut env = vec![
        ("npm_config_cache", downloads.clone()),
        ("YARN_CACHE_FOLDER", format!("{downloads}/yarn")),
        ("npm_config_ignore_scripts", "true".to_owned()),
        ("npm_config_audit", "false".to_owned()),
        ("npm_config_fund", "false".to_owned()),
        ("npm_config_update_notifier", "false".to_owned()),
        ("npm_config_prefer_offline", "true".to_owned()),
        ("npm_config_progress", "false".to_owned()),
        ("npm_config_include", "dev".to_owned()),
        // A lock file must not decide which host is asked.
        ("npm_config_replace_registry_host", "always".to_owned()),
    ];
    if pnpm {
        env.push(("npm_config_store_dir", format!("{downloads}/pnpm")));
        env.push(("npm_config_manage_package_manager_versions", "false".to_owned()));
    }
    if let Some(registry) = registry().await {
        env.push(("YARN_REGISTRY", registry.clone()));
        env.push(("npm_config_registry", registry));
    }
    let mut env: Vec<_> = env.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    // How to get out to the network at all, where that takes something.
    for name in [
        "NODE_EXTRA_CA_CERTS",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "http_proxy",
        "https_proxy",
        "no_proxy",
    ] {
        if let Ok(value) = std::env::var(name) {
            env.push((name.to_owned(), value));
        }
    }
    env
}

async fn registry() -> Option<String> {
    let output = tokio::process::Command::new("npm").args(["config", "get", "registry"]).output().await.ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|url| url.starts_with("http"))
}

/// Fetches a package manager, once.
async fn tool(site: &mut Site, spec: &str) -> Result<(Vec<String>, Vec<Mount>), Stop> {
    let parent = site.options.cache.join("tools");
    let name = spec.replace(['/', ' '], "_");
    let folder = parent.join(&name);
    if !folder.is_dir() {
        std::fs::create_dir_all(&parent).map_err(Error::io("create", &parent))?;
        let partial = tempfile::Builder::new().prefix(".partial-").tempdir_in(&parent);
        let partial = partial.map_err(Error::io("create a folder in", &parent))?;
        write_files(partial.path(), &[("package.json".to_owned(), b"{}".to_vec())])?;
        site.sandbox.share(partial.path())?;
        let job = Job {
            line: format!("npm install {spec}"),
            app: partial.path().to_owned(),
            folder: String::new(),
            mounts: vec![cache(site)?],
            env: registry_env(site, false).await,
            path: Vec::new(),
            network: true,
            shared: true,
            time: site.options.limits.install,
        };
        let ended = site.run(StepKind::Install, &job).await?;
        if !ended.is_success() {
            return Err(failure::of_install(&ended).into());
        }
        let partial = partial.keep();
        open_up(&partial, 0o755)?;
        if std::fs::rename(&partial, &folder).is_err() {
            let _ = std::fs::remove_dir_all(&partial);
        }
    }
    let to = site.sandbox.at(&folder, "/tools");
    let path = vec![format!("{to}/node_modules/.bin")];
    Ok((path, vec![Mount { from: folder, to, writable: false }]))
}
