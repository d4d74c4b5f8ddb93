//! Carrying out actions with real input.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use webeval_evidence::{Action, ActionKind, Effect, Outcome, OutcomeStatus, Point, Target};

use crate::error::Error;
use crate::input::{self, Button, Gesture};
use crate::keys;
use crate::session::{Session, WITH_API, text_of};
use crate::wire::Fault;

/// Most dialogs that a step answers before the page is given up.
pub(crate) const MOST_DIALOGS: u32 = 20;

/// Most tabs that are kept open.
const MOST_TABS: usize = 4;

/// Where an action goes, as the page found out.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Aim {
    stale: bool,
    disabled: bool,
    blocked: Option<String>,
    x: f64,
    y: f64,
    #[serde(rename = "type")]
    kind: String,
    tag: String,
    frame: bool,
    checked: bool,
}

/// An action that cannot be carried out, and why.
pub(crate) enum Stop {
    Outcome(Outcome),
    Fault(Fault),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

fn invalid(detail: impl Into<String>) -> Stop {
    Stop::Outcome(Outcome::failed(OutcomeStatus::Invalid, detail))
}

impl Session {
    /// Carries out an action with real input. A covered element is not acted on: the outcome names what covers it.
    ///
    /// Hangs, crashes and closed windows end as an outcome, after the session has been restored.
    ///
    /// # Errors
    /// When the browser is lost and cannot be brought back.
    pub async fn act(&mut self, action: &Action) -> Result<Outcome, Error> {
        let result = self.carry_out(action).await;
        let result = match result {
            Ok(()) => self.notice_tabs(&action.kind).await.map(|()| Outcome::performed()).map_err(Stop::Fault),
            Err(stop) => Err(stop),
        };
        match result {
            Ok(outcome) | Err(Stop::Outcome(outcome)) => Ok(outcome),
            // Whatever opened the dialog was done; it is answered at the next look.
            Err(Stop::Fault(Fault::Dialog(_) | Fault::Unloaded)) => Ok(Outcome::performed()),
            Err(Stop::Fault(Fault::Other(fault))) => Ok(Outcome::failed(OutcomeStatus::Invalid, fault.message)),
            Err(Stop::Fault(Fault::Unknown)) => {
                Ok(Outcome::failed(OutcomeStatus::Unsupported, "the driver has no such command"))
            }
            Err(Stop::Fault(fault)) => {
                self.recover(fault, "carry out an action").await?;
                Ok(Outcome::performed())
            }
        }
    }

    async fn carry_out(&mut self, action: &Action) -> Result<(), Stop> {
        if self.asked && !matches!(action.kind, ActionKind::AnswerDialog { .. } | ActionKind::Wait { .. }) {
            return Err(invalid("a dialog is open and has to be answered first"));
        }
        let target = action.target.as_ref();
        match &action.kind {
            ActionKind::Load { url } => self.load(url).await,
            ActionKind::Click { at } => self.point_at(target, *at, Gesture::click(Button::Primary, 1)).await,
            ActionKind::DoubleClick { at } => self.point_at(target, *at, Gesture::click(Button::Primary, 2)).await,
            ActionKind::RightClick { at } => self.point_at(target, *at, Gesture::click(Button::Secondary, 1)).await,
            ActionKind::Hover { at } => self.point_at(target, *at, Gesture::Move).await,
            ActionKind::Touch { at } => self.point_at(target, *at, Gesture::Tap).await,
            ActionKind::Type { text } => self.type_text(target, text).await,
            ActionKind::Clear => self.type_text(target, "").await,
            ActionKind::Key { key, hold_ms } => self.press(target, key, *hold_ms).await,
            ActionKind::Select { values } => self.choose(target, values).await,
            ActionKind::Check { checked } => self.check(target, *checked).await,
            ActionKind::Drag { onto, to } => self.drag(target, onto.as_ref(), *to).await,
            ActionKind::Scroll { dx, dy } => self.scroll(target, *dx, *dy).await,
            ActionKind::Resize { width, height } => Ok(self.set_viewport(*width, *height).await?),
            ActionKind::Upload { files } => self.upload(target, files).await,
            ActionKind::Wait { ms } => Ok(self.rest(Duration::from_millis(u64::from(*ms))).await?),
            ActionKind::LookAway { ms } => self.look_away(Duration::from_millis(u64::from(*ms))).await,
            ActionKind::Back => self.history("back").await,
            ActionKind::Forward => self.history("forward").await,
            ActionKind::Reload => self.history("refresh").await,
            ActionKind::SwitchTab { index } => self.switch_tab(*index).await,
            ActionKind::AnswerDialog { accept, text } => Ok(self.answer_as(*accept, text.as_deref()).await?),
            ActionKind::Finish => Ok(()),
            other => {
                Err(Stop::Outcome(Outcome::failed(OutcomeStatus::Unsupported, format!("no action {}", other.name()))))
            }
        }
    }

    async fn load(&mut self, url: &str) -> Result<(), Stop> {
        let url = match url.strip_prefix("app:") {
            Some(path) => format!("{}{path}", self.options.origin),
            None => url.to_owned(),
        };
        if self.is_inside(&url) {
            self.last_url.clone_from(&url);
        }
        self.wire.post("url", &json!({"url": url})).await?;
        Ok(())
    }

    async fn history(&mut self, way: &'static str) -> Result<(), Stop> {
        self.wire.post(way, &json!({})).await?;
        Ok(())
    }

    /// Asks the page where the target is and whether a user could reach it there.
    async fn aim(&mut self, target: &Target, at: Option<Point>) -> Result<Aim, Stop> {
        let script = format!("{WITH_API}return JSON.stringify(api.aim(arguments[1],arguments[2],true))");
        let wanted = json!({"ref": target.reference, "selector": target.selector});
        let mut answer = self.wire.execute(&script, json!([self.key, wanted, at])).await?;
        if answer.is_null() {
            self.install_late().await?;
            answer = self.wire.execute(&script, json!([self.key, wanted, at])).await?;
        }
        let aim: Aim = serde_json::from_str(answer.as_str().unwrap_or("{}")).unwrap_or_default();
        if aim.stale {
            return Err(Stop::Outcome(Outcome::failed(OutcomeStatus::Stale, "the element is no longer there")));
        }
        Ok(aim)
    }

    /// As [`Session::aim`], where only an element that can be reached will do.
    async fn reach(&mut self, target: &Target, at: Option<Point>) -> Result<Aim, Stop> {
        let aim = self.aim(target, at).await?;
        match &aim.blocked {
            Some(by) => Err(Stop::Outcome(Outcome::failed(OutcomeStatus::Blocked, by.clone()))),
            None => Ok(aim),
        }
    }

    async fn point_at(&mut self, target: Option<&Target>, at: Option<Point>, gesture: Gesture) -> Result<(), Stop> {
        let point = match (target, at) {
            (Some(target), at) => {
                let aim = self.reach(target, at).await?;
                Point { x: aim.x, y: aim.y }
            }
            (None, Some(point)) => point,
            (None, None) => return Err(invalid("neither an element nor a point was named")),
        };
        self.perform(input::pointer(point, gesture)).await
    }

    pub(crate) async fn perform(&mut self, actions: Value) -> Result<(), Stop> {
        self.wire.post("actions", &actions).await?;
        Ok(())
    }

    async fn type_text(&mut self, target: Option<&Target>, text: &str) -> Result<(), Stop> {
        let Some(target) = target else {
            return self.perform(input::keys(text)).await;
        };
        let aim = self.reach(target, None).await?;
        if aim.disabled {
            return Err(invalid("the field is disabled"));
        }
        if aim.tag == "input"
            && matches!(aim.kind.as_str(), "date" | "time" | "datetime-local" | "month" | "week" | "color" | "range")
        {
            return self.set_value(target, text).await;
        }
        self.perform(input::pointer(Point { x: aim.x, y: aim.y }, Gesture::click(Button::Primary, 1))).await?;
        let script = format!("{WITH_API}return api.focus(arguments[1],true)");
        let wanted = json!({"ref": target.reference, "selector": target.selector});
        self.wire.execute(&script, json!([self.key, wanted])).await?;
        let typed = if text.is_empty() { "\u{E017}" } else { text };
        self.perform(input::keys(typed)).await
    }

    /// Pickers have no text to type into in any locale-independent way; the value is set as the picker would.
    async fn set_value(&mut self, target: &Target, value: &str) -> Result<(), Stop> {
        let script = format!("{WITH_API}return api.pick(arguments[1],arguments[2])");
        let wanted = json!({"ref": target.reference, "selector": target.selector});
        let done = self.wire.execute(&script, json!([self.key, wanted, value])).await?;
        if done == Value::Bool(true) { Ok(()) } else { Err(invalid("the field does not take this value")) }
    }

    async fn press(&mut self, target: Option<&Target>, key: &str, hold_ms: u32) -> Result<(), Stop> {
        let chord = keys::parse(key).ok_or_else(|| invalid(format!("there is no key {key:?}")))?;
        if let Some(target) = target {
            let script = format!("{WITH_API}return api.focus(arguments[1],false)");
            let wanted = json!({"ref": target.reference, "selector": target.selector});
            self.wire.execute(&script, json!([self.key, wanted])).await?;
        }
        let held = Duration::from_millis(u64::from(hold_ms));
        match keys::physical(chord.key) {
            Some(key) if held > input::REPEAT_AFTER && chord.modifiers.is_empty() && self.has_cdp => {
                let done = self.hold(&chord, &key, held).await;
                if let Err(Stop::Fault(Fault::TimedOut(_) | Fault::Lost(_))) = done {
                    return done;
                }
                // Whatever came between, the key does not stay down.
                let released = self.perform(input::release(&chord)).await;
                done.and(released)
            }
            _ if hold_ms > 0 && self.options.deterministic.is_some() => {
                self.perform(input::press(&chord)).await?;
                let done = self.rest(held).await;
                let released = self.perform(input::release(&chord)).await;
                done?;
                released
            }
            _ => self.perform(input::chord(&chord, hold_ms)).await,
        }
    }

    async fn choose(&mut self, target: Option<&Target>, values: &[String]) -> Result<(), Stop> {
        let target = target.ok_or_else(|| invalid("no element was named"))?;
        let aim = self.reach(target, None).await?;
        if aim.disabled {
            return Err(invalid("the field is disabled"));
        }
        let script = format!("{WITH_API}return api.choose(arguments[1],arguments[2])");
        let wanted = json!({"ref": target.reference, "selector": target.selector});
        let done = self.wire.execute(&script, json!([self.key, wanted, values])).await?;
        if done == Value::Bool(true) { Ok(()) } else { Err(invalid("it offers no such choice")) }
    }

    async fn check(&mut self, target: Option<&Target>, checked: bool) -> Result<(), Stop> {
        let target = target.ok_or_else(|| invalid("no element was named"))?;
        let aim = self.reach(target, None).await?;
        if aim.checked == checked {
            return Ok(());
        }
        self.perform(input::pointer(Point { x: aim.x, y: aim.y }, Gesture::click(Button::Primary, 1))).await
    }

    async fn drag(&mut self, target: Option<&Target>, onto: Option<&Target>, to: Option<Point>) -> Result<(), Stop> {
        let target = target.ok_or_else(|| invalid("no element was named"))?;
        let from = self.reach(target, None).await?;
        let to = match (onto, to) {
            (Some(onto), _) => {
                let aim = self.aim(onto, None).await?;
                Point { x: aim.x, y: aim.y }
            }
            (None, Some(point)) => point,
            (None, None) => return Err(invalid("neither an element nor a point to drag to was named")),
        };
        // Under the determinism kit the pointer jumps from point to point, since what is between comes in real time.
        let pause_ms = if self.options.deterministic.is_some() { 0 } else { 20 };
        self.perform(input::pointer(Point { x: from.x, y: from.y }, Gesture::Drag { to, pause_ms })).await
    }

    async fn scroll(&mut self, target: Option<&Target>, dx: i32, dy: i32) -> Result<(), Stop> {
        let point = match target {
            Some(target) => {
                let aim = self.aim(target, None).await?;
                Point { x: aim.x, y: aim.y }
            }
            None => {
                let view = self.viewport;
                Point { x: f64::from(view.width) / 2.0, y: f64::from(view.height) / 2.0 }
            }
        };
        self.perform(input::wheel(point, dx, dy)).await
    }

    async fn upload(&mut self, target: Option<&Target>, files: &[String]) -> Result<(), Stop> {
        let target = target.ok_or_else(|| invalid("no element was named"))?;
        let mut paths = Vec::new();
        for name in files {
            let path = self.upload_file(name).await.map_err(|error| invalid(error.to_string()))?;
            paths.push(path);
        }
        let aim = self.aim(target, None).await?;
        if aim.frame || aim.tag != "input" || aim.kind != "file" {
            return Err(Stop::Outcome(Outcome::failed(
                OutcomeStatus::Unsupported,
                "not a file input of the page itself",
            )));
        }
        let script = format!("{WITH_API}return api.find(arguments[1])");
        let wanted = json!({"ref": target.reference, "selector": target.selector});
        let element = self.wire.execute(&script, json!([self.key, wanted])).await?;
        let id = element.as_object().and_then(|known| known.values().next()).map(text_of).unwrap_or_default();
        self.wire.send_keys(&id, &paths.join("\n")).await?;
        Ok(())
    }

    /// Answers the dialog that says `text`, in turn with yes and no.
    pub(crate) async fn answer(&mut self, text: &str) -> Result<(), Fault> {
        let seen = self.answered.entry(text.to_owned()).or_default();
        let accept = seen.is_multiple_of(2);
        *seen += 1;
        let answer = accept.then(|| prompt_answer(text));
        self.answer_as(accept, answer.as_deref()).await
    }

    async fn answer_as(&mut self, accept: bool, text: Option<&str>) -> Result<(), Fault> {
        let message = text_of(&self.wire.get("alert/text").await?);
        let mut kind = "alert";
        if let (true, Some(text)) = (accept, text) {
            // Only a prompt takes text; the others say so and are accepted as they are.
            match self.wire.post("alert/text", &json!({"text": text})).await {
                Ok(_) => kind = "prompt",
                Err(Fault::Other(_) | Fault::Dialog(_)) => {}
                Err(fault) => return Err(fault),
            }
        }
        self.effects.push(Effect::Dialog { kind: kind.to_owned(), message, accepted: accept });
        let way = if accept { "alert/accept" } else { "alert/dismiss" };
        self.wire.post(way, &json!({})).await.map(drop)
    }

    /// Looks for tabs that the action opened: those within the app are kept, others closed.
    async fn notice_tabs(&mut self, kind: &ActionKind) -> Result<(), Fault> {
        if !matches!(
            kind,
            ActionKind::Click { .. }
                | ActionKind::DoubleClick { .. }
                | ActionKind::Key { .. }
                | ActionKind::Type { .. }
                | ActionKind::Load { .. }
        ) {
            return Ok(());
        }
        let handles = self.wire.get("window/handles").await?;
        let handles: Vec<String> = handles.as_array().into_iter().flatten().map(text_of).collect();
        let current = self.tabs.get(self.tab).cloned().unwrap_or_default();
        self.tabs.retain(|known| handles.contains(known));
        let fresh: Vec<String> = handles.into_iter().filter(|handle| !self.tabs.contains(handle)).collect();
        if !self.tabs.contains(&current) {
            return Err(Fault::NoWindow);
        }
        for handle in fresh {
            self.meet_tab(handle).await?;
        }
        self.tab = self.tabs.iter().position(|known| *known == current).unwrap_or_default();
        Ok(())
    }

    async fn meet_tab(&mut self, handle: String) -> Result<(), Fault> {
        self.wire.post("window", &json!({"handle": handle})).await?;
        let url = text_of(&self.wire.get("url").await?);
        let keep = self.is_inside(&url) && self.tabs.len() < MOST_TABS;
        let shown = self.shorten(&url);
        if keep {
            self.effects.push(Effect::NewTab { url: shown });
            self.tabs.push(handle);
            if self.equip_tab().await.is_err() {
                tracing::debug!("a new tab could not be equipped");
            }
        } else {
            self.effects.push(if self.is_inside(&url) {
                Effect::NewTab { url: shown }
            } else {
                Effect::LeftApp { url }
            });
            self.wire.delete("window").await?;
        }
        let current = self.tabs.get(self.tab).cloned().unwrap_or_default();
        self.wire.post("window", &json!({"handle": current})).await.map(drop)
    }

    async fn switch_tab(&mut self, index: u32) -> Result<(), Stop> {
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        let handle = self.tabs.get(index).cloned().ok_or_else(|| invalid(format!("there is no tab {index}")))?;
        self.wire.post("window", &json!({"handle": handle})).await?;
        self.tab = index;
        Ok(())
    }

    /// Turns to any tab that is still open.
    pub(crate) async fn switch_to_any(&mut self) -> bool {
        let Ok(handles) = self.wire.get("window/handles").await else { return false };
        self.tabs = handles.as_array().into_iter().flatten().map(text_of).collect();
        let Some(handle) = self.tabs.first().cloned() else { return false };
        self.tab = 0;
        self.wire.post("window", &json!({"handle": handle})).await.is_ok()
    }
}

/// What a prompt is answered with when it is accepted: a figure where it asks for one, otherwise a word.
#[must_use]
pub fn prompt_answer(message: &str) -> String {
    let message = message.to_lowercase();
    let number = ["number", "how many", "how much", "amount", "age", "size", "width", "height", "count", "score"];
    if number.iter().any(|word| message.contains(word)) { "5".to_owned() } else { "Sample".to_owned() }
}
