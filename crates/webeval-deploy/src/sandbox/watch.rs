//! What a command uses up while it runs, for the limits that the system does not keep by itself.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::options::Limits;

/// A limit that was broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broke {
    Time(Duration),
    Memory(u64),
    Processes(u64),
    Disk(u64),
}

impl fmt::Display for Broke {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(limit) => write!(f, "was not done after {} s", limit.as_secs()),
            Self::Memory(limit) => write!(f, "used more than {} MB of memory", limit >> 20),
            Self::Processes(limit) => write!(f, "had more than {limit} processes"),
            Self::Disk(limit) => write!(f, "wrote more than {} MB", limit >> 20),
        }
    }
}

impl Broke {
    /// The kind of failure that it is.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Time(_) => "timeout",
            Self::Memory(_) => "out-of-memory",
            Self::Processes(_) => "too-many-processes",
            Self::Disk(_) => "disk-full",
        }
    }
}

/// Looks after one tree of processes.
#[derive(Debug)]
pub(super) struct Watch {
    process: u32,
    limits: Limits,
    folders: Vec<PathBuf>,
    /// Free space of the file system when the command began.
    free: u64,
    looked: Instant,
}

impl Watch {
    pub(super) fn new(process: u32, limits: Limits, app: &Path, work: &Path) -> Self {
        let folders = vec![app.to_owned(), work.join("tmp"), work.join("home")];
        Self { process, limits, free: free(app), folders, looked: Instant::now() }
    }

    /// The first limit that is broken.
    pub(super) async fn look(&mut self) -> Option<Broke> {
        let tree = tree(self.process);
        if tree.iter().map(|process| process.threads).sum::<u64>() >= self.limits.processes {
            return Some(Broke::Processes(self.limits.processes));
        }
        if tree.iter().map(|process| process.resident).sum::<u64>() > self.limits.memory {
            return Some(Broke::Memory(self.limits.memory));
        }
        if self.looked.elapsed() > Duration::from_millis(500) {
            self.looked = Instant::now();
            // Counting files takes long, so the file system is asked first whether it is worth it.
            let taken = self.free.saturating_sub(self.folders.first().map_or(0, |folder| free(folder)));
            if taken > self.limits.disk / 2 {
                let folders = self.folders.clone();
                let size = tokio::task::spawn_blocking(move || folders.iter().map(|one| size(one)).sum::<u64>());
                if size.await.unwrap_or(0) > self.limits.disk {
                    return Some(Broke::Disk(self.limits.disk));
                }
            }
        }
        None
    }

    /// Ends the command and everything that it started.
    pub(super) fn kill_tree(&self) {
        for process in tree(self.process) {
            if let Some(id) = i32::try_from(process.id).ok().and_then(rustix::process::Pid::from_raw) {
                let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
            }
        }
        if let Some(group) = i32::try_from(self.process).ok().and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

fn free(path: &Path) -> u64 {
    rustix::fs::statvfs(path).map_or(0, |found| found.f_bavail * found.f_frsize)
}

/// Space that a folder takes, in bytes.
fn size(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let entries = walkdir::WalkDir::new(path).same_file_system(true).into_iter().filter_map(Result::ok);
    entries.filter_map(|entry| entry.metadata().ok()).map(|meta| meta.blocks() * 512).sum()
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    id: u32,
    threads: u64,
    resident: u64,
}

/// A process and all that descend from it.
fn tree(root: u32) -> Vec<Seen> {
    let mut children: HashMap<u32, Vec<Seen>> = HashMap::new();
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir("/proc") else { return found };
    for id in entries.filter_map(Result::ok).filter_map(|entry| entry.file_name().to_str()?.parse().ok()) {
        let Some((parent, seen)) = stat(id) else { continue };
        if id == root {
            found.push(seen);
        }
        children.entry(parent).or_default().push(seen);
    }
    let mut next = 0;
    if found.is_empty() {
        return found;
    }
    while let Some(process) = found.get(next) {
        found.extend(children.remove(&process.id).unwrap_or_default());
        next += 1;
    }
    found
}

/// Parent, and what is counted of a process.
fn stat(id: u32) -> Option<(u32, Seen)> {
    let text = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name, in parentheses, may hold anything.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let field = |at: usize| fields.get(at)?.parse::<u64>().ok();
    let page = rustix::param::page_size() as u64;
    let parent = u32::try_from(field(1)?).ok()?;
    Some((parent, Seen { id, threads: field(17)?, resident: field(21)? * page }))
}
