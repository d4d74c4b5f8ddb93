//! Where commands of an app run: bubblewrap, with a process, network and file system view of their own.
//!
//! Nothing of the machine is visible but the programs in `/usr`, Node.js, a few files of `/etc` and what is mounted for
//! the job. Started as root, the command runs as `nobody`, after the mounts are made; started by anyone else, in a user
//! namespace. The whole tree of processes dies with the sandbox, and the sandbox dies with us.

mod process;
mod watch;

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

pub(crate) use process::{Ended, Process};
pub(crate) use watch::Broke;

use crate::Error;
use crate::options::Limits;

/// User and group that installs run as when we are root.
const NOBODY: u32 = 65534;
/// Users that everything else runs as then, each deployment as another one: what one of them uses up is not counted
/// against the next. The range is the one that systemd hands out for the same purpose.
const USERS: std::ops::Range<u32> = 61184..65520;
/// Where an app is inside of its sandbox.
const APP: &str = "/app";
const TMP: &str = "/tmp";
const HOME: &str = "/home/app";
/// What of `/etc` programs need to resolve names, check certificates and find libraries.
const ETC: &[&str] = &[
    "ssl",
    "ca-certificates",
    "pki",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "alternatives",
    "localtime",
    "nsswitch.conf",
    "protocols",
    "services",
    "fonts",
];

/// A folder that a job sees.
#[derive(Clone, Debug)]
pub(crate) struct Mount {
    pub(crate) from: PathBuf,
    /// Path inside of the sandbox.
    pub(crate) to: String,
    pub(crate) writable: bool,
}

/// A command to run.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// For the shell.
    pub(crate) line: String,
    /// Folder on this machine that is the app to the command.
    pub(crate) app: PathBuf,
    /// Folder to run in, within the app.
    pub(crate) folder: String,
    pub(crate) mounts: Vec<Mount>,
    pub(crate) env: Vec<(String, String)>,
    /// Further folders of programs.
    pub(crate) path: Vec<String>,
    pub(crate) network: bool,
    /// Whether it works on packages, which belong to all deployments.
    pub(crate) shared: bool,
    pub(crate) time: std::time::Duration,
}

/// Where, and under which limits, jobs run. Each deployment has its own.
#[derive(Debug)]
pub(crate) struct Sandbox {
    confined: bool,
    root: bool,
    user: u32,
    limits: Limits,
    /// Folder of ours for temporary files, a home, and the few files of `/etc` that are made up.
    work: PathBuf,
    node: Option<PathBuf>,
}

impl Sandbox {
    /// Makes ready to run jobs, with temporary files in `work`.
    ///
    /// `like` is a sandbox whose files it has to be able to write.
    pub(crate) async fn prepare(
        work: &Path,
        confined: bool,
        limits: Limits,
        like: Option<&Self>,
    ) -> Result<Self, Error> {
        let root = std::fs::metadata("/proc/self").map_err(Error::io("read", "/proc/self"))?.uid() == 0;
        let node = find("node").and_then(|path| path.canonicalize().ok());
        let user = like.map_or_else(|| user(work), |other| other.user);
        let sandbox = Self { confined, root, user, limits, work: work.to_owned(), node };
        for folder in ["tmp", "home"] {
            let path = work.join(folder);
            std::fs::create_dir_all(&path).map_err(Error::io("create", &path))?;
            // Installs and everything else run as different users. Without the sticky bit one could replace files of the
            // other, and programs that look after such things (SWC) refuse to work.
            open_up(&path, 0o1777)?;
        }
        let meta = std::fs::metadata(work).map_err(Error::io("inspect", work))?;
        let (uid, gid) = if root { (user, user) } else { (meta.uid(), meta.gid()) };
        let files = [
            (
                "passwd",
                format!(
                    "root:x:0:0::/root:/bin/sh\napp:x:{uid}:{gid}::{HOME}:/bin/sh\nnobody:x:{NOBODY}:{NOBODY}::{HOME}:/bin/sh\n"
                ),
            ),
            ("group", format!("root:x:0:\napp:x:{gid}:\nnogroup:x:{NOBODY}:\n")),
            ("hosts", "127.0.0.1 localhost\n::1 localhost\n".to_owned()),
        ];
        for (name, text) in files {
            let path = work.join(name);
            std::fs::write(&path, text).map_err(Error::io("write", &path))?;
        }
        if confined {
            sandbox.check().await?;
        }
        Ok(sandbox)
    }

    /// Whether a sandbox can be had on this machine at all.
    async fn check(&self) -> Result<(), Error> {
        if find("bwrap").is_none() {
            return Err(Error::NoSandbox { reason: "bubblewrap is not installed".to_owned() });
        }
        let job = Job {
            line: "true".to_owned(),
            app: self.work.join("home"),
            folder: String::new(),
            mounts: Vec::new(),
            env: Vec::new(),
            path: Vec::new(),
            network: false,
            shared: false,
            time: std::time::Duration::from_secs(20),
        };
        let ended = self.start(&job)?.wait().await;
        match ended.exit {
            Some(0) => Ok(()),
            _ => Err(Error::NoSandbox { reason: format!("bubblewrap does not work: {}", ended.tail.trim()) }),
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn is_confined(&self) -> bool {
        self.confined
    }

    /// What the job calls a folder that is mounted at `inside`.
    pub(crate) fn at(&self, outside: &Path, inside: &str) -> String {
        if self.confined { inside.to_owned() } else { outside.to_string_lossy().into_owned() }
    }

    /// What the job calls a path within the app.
    pub(crate) fn in_app(&self, app: &Path, path: &str) -> String {
        let base = self.at(app, APP);
        if path.is_empty() { base } else { format!("{base}/{path}") }
    }

    /// Makes a folder and everything in it writable for jobs of the app.
    pub(crate) fn hand_over(&self, path: &Path) -> Result<(), Error> {
        self.give(path, self.user)
    }

    /// Makes a folder and everything in it writable for jobs that work on packages.
    pub(crate) fn share(&self, path: &Path) -> Result<(), Error> {
        self.give(path, NOBODY)
    }

    fn give(&self, path: &Path, user: u32) -> Result<(), Error> {
        if !(self.root && self.confined) {
            return Ok(());
        }
        for entry in walkdir::WalkDir::new(path) {
            let entry = entry.map_err(|error| Error::io("read", path)(error.into()))?;
            std::os::unix::fs::lchown(entry.path(), Some(user), Some(user))
                .map_err(Error::io("change the owner of", entry.path()))?;
        }
        Ok(())
    }

    /// Starts a job.
    pub(crate) fn start(&self, job: &Job) -> Result<Process, Error> {
        let argv = if self.confined { self.confined_argv(job) } else { self.bare_argv(job) };
        Process::start(argv, self.bare_env(job), job, self.limits, &self.work)
    }

    /// The environment: nothing of ours but what is named here.
    fn env(&self, job: &Job) -> Vec<(String, String)> {
        let mut path = vec!["/usr/local/bin".to_owned(), "/usr/bin".to_owned(), "/bin".to_owned()];
        if let Some(folder) = self.node.as_deref().and_then(Path::parent) {
            path.insert(0, folder.to_string_lossy().into_owned());
        }
        // Programs that a package brings, nearest first.
        let mut folder = job.folder.as_str();
        let mut bins = Vec::new();
        loop {
            let at =
                if folder.is_empty() { "node_modules/.bin".to_owned() } else { format!("{folder}/node_modules/.bin") };
            bins.push(self.in_app(&job.app, &at));
            if folder.is_empty() {
                break;
            }
            folder = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
        bins.extend(job.path.iter().cloned());
        bins.extend(path);
        let mut env = vec![
            ("PATH".to_owned(), bins.join(":")),
            ("HOME".to_owned(), self.at(&self.work.join("home"), HOME)),
            ("TMPDIR".to_owned(), self.at(&self.work.join("tmp"), TMP)),
            ("USER".to_owned(), "app".to_owned()),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
            ("TZ".to_owned(), "UTC".to_owned()),
            ("CI".to_owned(), "false".to_owned()),
            ("NO_COLOR".to_owned(), "1".to_owned()),
        ];
        env.extend(job.env.iter().cloned());
        env
    }

    fn bare_env(&self, job: &Job) -> Vec<(String, String)> {
        if self.confined { Vec::new() } else { self.env(job) }
    }

    fn bare_argv(&self, job: &Job) -> Vec<OsString> {
        let mut argv = prlimit(&self.limits);
        argv.extend(["sh", "-c", "cd \"$1\" && eval \"$2\"", "sh"].map(OsString::from));
        argv.push(job.app.join(&job.folder).into());
        argv.push(job.line.clone().into());
        argv
    }

    fn confined_argv(&self, job: &Job) -> Vec<OsString> {
        let mut argv: Vec<OsString> = Vec::new();
        let mut add = |words: &[&str]| argv.extend(words.iter().map(OsString::from));
        add(&["bwrap", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]);
        add(&["--die-with-parent", "--new-session", "--clearenv"]);
        if !self.root {
            add(&["--unshare-user"]);
        }
        if !job.network {
            add(&["--unshare-net"]);
        }
        for (name, value) in self.env(job) {
            add(&["--setenv", &name, &value]);
        }
        add(&["--ro-bind", "/usr", "/usr"]);
        for name in ["/bin", "/sbin", "/lib", "/lib64", "/lib32"] {
            match std::fs::read_link(name) {
                Ok(target) => add(&["--symlink", &target.to_string_lossy(), name]),
                Err(_) => add(&["--ro-bind-try", name, name]),
            }
        }
        add(&["--perms", "0755", "--dir", "/etc"]);
        for name in ETC {
            let path = format!("/etc/{name}");
            add(&["--ro-bind-try", &path, &path]);
        }
        for name in ["passwd", "group"] {
            add(&["--ro-bind", &self.work.join(name).to_string_lossy(), &format!("/etc/{name}")]);
        }
        if job.network {
            for name in ["/etc/hosts", "/etc/resolv.conf"] {
                let real = Path::new(name).canonicalize().unwrap_or_else(|_| PathBuf::from(name));
                add(&["--ro-bind-try", &real.to_string_lossy(), name]);
            }
        } else {
            add(&["--ro-bind", &self.work.join("hosts").to_string_lossy(), "/etc/hosts"]);
        }
        add(&["--dev", "/dev", "--proc", "/proc"]);
        add(&["--perms", "1777", "--size", "268435456", "--tmpfs", "/dev/shm"]);
        // What bubblewrap makes by itself on the way to a mount is closed to others.
        for folder in self.parents(job) {
            add(&["--perms", "0755", "--dir", &folder]);
        }
        if let Some(home) = self.node_home() {
            let home = home.to_string_lossy();
            add(&["--ro-bind", &home, &home]);
        }
        add(&["--bind", &self.work.join("home").to_string_lossy(), HOME]);
        add(&["--bind", &self.work.join("tmp").to_string_lossy(), TMP]);
        add(&["--bind", &job.app.to_string_lossy(), APP]);
        for mount in &job.mounts {
            let bind = if mount.writable { "--bind" } else { "--ro-bind" };
            add(&[bind, &mount.from.to_string_lossy(), &mount.to]);
        }
        add(&["--remount-ro", "/dev", "--remount-ro", "/"]);
        add(&["--chdir", &self.in_app(&job.app, &job.folder), "--"]);
        if self.root {
            let user = if job.shared { NOBODY } else { self.user };
            let (user, group) = (format!("--reuid={user}"), format!("--regid={user}"));
            add(&["setpriv", &user, &group, "--clear-groups", "--no-new-privs", "--inh-caps=-all"]);
            add(&["--bounding-set=-all", "--"]);
        }
        argv.extend(prlimit(&self.limits));
        argv.extend(["sh", "-c"].map(OsString::from));
        argv.push(job.line.clone().into());
        argv
    }

    /// Folders that have to be there before anything is mounted in them.
    fn parents(&self, job: &Job) -> Vec<String> {
        let mut places = vec![PathBuf::from(HOME)];
        places.extend(self.node_home());
        places.extend(job.mounts.iter().map(|mount| PathBuf::from(&mount.to)).filter(|to| !to.starts_with(APP)));
        let mut parents: Vec<String> = places
            .iter()
            .flat_map(|place| place.ancestors().skip(1))
            .filter(|parent| parent.parent().is_some())
            .map(|parent| parent.to_string_lossy().into_owned())
            .collect();
        parents.sort();
        parents.dedup();
        parents
    }

    /// The folder that Node.js is installed in, where it is not with the system's programs.
    fn node_home(&self) -> Option<PathBuf> {
        let home = self.node.as_deref()?.parent()?.parent()?;
        (!home.starts_with("/usr") && home != Path::new("/")).then(|| home.to_owned())
    }
}

/// A user for a deployment, by the name of its folder, which is random.
fn user(work: &Path) -> u32 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    work.hash(&mut hasher);
    USERS.start + (hasher.finish() % u64::from(USERS.end - USERS.start)) as u32
}

pub(crate) fn open_up(path: &Path, mode: u32) -> Result<(), Error> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).map_err(Error::io("open up", path))
}

fn prlimit(limits: &Limits) -> Vec<OsString> {
    let words = [
        "prlimit".to_owned(),
        "--nofile=8192".to_owned(),
        "--core=0".to_owned(),
        format!("--nproc={}", limits.processes),
        format!("--fsize={}", limits.file),
        "--".to_owned(),
    ];
    words.map(OsString::from).into()
}

/// Where a program is, by the search path.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|candidate| candidate.is_file())
}
