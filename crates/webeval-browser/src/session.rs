//! A session: one browser with one profile, its tabs, and what is carried from look to look.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use base64::Engine;
use serde_json::{Value, json};
use webeval_evidence::{Effect, Environment, Outcome, OutcomeStatus, PageErrorKind, Rect, Viewport};

use crate::downloads::Downloads;
use crate::error::{DriverFault, Error};
use crate::launch::{Connected, DialogPolicy, SessionOptions, bootstrap, connect, secret};
use crate::logs::{Heard, Logged};
use crate::look::{Look, name_dialogs};
use crate::v8::{Executed, Told};
use crate::wire::{Fault, Wire};
use crate::{Driver, Explanation, Observation};

/// How long a command may take while a browser starts.
const START: Duration = Duration::from_secs(30);

/// Gives the page's own half of us, or nothing where the script was not installed.
pub(crate) const WITH_API: &str = "const box={};window.dispatchEvent(new CustomEvent(arguments[0],{detail:box}));const api=box.api;if(!api)return null;";

/// One browser with a fresh profile.
#[derive(Debug)]
pub struct Session {
    pub(crate) driver: Driver,
    pub(crate) options: SessionOptions,
    pub(crate) wire: Wire,
    /// Type of the event that leads to our half in the page.
    pub(crate) key: String,
    bootstrap: String,
    process: Option<u64>,
    pub(crate) has_cdp: bool,
    /// Workers that can be asked, by the name of the target, and the name of our connection.
    pub(crate) workers: HashMap<String, String>,
    /// Open tabs in order of opening.
    pub(crate) tabs: Vec<String>,
    pub(crate) tab: usize,
    pub(crate) last_url: String,
    /// The size that the page has now.
    pub(crate) viewport: Viewport,
    /// Whether a dialog was left open for the tester.
    pub(crate) asked: bool,
    /// `performance.timeOrigin` of the document that was last looked at.
    document: Option<f64>,
    pub(crate) answered: HashMap<String, u32>,
    pub(crate) effects: Vec<Effect>,
    downloads: Downloads,
    logged: Logged,
    heard: Heard,
    /// What V8 counted since the last look.
    pub(crate) executed: Executed,
    pub(crate) told: Told,
    restored: Option<(OutcomeStatus, String)>,
    restores: u32,
    /// Time waited for what is not on the wire: earlier browsers of this session, and waits that were asked for.
    pub(crate) spent_before: Duration,
}

impl Session {
    /// Starts a browser.
    ///
    /// # Errors
    /// [`Error::BrowserMissing`], [`Error::VersionMismatch`] or [`Error::Session`] when it does not start.
    pub async fn open(driver: &Driver, options: SessionOptions) -> Result<Self, Error> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            match Self::start(driver, options.clone()).await {
                // A machine that is busy can be too slow for a browser's start once; three times is a fault.
                Err(error) if error.is_fatal() && attempts < 3 => {
                    tracing::warn!(%error, "the browser is started again")
                }
                result => return result,
            }
        }
    }

    async fn start(driver: &Driver, options: SessionOptions) -> Result<Self, Error> {
        let key = secret();
        let bootstrap = bootstrap(&key, &options);
        let Connected { wire, downloads } = connect(driver, &options).await?;
        let mut session = Self {
            driver: driver.clone(),
            wire,
            key,
            bootstrap,
            process: None,
            has_cdp: true,
            workers: HashMap::new(),
            tabs: Vec::new(),
            tab: 0,
            last_url: options.origin.clone() + "/",
            viewport: options.viewport,
            asked: false,
            document: None,
            answered: HashMap::new(),
            effects: Vec::new(),
            downloads: Downloads::into_folder(downloads),
            logged: Logged::default(),
            heard: Heard::default(),
            executed: Executed::default(),
            told: Told::default(),
            restored: None,
            restores: 0,
            spent_before: Duration::ZERO,
            options,
        };
        session.begin().await?;
        Ok(session)
    }

    /// Sets up a browser that has just been started. One that gets stuck over its own first page, as happens on a machine
    /// with too much to do, is replaced by another.
    async fn begin(&mut self) -> Result<(), Error> {
        let error = match self.prepare().await {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        tracing::warn!(%error, "the browser does not get ready, another one is started");
        self.replace_browser().await?;
        self.prepare().await
    }

    /// Ends the browser and starts another, with a fresh profile.
    async fn replace_browser(&mut self) -> Result<(), Error> {
        self.kill_browser().await;
        let connected = match connect(&self.driver, &self.options).await {
            Ok(connected) => connected,
            Err(error) if self.driver.restart().await? => {
                tracing::warn!(%error, "the driver is started anew");
                connect(&self.driver, &self.options).await?
            }
            Err(error) => return Err(error),
        };
        self.spent_before += self.wire.waited();
        self.wire = connected.wire;
        self.workers.clear();
        self.downloads = Downloads::into_folder(connected.downloads);
        Ok(())
    }

    /// As [`Session::begin`], without a second try. A start may take its time.
    async fn prepare(&mut self) -> Result<(), Error> {
        let limit = self.wire.set_limit(START.max(self.options.limit));
        let prepared = self.set_up().await;
        self.wire.set_limit(limit);
        prepared
    }

    async fn set_up(&mut self) -> Result<(), Error> {
        self.process = self.wire.capabilities()["goog:processID"].as_u64();
        let timeouts = json!({
            "script": self.options.settle.as_millis() + self.options.limit.as_millis() / 2,
            "pageLoad": self.options.limit.as_millis() * 2 / 3,
        });
        self.wire.post("timeouts", &timeouts).await.map_err(|fault| fault.during("set its time limits"))?;
        let handle = self.wire.get("window").await.map_err(|fault| fault.during("name its window"))?;
        self.tabs = vec![text_of(&handle)];
        self.tab = 0;
        self.document = None;
        self.equip_tab().await
    }

    /// Installs our script in the current tab and gives its page the size asked for.
    pub(crate) async fn equip_tab(&mut self) -> Result<(), Error> {
        match self.wire.cdp("Page.addScriptToEvaluateOnNewDocument", json!({"source": self.bootstrap})).await {
            Ok(_) => self.has_cdp = true,
            // The script is then installed at the first look, later than the page's own scripts.
            Err(Fault::Unknown) => self.has_cdp = false,
            Err(fault) => return Err(fault.during("install a script")),
        }
        if self.options.deterministic.is_some() && self.has_cdp {
            self.fix_surroundings().await.map_err(|fault| fault.during("fix its surroundings"))?;
        }
        if self.counts_by_v8() {
            self.start_v8().await.map_err(|fault| fault.during("have V8 count"))?;
        }
        let Viewport { width, height } = self.viewport;
        self.set_viewport(width, height).await.map_err(|fault| fault.during("set the size of the page"))
    }

    async fn fix_surroundings(&mut self) -> Result<(), Fault> {
        self.wire.cdp("Emulation.setTimezoneOverride", json!({"timezoneId": "UTC"})).await?;
        self.wire.cdp("Emulation.setLocaleOverride", json!({"locale": "en-US"})).await?;
        let features = json!([{"name": "prefers-reduced-motion", "value": "reduce"}, {"name": "prefers-color-scheme", "value": "light"}]);
        self.wire.cdp("Emulation.setEmulatedMedia", json!({"features": features})).await?;
        // Animations stand still, until the clock in the page puts them where they belong.
        self.wire.cdp("Animation.enable", json!({})).await?;
        self.wire.cdp("Animation.setPlaybackRate", json!({"playbackRate": 0})).await.map(drop)
    }

    pub(crate) async fn set_viewport(&mut self, width: u32, height: u32) -> Result<(), Fault> {
        self.viewport = Viewport { width, height };
        if self.has_cdp {
            let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
            self.wire.cdp("Emulation.setDeviceMetricsOverride", metrics).await?;
            return Ok(());
        }
        // Without device metrics the window is made larger by what its frame takes away.
        let rect = json!({"width": width, "height": height});
        self.wire.post("window/rect", &rect).await?;
        let inner = self.wire.execute("return [innerWidth,innerHeight]", json!([])).await?;
        let lacks = |index: usize, want: u32| u64::from(want).saturating_sub(inner[index].as_u64().unwrap_or_default());
        let rect = json!({"width": u64::from(width) + lacks(0, width), "height": u64::from(height) + lacks(1, height)});
        self.wire.post("window/rect", &rect).await.map(drop)
    }

    /// Versions of browser, driver and system.
    #[must_use]
    pub fn environment(&self) -> Environment {
        let capabilities = self.wire.capabilities();
        let name = capabilities["browserName"].as_str().unwrap_or_default();
        let version = capabilities["browserVersion"].as_str().unwrap_or_default();
        Environment {
            browser: format!("{name} {version}"),
            driver: self.driver.version().to_owned(),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }

    /// The options that it was opened with.
    #[must_use]
    pub fn options(&self) -> &SessionOptions {
        &self.options
    }

    /// Time spent so far waiting for the driver; what a caller took beyond that is its own work.
    #[must_use]
    pub fn waited(&self) -> Duration {
        self.spent_before + self.wire.waited()
    }

    /// Looks at the page: waits until it has settled, then takes everything in one call.
    ///
    /// A page that hangs, a closed window or a lost browser are dealt with here: the session is restored and the
    /// observation says so in [`Observation::restored`].
    ///
    /// # Errors
    /// When the browser is lost and cannot be brought back.
    pub async fn observe(&mut self) -> Result<Observation, Error> {
        loop {
            match self.try_observe().await {
                Ok(mut observation) => {
                    observation.restored = self.restored.take();
                    return Ok(observation);
                }
                Err(fault) => self.recover(fault, "show itself").await?,
            }
        }
    }

    async fn try_observe(&mut self) -> Result<Observation, Fault> {
        let mut dialogs = 0;
        let mut answers = 0;
        loop {
            match self.look().await {
                Ok(mut look) => {
                    self.count_sealed_frames(&mut look).await?;
                    self.count_workers(&mut look).await?;
                    self.take_v8(look.document).await?;
                    let left = self.outside(&look).await?;
                    let Some(wanted) = left else { return self.finish(look).await };
                    self.bring_back(wanted, answers).await?;
                    answers += 1;
                }
                Err(Fault::Dialog(text)) if self.options.dialogs == DialogPolicy::Leave => {
                    return Ok(self.behind_dialog(text));
                }
                Err(Fault::Dialog(text)) => {
                    dialogs += 1;
                    if dialogs > crate::act::MOST_DIALOGS {
                        return Err(Fault::TimedOut(self.options.limit));
                    }
                    self.answer(&text).await?;
                }
                Err(Fault::Unloaded) if answers < 10 => answers += 1,
                Err(fault) => return Err(fault),
            }
        }
    }

    async fn look(&mut self) -> Result<Look, Fault> {
        let asked = json!({"settle": self.options.settle.as_millis(), "limit": self.options.nodes, "html": true});
        let script = format!("{WITH_API}return api.look(arguments[1])");
        for _ in 0..2 {
            let answer = self.wire.execute(&script, json!([self.key, asked])).await?;
            if let Some(text) = answer.as_str() {
                return serde_json::from_str(text).map_err(|error| Fault::Other(unreadable(&error)));
            }
            self.install_late().await?;
        }
        Err(Fault::Unloaded)
    }

    /// Installs our script in a document that was there before it, or has thrown its listeners away (`document.open`).
    pub(crate) async fn install_late(&mut self) -> Result<(), Fault> {
        let script = self.bootstrap.clone();
        self.wire.execute(&script, json!([])).await.map(drop)
    }

    /// Where the page wanted to go, when that is outside the app.
    async fn outside(&mut self, look: &Look) -> Result<Option<String>, Fault> {
        if self.is_inside(&look.url) {
            return Ok(None);
        }
        // An address that cannot be reached shows as an error page of the browser's own.
        let url = if look.url.starts_with("chrome-error:") {
            text_of(&self.wire.get("url").await?)
        } else {
            look.url.clone()
        };
        Ok((!self.is_inside(&url) || look.url.starts_with("chrome-error:")).then_some(url))
    }

    pub(crate) fn is_inside(&self, url: &str) -> bool {
        let rest = url.strip_prefix("blob:").unwrap_or(url);
        let same = rest
            .strip_prefix(&self.options.origin)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']));
        same || url.starts_with("about:")
    }

    async fn bring_back(&mut self, url: String, tries: u32) -> Result<(), Fault> {
        self.effects.push(Effect::LeftApp { url: self.shorten(&url) });
        self.document = None;
        if tries == 0 {
            match self.wire.post("back", &json!({})).await {
                Ok(_) | Err(Fault::TimedOut(_) | Fault::Other(_)) => return Ok(()),
                Err(fault) => return Err(fault),
            }
        }
        if tries > 3 {
            return Err(Fault::TimedOut(self.options.limit));
        }
        let url = self.last_url.clone();
        self.wire.post("url", &json!({"url": url})).await.map(drop)
    }

    /// Collects what the app's own code has counted in frames that no script of the page may look into: sandboxed ones,
    /// whose origin is nobody's.
    async fn count_sealed_frames(&mut self, look: &mut Look) -> Result<(), Fault> {
        let Some(collect) = self.options.collect.clone() else { return Ok(()) };
        for selector in std::mem::take(&mut look.sealed) {
            let script = format!("{WITH_API}return api.find({{selector:arguments[1]}})");
            let frame = self.wire.execute(&script, json!([self.key, selector])).await?;
            if frame.is_null() || self.wire.post("frame", &json!({"id": frame})).await.is_err() {
                continue;
            }
            let told = self.wire.execute(&format!("return [({collect}) || null, window.length]"), json!([])).await;
            self.wire.post("frame", &json!({"id": null})).await?;
            let Ok(told) = told else { continue };
            look.deltas.extend(told[0].as_str().map(str::to_owned));
            look.nested |= told[1].as_u64() > Some(0);
        }
        Ok(())
    }

    async fn finish(&mut self, look: Look) -> Result<Observation, Fault> {
        self.asked = false;
        self.spent_before += self.downloads.notice(look.downloads > 0, &mut self.effects).await;
        match self.wire.post("se/log", &json!({"type": "browser"})).await {
            Ok(mut entries) => {
                if let (Some(_), Value::Array(entries)) = (self.options.deterministic, &mut entries) {
                    // Of a field that a script gives a wrong value the browser tells only where it has drawn it already.
                    entries.retain(|entry| entry["source"] != "rendering");
                }
                self.logged.read(entries, &self.key, &mut self.heard);
            }
            Err(Fault::Unknown | Fault::Other(_)) => {}
            Err(fault) => return Err(fault),
        }
        if self.document.is_some_and(|known| known != look.document) {
            let url = self.shorten(&look.url);
            self.effects.push(Effect::Navigated { url });
        }
        self.document = Some(look.document);
        if look.url.starts_with(&self.options.origin) {
            self.last_url.clone_from(&look.url);
        }
        Ok(self.observation(look))
    }

    fn observation(&mut self, look: Look) -> Observation {
        let uncounted = self.uncounted(&look);
        let Logged { console, mut errors, mut network, mut deltas } = std::mem::take(&mut self.logged);
        if self.options.deterministic.is_some() {
            // Which of several requests fails first is chance.
            network.sort_by(|one, other| one.url.cmp(&other.url).then(one.status.cmp(&other.status)));
        }
        deltas.extend(look.lost);
        let deltas_left = deltas.len();
        deltas.extend(look.deltas);
        for error in &mut errors {
            if look.rejections.iter().any(|reason| !reason.is_empty() && error.message.contains(reason.as_str())) {
                error.kind = PageErrorKind::Rejection;
            }
        }
        let mut effects = std::mem::take(&mut self.effects);
        name_dialogs(&mut effects, &look.dialogs);
        let mut observation = Observation {
            url: self.shorten(&look.url),
            title: look.title,
            viewport: look.viewport,
            scroll: look.scroll.into(),
            nodes: look.nodes,
            left_out: look.left,
            listeners: look.listeners,
            html: look.html,
            deltas,
            deltas_left,
            executed: std::mem::take(&mut self.executed),
            scripts: look.scripts,
            uncounted,
            console,
            errors,
            network,
            effects,
            dialog: None,
            tabs: u32::try_from(self.tabs.len()).unwrap_or(u32::MAX),
            tab: u32::try_from(self.tab).unwrap_or(u32::MAX),
            due_ms: look.due,
            moves: look.moves,
            settled_ms: look.spent[0],
            counted_ms: look.spent[1],
            restored: None,
        };
        self.shorten_texts(&mut observation);
        observation
    }

    /// Code of the app that the page runs and nobody counts.
    fn uncounted(&self, look: &Look) -> Vec<String> {
        let mut list = Vec::new();
        if self.options.collect.is_some() && look.workers > 0 {
            let what =
                if self.has_cdp { "what one runs between the last look and its end" } else { "all that they run" };
            list.push(format!("workers: {what}"));
        }
        if look.nested {
            list.push("frames within sandboxed frames: all that they run".to_owned());
        }
        list
    }

    /// What can be told while a dialog is open: most commands fail then.
    fn behind_dialog(&mut self, text: String) -> Observation {
        self.asked = true;
        Observation {
            url: self.shorten(&self.last_url.clone()),
            viewport: (self.viewport.width, self.viewport.height),
            effects: std::mem::take(&mut self.effects),
            dialog: Some(crate::Dialog { message: text }),
            tabs: u32::try_from(self.tabs.len()).unwrap_or(u32::MAX),
            tab: u32::try_from(self.tab).unwrap_or(u32::MAX),
            ..Observation::default()
        }
    }

    /// Writes the origin as `app:`.
    pub(crate) fn shorten(&self, url: &str) -> String {
        url.replace(&self.options.origin, "app:")
    }

    fn shorten_texts(&self, observation: &mut Observation) {
        let origin = &self.options.origin;
        let replace = |text: &mut String| {
            if text.contains(origin) {
                *text = text.replace(origin, "app:");
            }
        };
        observation.console.iter_mut().for_each(|message| replace(&mut message.text));
        for error in &mut observation.errors {
            replace(&mut error.message);
            error.location.iter_mut().for_each(replace);
        }
        observation.network.iter_mut().for_each(|failure| replace(&mut failure.url));
        observation.html.iter_mut().for_each(replace);
    }

    /// Makes the session usable again after a fault that a step cannot go on from.
    pub(crate) async fn recover(&mut self, fault: Fault, what: &str) -> Result<(), Error> {
        let (status, detail) = match &fault {
            Fault::TimedOut(limit) => {
                (OutcomeStatus::TimedOut, format!("the page did not answer within {} s", limit.as_secs()))
            }
            Fault::Lost(lost) => (OutcomeStatus::Crashed, lost.message.clone()),
            Fault::NoWindow => {
                self.effects.push(Effect::Closed);
                if self.switch_to_any().await {
                    return Ok(());
                }
                (OutcomeStatus::Performed, "the page closed its window".to_owned())
            }
            Fault::Unloaded => (OutcomeStatus::TimedOut, "the page was unloaded again and again".to_owned()),
            Fault::Dialog(_) | Fault::Unknown | Fault::Other(_) => return Err(fault.during(what)),
        };
        if self.restores >= self.options.restores {
            return Err(fault.during(what));
        }
        self.restores += 1;
        tracing::warn!(%detail, "the browser is started anew");
        self.restored = Some((status, detail));
        self.restart().await
    }

    /// Starts the browser anew, on the page that was last seen.
    async fn restart(&mut self) -> Result<(), Error> {
        self.replace_browser().await?;
        self.begin().await?;
        let url = self.last_url.clone();
        match self.wire.post("url", &json!({"url": url})).await {
            Ok(_) => Ok(()),
            // The page hangs as soon as it loads: the next step begins on an empty page.
            Err(Fault::TimedOut(_) | Fault::Dialog(_) | Fault::Unloaded | Fault::Other(_)) => Ok(()),
            Err(fault) => Err(fault.during("load the page again")),
        }
    }

    async fn kill_browser(&mut self) {
        if let Some(process) = self.process.take() {
            let kill = tokio::process::Command::new("/bin/sh").args(["-c", &format!("kill -KILL {process}")]).output();
            let _ = kill.await;
        } else {
            self.wire.set_limit(Duration::from_secs(3));
            let _ = self.wire.delete("").await;
        }
    }

    /// Runs a script in the page as the body of a function; a promise that it returns is awaited. Elements among the
    /// arguments or the result are not supported. Under the determinism kit the page's time stands still meanwhile: a script
    /// that waits for a timer or a frame waits in vain.
    ///
    /// # Errors
    /// When the script throws, does not end in time, or a dialog is open.
    pub async fn evaluate(&mut self, script: &str, args: &[Value]) -> Result<Value, Error> {
        self.wire.execute(script, Value::from(args.to_vec())).await.map_err(|fault| fault.during("run a script"))
    }

    /// Says why the element of a selector is in the simplified tree, or why it is not. The selector is CSS, with steps into
    /// shadow roots written ` >>> ` and into frames ` |> `.
    ///
    /// # Errors
    /// When the page does not answer, or a dialog is open.
    pub async fn explain(&mut self, selector: &str) -> Result<Explanation, Error> {
        let during = |fault: Fault| fault.during("explain an element");
        let script = format!("{WITH_API}return JSON.stringify(api.explain(arguments[1],arguments[2]))");
        let args = json!([self.key, selector, self.options.nodes]);
        let mut answer = self.wire.execute(&script, args.clone()).await.map_err(during)?;
        if answer.is_null() {
            self.install_late().await.map_err(during)?;
            answer = self.wire.execute(&script, args).await.map_err(during)?;
        }
        serde_json::from_str(answer.as_str().unwrap_or("null"))
            .map_err(|source| Error::Answer { what: "explain an element", source })
    }

    /// Starts over with a fresh browser: nothing that the app has stored is left.
    ///
    /// # Errors
    /// When no browser can be started.
    pub async fn renew(&mut self) -> Result<(), Error> {
        self.replace_browser().await?;
        self.viewport = self.options.viewport;
        self.asked = false;
        self.answered.clear();
        self.effects.clear();
        self.last_url = self.options.origin.clone() + "/";
        self.begin().await
    }

    /// Sends a command of the Chrome DevTools protocol.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the driver is not chromedriver.
    pub async fn cdp(&mut self, command: &str, params: Value) -> Result<Value, Error> {
        self.wire.cdp(command, params).await.map_err(|fault| fault.during(command))
    }

    /// The viewport as PNG.
    ///
    /// # Errors
    /// When the page does not answer, or a dialog is open.
    pub async fn screenshot(&mut self) -> Result<Vec<u8>, Error> {
        self.show_caret(false).await?;
        let answer = self.wire.get("screenshot").await.map_err(|fault| fault.during("take a screenshot"));
        self.show_caret(true).await?;
        decode(&answer?)
    }

    /// Under the determinism kit, hides the caret or shows it again.
    async fn show_caret(&mut self, shown: bool) -> Result<(), Error> {
        if self.options.deterministic.is_none() {
            return Ok(());
        }
        let script = format!("{WITH_API}api.caret(arguments[1])");
        let done = self.wire.execute(&script, json!([self.key, shown])).await;
        done.map(drop).map_err(|fault| fault.during("take a screenshot"))
    }

    /// Any part of the page as PNG, in CSS pixels from the page's top left corner and beyond the viewport; all of it
    /// where no area is given.
    ///
    /// # Errors
    /// As [`Session::screenshot`]; [`Error::Unsupported`] without chromedriver.
    pub async fn page_screenshot(&mut self, area: Option<Rect>) -> Result<Vec<u8>, Error> {
        let area = match area {
            Some(area) => area,
            None => {
                let metrics = self.cdp("Page.getLayoutMetrics", json!({})).await?;
                let size = &metrics["cssContentSize"];
                let side = |name: &str| size[name].as_f64().unwrap_or(1.0);
                Rect { x: 0.0, y: 0.0, width: side("width"), height: side("height") }
            }
        };
        let clip = json!({"x": area.x, "y": area.y, "width": area.width, "height": area.height, "scale": 1});
        let params = json!({"format": "png", "captureBeyondViewport": true, "clip": clip});
        let answer = self.cdp("Page.captureScreenshot", params).await?;
        decode(&answer["data"])
    }

    /// Ends the browser in an orderly way. Dropping the session does so too, later.
    ///
    /// # Errors
    /// None at present: a browser that is gone already is as good as ended.
    pub async fn close(mut self) -> Result<(), Error> {
        self.wire.set_limit(Duration::from_secs(3));
        if self.wire.delete("").await.is_err() {
            self.kill_browser().await;
        }
        Ok(())
    }

    /// Carries out an action and looks at the page afterwards.
    ///
    /// # Errors
    /// When the browser is lost and cannot be brought back.
    pub async fn step(&mut self, action: &webeval_evidence::Action) -> Result<Stepped, Error> {
        let (start, before) = (Instant::now(), self.waited());
        let mut outcome = self.act(action).await?;
        let acted = self.waited() - before;
        let mut observation = self.observe().await?;
        let total = self.waited() - before;
        outcome.effects.append(&mut observation.effects);
        if let Some((status, detail)) = observation.restored.take() {
            outcome.status = status;
            outcome.detail = Some(detail);
        }
        let own = start.elapsed().saturating_sub(total);
        Ok(Stepped { outcome, observation, act: acted, observe: total - acted, own })
    }
}

/// An action carried out, and the page after it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Stepped {
    /// What came of the action; effects that showed while looking are included.
    pub outcome: Outcome,
    /// The page after it.
    pub observation: Observation,
    /// Time spent waiting for the action.
    pub act: Duration,
    /// Time spent waiting for the page to settle and to be looked at.
    pub observe: Duration,
    /// Everything else.
    pub own: Duration,
}

fn unreadable(error: &serde_json::Error) -> DriverFault {
    DriverFault { code: "answer".to_owned(), message: format!("the page's description cannot be read: {error}") }
}

pub(crate) fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn decode(answer: &Value) -> Result<Vec<u8>, Error> {
    let text = answer.as_str().unwrap_or_default();
    base64::engine::general_purpose::STANDARD.decode(text).map_err(|error| Error::Command {
        what: "take a screenshot".to_owned(),
        source: DriverFault { code: "answer".to_owned(), message: error.to_string() },
    })
}
