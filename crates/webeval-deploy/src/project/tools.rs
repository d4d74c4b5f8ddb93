//! Programs that an app needs and that are not there: package managers, and other versions of Node.js. Each is fetched
//! from the package registry once, and then lies beside the packages.

use std::path::Path;

use webeval_evidence::{CommandStep, StepKind};

use super::{Site, Stop, failure};
use crate::Error;
use crate::sandbox::{Job, Mount, open_up};

/// A program that a package brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tool {
    /// Package and version.
    spec: String,
    /// Names that the program is called by, and where it lies in the packages, when the package itself does not say so.
    links: Vec<(&'static str, String)>,
}

/// Tools that are there: the folders of their programs, as jobs name them, and what has to be mounted for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tools {
    pub(crate) path: Vec<String>,
    pub(crate) mounts: Vec<Mount>,
}

impl Tools {
    pub(crate) fn add(&mut self, other: Self) {
        self.path.extend(other.path);
        self.mounts.extend(other.mounts);
    }
}

impl Tool {
    /// A package whose `bin` names its programs.
    pub(crate) fn package(name: &str, version: &str) -> Self {
        Self { spec: format!("{name}@{version}"), links: Vec::new() }
    }

    /// Whether its version begins so.
    pub(crate) fn is_version(&self, start: &str) -> bool {
        self.spec.rsplit('@').next().is_some_and(|version| version.split('.').next() == Some(start))
    }

    /// bun, from the package for this machine: the one called `bun` only fetches that by its install script.
    pub(crate) fn bun(version: &str) -> Self {
        let machine = if cfg!(target_arch = "aarch64") {
            "aarch64"
        } else if has_avx2() {
            "x64"
        } else {
            "x64-baseline"
        };
        let name = format!("@oven/bun-linux-{machine}");
        let program = format!("{name}/bin/bun");
        Self { spec: format!("{name}@{version}"), links: vec![("bun", program.clone()), ("bunx", program)] }
    }

    /// Node.js, from the package for this machine.
    pub(crate) fn node(version: &str) -> Self {
        let machine = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
        Self::package(&format!("node-linux-{machine}"), version)
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

/// Fetches a tool, when it is not there yet.
pub(crate) async fn fetch(site: &mut Site, tool: &Tool) -> Result<Tools, Stop> {
    let parent = site.options.cache.join("tools");
    let name = tool.spec.replace(['/', ' '], "_");
    let folder = parent.join(&name);
    if !folder.is_dir() {
        std::fs::create_dir_all(&parent).map_err(Error::io("create", &parent))?;
        let partial = tempfile::Builder::new().prefix(".partial-").tempdir_in(&parent);
        let partial = partial.map_err(Error::io("create a folder in", &parent))?;
        let package = partial.path().join("package.json");
        std::fs::write(&package, "{}").map_err(Error::io("write", &package))?;
        site.sandbox.share(partial.path())?;
        let job = Job {
            line: format!("npm install {}", tool.spec),
            app: partial.path().to_owned(),
            folder: String::new(),
            mounts: vec![downloads(site)?],
            env: registry_env(site).await,
            path: Vec::new(),
            network: true,
            shared: true,
            time: site.options.limits.install,
        };
        let ended = site.run(StepKind::Install, &job).await?;
        if !ended.is_success() {
            return Err(failure::of_install(&ended).into());
        }
        link(partial.path(), tool)?;
        let partial = partial.keep();
        open_up(&partial, 0o755)?;
        if std::fs::rename(&partial, &folder).is_err() {
            let _ = std::fs::remove_dir_all(&partial);
        }
    }
    let to = site.sandbox.at(&folder, &format!("/tools/{name}"));
    Ok(Tools {
        path: vec![format!("{to}/node_modules/.bin")],
        mounts: vec![Mount { from: folder, to, writable: false }],
    })
}

fn link(folder: &Path, tool: &Tool) -> Result<(), Error> {
    let bin = folder.join("node_modules/.bin");
    std::fs::create_dir_all(&bin).map_err(Error::io("create", &bin))?;
    open_up(&bin, 0o755)?;
    for (name, program) in &tool.links {
        let path = bin.join(name);
        let _ = std::fs::remove_file(&path);
        std::os::unix::fs::symlink(format!("../{program}"), &path).map_err(Error::io("link", &path))?;
    }
    Ok(())
}

/// Has everything that follows run with another version of Node.js. Tells whether that can be had; it is tried once.
pub(crate) async fn use_node(site: &mut Site, version: &str, why: &str) -> Result<bool, Error> {
    if site.node.is_some() || std::mem::replace(&mut site.node_tried, true) {
        return Ok(false);
    }
    match fetch(site, &Tool::node(version)).await {
        Ok(_) => {
            site.node = Some(version.to_owned());
            site.steps.push(CommandStep {
                kind: StepKind::Repair,
                command: format!("use Node.js {version}"),
                exit: Some(0),
                repair: Some(format!("node-version: {why}")),
                ..CommandStep::default()
            });
            Ok(true)
        }
        Err(Stop::Failed(failure)) => {
            site.notes.push(format!("Node.js {version} cannot be had ({why}): {}", failure.message));
            Ok(false)
        }
        Err(Stop::Fault(error)) => Err(error),
    }
}

/// The package managers' own stores of downloads, which they keep by content.
pub(crate) fn downloads(site: &Site) -> Result<Mount, Error> {
    let from = site.options.cache.join("downloads");
    if !from.is_dir() {
        std::fs::create_dir_all(&from).map_err(Error::io("create", &from))?;
        site.sandbox.share(&from)?;
    }
    Ok(Mount { to: site.sandbox.at(&from, "/downloads"), from, writable: true })
}

/// Where packages come from, by npm's own configuration, and how installs are to behave.
pub(crate) async fn registry_env(site: &Site) -> Vec<(String, String)> {
    let downloads = site.sandbox.at(&site.options.cache.join("downloads"), "/downloads");
    let mut env = vec![
        ("npm_config_cache", downloads.clone()),
        ("npm_config_ignore_scripts", "true".to_owned()),
        ("npm_config_audit", "false".to_owned()),
        ("npm_config_fund", "false".to_owned()),
        ("npm_config_update_notifier", "false".to_owned()),
        ("npm_config_prefer_offline", "true".to_owned()),
        ("npm_config_progress", "false".to_owned()),
        ("npm_config_include", "dev".to_owned()),
        // A lock file must not decide which host is asked.
        ("npm_config_replace_registry_host", "always".to_owned()),
        ("YARN_CACHE_FOLDER", format!("{downloads}/yarn")),
        ("YARN_GLOBAL_FOLDER", format!("{downloads}/yarn-global")),
        ("YARN_NODE_LINKER", "node-modules".to_owned()),
        ("YARN_ENABLE_SCRIPTS", "false".to_owned()),
        ("YARN_ENABLE_TELEMETRY", "false".to_owned()),
        ("YARN_ENABLE_GLOBAL_CACHE", "true".to_owned()),
        ("YARN_IGNORE_PATH", "true".to_owned()),
        ("BUN_INSTALL_CACHE_DIR", format!("{downloads}/bun")),
    ];
    if let Some(registry) = registry().await {
        env.push(("YARN_REGISTRY", registry.clone()));
        env.push(("YARN_NPM_REGISTRY_SERVER", registry.clone()));
        if let Some(host) = registry.strip_prefix("http://").and_then(|rest| rest.split([':', '/']).next()) {
            env.push(("YARN_UNSAFE_HTTP_WHITELIST", host.to_owned()));
        }
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
    for (yarn, usual) in [("YARN_HTTP_PROXY", "HTTP_PROXY"), ("YARN_HTTPS_PROXY", "HTTPS_PROXY")] {
        if let Ok(value) = std::env::var(usual).or_else(|_| std::env::var(usual.to_ascii_lowercase())) {
            env.push((yarn.to_owned(), value));
        }
    }
    env
}

async fn registry() -> Option<String> {
    let output = tokio::process::Command::new("npm").args(["config", "get", "registry"]).output().await.ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|url| url.starts_with("http"))
}
