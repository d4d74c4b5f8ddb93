//! What a tester did, told to somebody who was not there.

use webeval_evidence::{Action, ActionKind, AppSource, Effect, OutcomeStatus, Point, Stage, StageStatus, Target};

use crate::text::{clip, one_line};

const QUOTE: usize = 80;

fn quoted(text: &str) -> String {
    format!("“{}”", clip(&one_line(text), QUOTE))
}

/// How a reader would point at an element: role and name, or its selector when it has no name.
pub(crate) fn target(target: &Target) -> String {
    let role = if target.role.is_empty() { "element" } else { target.role.as_str() };
    if target.name.trim().is_empty() {
        format!("{role} {}", clip(&one_line(&target.selector), QUOTE))
    } else {
        format!("{role} {}", quoted(&target.name))
    }
}

/// The action in words, its target included.
pub(crate) fn action(action: &Action) -> String {
    let aim = |at: &Option<Point>| match (&action.target, at) {
        (Some(element), _) => target(element),
        (None, Some(point)) => point_words(*point),
        (None, None) => "the page".to_owned(),
    };
    let field = || action.target.as_ref().map_or_else(|| "the focused element".to_owned(), target);
    match &action.kind {
        ActionKind::Load { url } => format!("Open {}", clip(url, QUOTE)),
        ActionKind::Click { at } => format!("Click {}", aim(at)),
        ActionKind::DoubleClick { at } => format!("Double-click {}", aim(at)),
        ActionKind::RightClick { at } => format!("Right-click {}", aim(at)),
        ActionKind::Hover { at } => format!("Point at {}", aim(at)),
        ActionKind::Touch { at } => format!("Tap {}", aim(at)),
        ActionKind::Type { text } => format!("Type {} into {}", quoted(&text.replace('\n', "⏎")), field()),
        ActionKind::Clear => format!("Empty {}", field()),
        ActionKind::Key { key, hold_ms } => {
            let held = if *hold_ms > 0 { format!(" for {hold_ms} ms") } else { String::new() };
            let on = action.target.as_ref().map(|element| format!(" on {}", target(element))).unwrap_or_default();
            format!("Press {}{held}{on}", clip(key, QUOTE))
        }
        ActionKind::Select { values } => format!("Choose {} in {}", quoted(&values.join(", ")), field()),
        ActionKind::Check { checked } => format!("{} {}", if *checked { "Tick" } else { "Untick" }, field()),
        ActionKind::Drag { onto, to } => {
            let goal = match (onto, to) {
                (Some(element), _) => target(element),
                (None, Some(point)) => point_words(*point),
                (None, None) => "nowhere".to_owned(),
            };
            format!("Drag {} to {goal}", aim(&None))
        }
        ActionKind::Scroll { dx, dy } => format!("Scroll {} by {dx} right, {dy} down", aim(&None)),
        ActionKind::Resize { width, height } => format!("Resize the page to {width} × {height}"),
        ActionKind::Upload { files } => format!("Give {} to {}", quoted(&files.join(", ")), field()),
        ActionKind::Wait { ms } => format!("Wait {ms} ms"),
        ActionKind::Back => "Go back".to_owned(),
        ActionKind::Forward => "Go forward".to_owned(),
        ActionKind::Reload => "Reload the page".to_owned(),
        ActionKind::SwitchTab { index } => format!("Turn to tab {index}"),
        ActionKind::AnswerDialog { accept, text } => {
            let typed = text.as_ref().map(|text| format!(", typing {}", quoted(text))).unwrap_or_default();
            format!("Answer the dialog with {}{typed}", if *accept { "OK" } else { "Cancel" })
        }
        ActionKind::Finish => "Finish".to_owned(),
        other => other.name().replace('_', " "),
    }
}

fn point_words(point: Point) -> String {
    format!("the point {:.0}, {:.0}", point.x, point.y)
}

/// A side effect in words.
pub(crate) fn effect(effect: &Effect) -> String {
    match effect {
        Effect::Navigated { url } => format!("went to {}", clip(url, QUOTE)),
        Effect::LeftApp { url } => format!("tried to leave the app for {}; brought back", clip(url, QUOTE)),
        Effect::Dialog { kind, message, accepted } => {
            let answer = if *accepted { "accepted" } else { "dismissed" };
            format!("opened {} {} dialog saying {}; {answer}", article(kind), clip(kind, QUOTE), quoted(message))
        }
        Effect::NewTab { url } => format!("opened a new tab at {}", clip(url, QUOTE)),
        Effect::Closed => "closed its own window".to_owned(),
        Effect::Download { name } => format!("started a download of {}", clip(name, QUOTE)),
        _ => "had another effect".to_owned(),
    }
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

/// An outcome in words, and the class that colours it.
pub(crate) fn outcome(status: OutcomeStatus) -> (&'static str, Tone) {
    match status {
        OutcomeStatus::Performed => ("done", Tone::Good),
        OutcomeStatus::Blocked => ("blocked", Tone::Warn),
        OutcomeStatus::Stale => ("target gone", Tone::Warn),
        OutcomeStatus::TimedOut => ("timed out", Tone::Bad),
        OutcomeStatus::Crashed => ("browser lost", Tone::Bad),
        OutcomeStatus::Unsupported => ("not supported", Tone::Plain),
        OutcomeStatus::Invalid => ("made no sense", Tone::Plain),
        _ => ("unknown outcome", Tone::Plain),
    }
}

/// Which colour a word gets; never the only carrier of its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Warn,
    Bad,
    Plain,
}

impl Tone {
    /// The CSS class.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Warn => "warn",
            Self::Bad => "bad",
            Self::Plain => "plain",
        }
    }
}

/// A stage's name as a heading.
pub(crate) fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Deploy => "Deploy",
        Stage::Explore => "Explore",
        Stage::States => "States",
        Stage::Judge => "Judge",
        Stage::Report => "Report",
    }
}

/// A stage's status in words.
pub(crate) fn stage_status(status: StageStatus) -> (&'static str, Tone) {
    match status {
        StageStatus::Running => ("under way or cut off", Tone::Warn),
        StageStatus::Interrupted => ("interrupted", Tone::Warn),
        StageStatus::Done => ("done", Tone::Good),
        StageStatus::Failed => ("failed", Tone::Bad),
    }
}

/// The application's short name (last part of its path, or its address) and its full location.
pub(crate) fn app(source: &AppSource) -> (String, String) {
    let last = |path: &str| path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
    match source {
        AppSource::HtmlFile { path }
        | AppSource::Folder { path }
        | AppSource::Archive { path }
        | AppSource::Markdown { path } => (last(path), path.clone()),
        AppSource::Url { url } => (url.clone(), url.clone()),
        _ => ("application".to_owned(), String::new()),
    }
}
