//! Fetching what an app depends on, once for everything that is given again.
//!
//! Packages are installed into a store of ours, under a name made from everything that decides what is installed. The
//! folders of packages are then mounted, read-only, where the app expects them. So the second deployment of an app
//! installs nothing, and nothing that an app does reaches the packages of another one.

use std::path::{Path, PathBuf};

use serde_json::json;
use sha2::{Digest, Sha256};
use webeval_evidence::{DeployFailure, FailureOwner, StepKind};

use super::manager::{Kind, Manager, runs_bun};
use super::tools::{self, Tool, Tools, downloads, registry_env};
use super::{Site, Stop, failure, node, settings};
use crate::Error;
use crate::detect::Package;
use crate::sandbox::{Job, Mount, open_up};

/// Folders inside of `node_modules` that tools write to while they build.
const SCRATCH: &[&str] = &[".cache", ".vite", ".vite-temp", ".astro", ".tmp", ".nuxt", ".prisma"];
/// Files that say which versions are installed.
const LOCKS: &[&str] =
    &["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", ".yarnrc", "bun.lock", "bun.lockb"];
/// Packages that are there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packages {
    store: PathBuf,
    /// Folders that hold a `node_modules`, within the app.
    folders: Vec<String>,
    /// Programs that are there for it.
    pub(crate) tools: Tools,
    /// Whether they were copied into the staged app, where commands can change them.
    copied: bool,
}

impl Packages {
    /// What a job of the app has to see of them.
    pub(crate) fn mounts(&self, site: &Site) -> Result<Vec<Mount>, Error> {
        let mut mounts = self.tools.mounts.clone();
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

    /// Takes away what was copied, before others are installed.
    pub(crate) fn take_out(&self, site: &Site) {
        for folder in self.folders.iter().filter(|_| self.copied) {
            let _ = std::fs::remove_dir_all(site.stage.join(folder).join("node_modules"));
        }
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Installs what the app depends on, or finds that it is there already.
pub(crate) async fn install(site: &mut Site) -> Result<Packages, Stop> {
    if let Some((version, why)) = node::declared(site) {
        tools::use_node(site, &version, &why).await?;
    }
    match install_with(site).await {
        Err(Stop::Failed(failure)) if failure.kind == "node-version" => {
            let version = node::wanted(&failure.message);
            if tools::use_node(site, &version, &failure.message).await? {
                install_with(site).await
            } else {
                Err(failure.into())
            }
        }
        other => other,
    }
}

async fn install_with(site: &mut Site) -> Result<Packages, Stop> {
    let asked = &site.setup.installs.clone();
    let mut tools = Tools::default();
    if let Some(version) = site.node.clone() {
        tools.add(tools::fetch(site, &Tool::node(&version)).await?);
    }
    let workspace = site.detected.workspace.clone();
    let Some(package) = Package::read(&site.stage, &workspace) else {
        return Ok(Packages { tools, ..Packages::default() });
    };
    let mut manager = Manager::of(&site.stage.join(&workspace), &package, site.setup.manager);
    let runs_bun = runs_bun(&package) || site.package().is_some_and(|own| runs_bun(&own));
    let own =
        manager.tool.clone().into_iter().chain((runs_bun && manager.kind != Kind::Bun).then(|| Tool::bun("latest")));
    for tool in own {
        match tools::fetch(site, &tool).await {
            Ok(there) => tools.add(there),
            Err(Stop::Failed(failure)) => {
                site.notes
                    .push(format!("npm stands in for its package manager, which cannot be had: {}", failure.message));
                manager = Manager::NPM;
            }
            Err(fault) => return Err(fault),
        }
    }
    let is_workspace = !package.workspaces(&site.stage).is_empty();
    if package.dependencies().next().is_none() && !is_workspace && asked.is_empty() {
        return Ok(Packages { tools, ..Packages::default() });
    }
    let needed = needed(site, &workspace, &package)?;
    let key = key(site, &needed, &manager, asked)?;
    let store = site.options.cache.join("packages").join(&key);
    if store.join("done.json").is_file() {
        site.notes.push(format!("packages from the cache, installed by an earlier `{}`", earlier(&store)));
    } else {
        fill(site, &store, &needed, &manager, &tools, asked).await?;
    }
    if manager.kind == Kind::Berry {
        berry_leftovers(site, &store)?;
    }
    let mut packages = Packages { folders: folders(&store.join("app")), store, tools, copied: false };
    if !site.sandbox.is_confined() {
        packages.copy_in(site).await?;
    }
    Ok(packages)
}

/// Packages lie in folders, so nothing may look for them in yarn's own archive; and scripts that call yarn need the lock
/// file that belongs to what was installed.
fn berry_leftovers(site: &Site, store: &Path) -> Result<(), Error> {
    let root = site.stage.join(&site.detected.workspace);
    for name in [".pnp.cjs", ".pnp.js", ".pnp.data.json", ".pnp.loader.mjs"] {
        let _ = std::fs::remove_file(root.join(name));
    }
    let (from, to) = (store.join("app").join(&site.detected.workspace).join("yarn.lock"), root.join("yarn.lock"));
    if from.is_file() {
        std::fs::copy(&from, &to).map_err(Error::io("copy", &from))?;
        site.sandbox.hand_over(&to)?;
    }
    Ok(())
}

fn earlier(store: &Path) -> String {
    let text = std::fs::read_to_string(store.join("done.json")).unwrap_or_default();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    json["command"].as_str().unwrap_or("install").to_owned()
}

/// The files that decide what is installed, by their paths in the app, and their text.
fn needed(site: &Site, workspace: &str, package: &Package) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let mut paths = vec![join(workspace, "package.json"), join(workspace, "pnpm-workspace.yaml")];
    for name in LOCKS {
        paths.push(join(workspace, name));
    }
    let members = if package.workspaces(&site.stage).is_empty() { Vec::new() } else { Package::all(&site.stage) };
    let within = |folder: &str| workspace.is_empty() || folder.starts_with(&format!("{workspace}/"));
    paths.extend(members.iter().filter(|one| within(&one.folder)).map(|one| join(&one.folder, "package.json")));
    // Patches that yarn or pnpm lays over packages.
    for folder in [".yarn/patches", "patches"] {
        let found = walkdir::WalkDir::new(site.stage.join(workspace).join(folder)).sort_by_file_name().into_iter();
        for entry in found.filter_map(Result::ok).filter(|entry| entry.file_type().is_file()).take(1000) {
            paths.push(crate::detect::slashed(&crate::detect::relative(&site.stage, entry.path())));
        }
    }
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
        files.push((join(workspace, ".npmrc"), settings::of_npm(&text).into_bytes()));
    }
    if let Ok(text) = std::fs::read_to_string(site.stage.join(workspace).join(".yarnrc.yml")) {
        files.push((join(workspace, ".yarnrc.yml"), settings::of_yarn(&text).into_bytes()));
    }
    Ok(files)
}

fn key(site: &Site, files: &[(String, Vec<u8>)], manager: &Manager, asked: &[String]) -> Result<String, Error> {
    let mut hash = Sha256::new();
    let (scripts, node) = (site.options.scripts, &site.node);
    hash.update(format!("2 {manager:?} {asked:?} {scripts} {node:?} {}", std::env::consts::ARCH));
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
    tools: &Tools,
    asked: &[String],
) -> Result<(), Stop> {
    let parent = site.options.cache.join("packages");
    std::fs::create_dir_all(&parent).map_err(Error::io("create", &parent))?;
    let partial = tempfile::Builder::new().prefix(".partial-").tempdir_in(&parent);
    let partial = partial.map_err(Error::io("create a folder in", &parent))?;
    let app = partial.path().join("app");
    let mut commands = manager.commands(asked);
    commands.dedup();
    let mut last = None;
    for command in commands {
        // Each try begins with what the app came with.
        let _ = std::fs::remove_dir_all(&app);
        write_files(&app, files)?;
        site.sandbox.share(&app)?;
        let downloads = downloads(site)?;
        let mut env = registry_env(site).await;
        if command.starts_with("pnpm") {
            env.push(("npm_config_store_dir".to_owned(), format!("{}/pnpm", downloads.to)));
            env.push(("npm_config_manage_package_manager_versions".to_owned(), "false".to_owned()));
        }
        let job = Job {
            line: command.clone(),
            app: app.clone(),
            folder: site.detected.workspace.clone(),
            mounts: [tools.mounts.clone(), vec![downloads]].concat(),
            env,
            path: tools.path.clone(),
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
    let mut mounts = install.mounts.clone();
    mounts.retain(|mount| !mount.writable);
    let job =
        Job { line: "npm rebuild".to_owned(), app: app.to_owned(), mounts, env, network: false, ..install.clone() };
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
