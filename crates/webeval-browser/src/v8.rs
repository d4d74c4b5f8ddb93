//! What the page's scripts have run, as V8 counts it, for an app without counters of its own.
//!
//! V8 counts for a whole process, so what a document counted before it went away is still there afterwards, as long as
//! the next one lives in the same process. What cannot be asked for then is the text of its scripts.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use webeval_instrument::coverage::V8Function;

use crate::session::{Session, text_of};
use crate::wire::Fault;

/// What one loading of a script of the app has run since the last look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScriptRun {
    /// V8's name for this loading of the script.
    pub id: String,
    /// Address of the script, or of the document that it is written in; the app's origin is written `app:`.
    pub url: String,
    /// Its functions that ran, and those within them.
    pub functions: Vec<V8Function>,
    /// Its text, told when it is first seen; none when its document was gone by then.
    #[serde(default)]
    pub text: Option<String>,
}

/// The text of an HTML document with scripts of the app in it, as it was served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ServedPage {
    /// Its address, as that of a script.
    pub url: String,
    /// Its text.
    pub html: String,
}

/// What was counted since the last look.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Executed {
    /// Scripts that ran, in V8's order.
    pub scripts: Vec<ScriptRun>,
    /// Documents that scripts are written in, each told once.
    pub pages: Vec<ServedPage>,
    /// Whether another document has taken the place of the one that was there at the last look.
    pub new_document: bool,
}

/// What has been told already.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Scripts, by id and address: ids are those of a process.
    scripts: HashSet<(String, String)>,
    pages: HashSet<String>,
    /// `performance.timeOrigin` of the document at the last reading.
    document: Option<f64>,
}

/// A script as the protocol reports it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reported {
    script_id: String,
    url: String,
    functions: Vec<V8Function>,
}

impl Session {
    /// Whether what scripts run is counted by V8: it was asked for, and the driver has the DevTools protocol.
    #[must_use]
    pub fn counts_by_v8(&self) -> bool {
        self.options.v8 && self.has_cdp
    }

    /// Has V8 count in the current tab.
    pub(crate) async fn start_v8(&mut self) -> Result<(), Fault> {
        self.wire.cdp("Profiler.enable", json!({})).await?;
        let how = json!({"callCount": true, "detailed": true});
        self.wire.cdp("Profiler.startPreciseCoverage", how).await.map(drop)
    }

    /// Reads what has been counted since the last reading.
    pub(crate) async fn take_v8(&mut self, document: f64) -> Result<(), Fault> {
        if !self.counts_by_v8() {
            return Ok(());
        }
        let answer = match self.wire.cdp("Profiler.takePreciseCoverage", json!({})).await {
            Ok(answer) => answer,
            Err(Fault::Other(fault)) => {
                tracing::debug!(%fault, "V8's counts could not be read");
                return Ok(());
            }
            Err(fault) => return Err(fault),
        };
        let Ok(reported) = serde_json::from_value::<Vec<Reported>>(answer["result"].clone()) else { return Ok(()) };
        if self.told.document.replace(document) != Some(document) {
            self.executed.new_document = true;
            // Another process may give the same names anew.
            self.told.scripts.clear();
        }
        let inside = |url: &str| url.strip_prefix(&self.options.origin).is_some_and(|rest| rest.starts_with('/'));
        let own: Vec<Reported> = reported.into_iter().filter(|script| inside(&script.url)).collect();
        let known = |script: &Reported| self.told.scripts.contains(&(script.script_id.clone(), script.url.clone()));
        let fresh: Vec<(String, String)> =
            own.iter().filter(|script| !known(script)).map(|one| (one.script_id.clone(), one.url.clone())).collect();
        let mut texts = self.texts(&fresh).await?;
        self.told.scripts.extend(fresh.iter().cloned());
        self.read_pages(&fresh).await?;
        for Reported { script_id: id, url, functions } in own {
            let text = texts.iter().position(|(of, _)| *of == id).map(|at| texts.swap_remove(at).1);
            self.executed.scripts.push(ScriptRun { id, url: self.shorten(&url), functions, text });
        }
        Ok(())
    }

    /// The texts of scripts, by their names. The debugger is on for no longer than that takes, and stops nothing.
    async fn texts(&mut self, scripts: &[(String, String)]) -> Result<Vec<(String, String)>, Fault> {
        let mut texts = Vec::new();
        if scripts.is_empty() {
            return Ok(texts);
        }
        self.ask("Debugger.setSkipAllPauses", json!({"skip": true})).await?;
        self.ask("Debugger.enable", json!({})).await?;
        for (id, _) in scripts {
            if let Some(answer) = self.ask("Debugger.getScriptSource", json!({"scriptId": id})).await? {
                texts.push((id.clone(), text_of(&answer["scriptSource"])));
            }
        }
        self.ask("Debugger.disable", json!({})).await?;
        Ok(texts)
    }

    /// Reads the documents that scripts are written in, each once.
    async fn read_pages(&mut self, scripts: &[(String, String)]) -> Result<(), Fault> {
        let untold = |url: &String| !self.told.pages.contains(url);
        if !scripts.iter().any(|(_, url)| untold(url)) {
            return Ok(());
        }
        let Some(tree) = self.ask("Page.getResourceTree", json!({})).await? else { return Ok(()) };
        let mut frames = Vec::new();
        list_frames(&tree["frameTree"], &mut frames);
        for (frame, url) in frames {
            if !scripts.iter().any(|(_, of)| *of == url) || self.told.pages.contains(&url) {
                continue;
            }
            let params = json!({"frameId": frame, "url": url});
            let Some(answer) = self.ask("Page.getResourceContent", params).await? else { continue };
            if answer["base64Encoded"].as_bool() != Some(true) {
                let page = ServedPage { url: self.shorten(&url), html: text_of(&answer["content"]) };
                self.executed.pages.push(page);
            }
            self.told.pages.insert(url);
        }
        Ok(())
    }

    /// A command whose refusal is an answer too.
    async fn ask(&mut self, command: &str, params: Value) -> Result<Option<Value>, Fault> {
        match self.wire.cdp(command, params).await {
            Ok(answer) => Ok(Some(answer)),
            Err(Fault::Other(_) | Fault::Unknown) => Ok(None),
            Err(fault) => Err(fault),
        }
    }
}

/// Ids and addresses of all frames.
fn list_frames(tree: &Value, frames: &mut Vec<(String, String)>) {
    frames.push((text_of(&tree["frame"]["id"]), text_of(&tree["frame"]["url"])));
    tree["childFrames"].as_array().into_iter().flatten().for_each(|child| list_frames(child, frames));
}
