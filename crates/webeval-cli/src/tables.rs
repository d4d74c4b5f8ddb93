//! Results in tables: to the terminal, to programs, and into a folder.

use std::path::Path;

use serde::Serialize;
use webeval_stats::render::{Grid, json};

use crate::failure::Failure;
use crate::files::write;

/// A table with its title, and the name of its file.
pub(crate) struct Table {
    pub(crate) file: String,
    pub(crate) title: String,
    pub(crate) grid: Grid,
}

impl Table {
    pub(crate) fn new(file: impl Into<String>, title: impl Into<String>, grid: Grid) -> Self {
        Self { file: file.into(), title: title.into(), grid }
    }
}

/// Results and the tables that tell them.
pub(crate) struct Told<'a, T> {
    /// What the files of the whole are called.
    pub(crate) name: &'a str,
    pub(crate) results: &'a T,
    pub(crate) tables: Vec<Table>,
    pub(crate) plot: Option<String>,
}

impl<T: Serialize> Told<'_, T> {
    /// Prints the tables, or all results as one JSON object; with a folder, leaves them there in every form.
    pub(crate) fn publish(&self, out: Option<&Path>, as_json: bool) -> Result<(), Failure> {
        let object = json(self.results).map_err(Failure::failed)?;
        if let Some(folder) = out {
            self.write_all(folder, &object)?;
        }
        if as_json {
            print!("{object}");
            return Ok(());
        }
        for table in &self.tables {
            print!("{}\n\n{}\n", table.title, table.grid.text());
        }
        if let Some(folder) = out {
            println!("{}", folder.join(format!("{}.md", self.name)).display());
        }
        Ok(())
    }

    fn write_all(&self, folder: &Path, object: &str) -> Result<(), Failure> {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::Failed(format!("cannot create {}: {error}", folder.display())))?;
        for table in &self.tables {
            write(&folder.join(format!("{}.csv", table.file)), &table.grid.csv())?;
        }
        let text: String =
            self.tables.iter().map(|table| format!("## {}\n\n{}\n", table.title, table.grid.markdown())).collect();
        write(&folder.join(format!("{}.md", self.name)), &text)?;
        if let Some(plot) = &self.plot {
            write(&folder.join(format!("{}.svg", self.name)), plot)?;
        }
        write(&folder.join(format!("{}.json", self.name)), object)
    }
}
