//! Run directories made by hand.

use image::{Rgb, RgbImage};
use serde_json::{Value, json};
use webeval_evidence::{
    Action, ActionKind, AppSource, BlobKind, BlobRef, Count, CoverageCounts, Effect, Outcome, OutcomeStatus, PageError,
    PageErrorKind, RunDir, RunRecord, Settings, Step, StepCoverage, Target, Timings, TraceLine,
};

/// A run directory that goes with the test.
pub(crate) struct Made {
    pub(crate) run: RunDir,
    next: u32,
    _folder: tempfile::TempDir,
}

impl Made {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let app = AppSource::HtmlFile { path: "todo.html".into() };
        let record = RunRecord::new(app, Some("a to-do list".into()), Settings::default());
        let run = RunDir::create(folder.path().join("run"), &record).unwrap();
        Self { run, next: 0, _folder: folder }
    }

    /// Appends a step that loads the page or acts on a target.
    pub(crate) fn step(
        &mut self,
        kind: ActionKind,
        target: Option<Target>,
        change: impl FnOnce(&mut Step),
    ) -> &mut Self {
        let mut step = Step {
            index: self.next,
            action: Action { kind, target },
            reason: None,
            outcome: Outcome::performed(),
            url: "app:/".into(),
            title: "Todo".into(),
            changed: false,
            coverage: None,
            snapshot: None,
            screenshot: None,
            probe: None,
            console: vec![],
            errors: vec![],
            network: vec![],
            timings: Timings { act: 40.0, settle: 20.0, ..Timings::default() },
        };
        change(&mut step);
        self.next += 1;
        self.run.trace_log().unwrap().append(&TraceLine::Step(Box::new(step))).unwrap();
        self
    }

    pub(crate) fn html(&self, html: &str) -> Option<BlobRef> {
        Some(self.run.store(BlobKind::Snapshot, html.as_bytes()).unwrap())
    }

    pub(crate) fn png(&self, picture: &RgbImage) -> Option<BlobRef> {
        Some(self.run.store(BlobKind::Screenshot, &encode(picture)).unwrap())
    }

    pub(crate) fn probe(&self, findings: Value) -> Option<BlobRef> {
        let probe = json!({"format": 1, "findings": findings, "scores": {"TR": 3}, "page": {"url": "app:/"}});
        Some(self.run.store(BlobKind::Probe, probe.to_string().as_bytes()).unwrap())
    }

    pub(crate) fn load(&mut self, html: &str) -> &mut Self {
        let snapshot = self.html(html);
        self.step(ActionKind::Load { url: "app:/".into() }, None, |step| {
            (step.snapshot, step.changed) = (snapshot, true);
        })
    }

    pub(crate) fn click(&mut self, role: &str, name: &str, change: impl FnOnce(&mut Step)) -> &mut Self {
        self.step(ActionKind::Click { at: None }, Some(target(role, name)), change)
    }
}

pub(crate) fn target(role: &str, name: &str) -> Target {
    Target { reference: "e1".into(), role: role.into(), name: name.into(), selector: format!("#{name}"), rect: None }
}

pub(crate) fn covered(step: &mut Step, covered: u32, gain: u32) {
    let at = |covered| CoverageCounts {
        statements: Count { covered, total: 200 },
        functions: Count { covered: 3, total: 4 },
        branches: Count { covered: 0, total: 0 },
        lines: Count { covered, total: 200 },
    };
    step.coverage = Some(StepCoverage { before: at(covered - gain), after: at(covered), gain });
}

pub(crate) fn thrown(message: &str) -> PageError {
    PageError { kind: PageErrorKind::Uncaught, message: message.into(), location: Some("app.js:3:7".into()) }
}

/// A picture with `bars` dark lines of text-like marks.
pub(crate) fn screen(bars: u32, hue: [u8; 3]) -> RgbImage {
    let mut picture = RgbImage::from_pixel(640, 400, Rgb([255, 255, 255]));
    for bar in 0..bars {
        for x in (20..600).filter(|x| (x / 16) % 3 != 0) {
            for y in 0..12 {
                picture.put_pixel(x, 20 + bar * 30 + y, Rgb(hue));
            }
        }
    }
    picture
}

pub(crate) fn encode(picture: &RgbImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    picture.write_to(&mut std::io::Cursor::new(&mut bytes), image::ImageFormat::Png).unwrap();
    bytes
}

/// The to-do list that most tests judge: three states, S1 -> S2 by adding milk, S2 -> S3 by opening help.
pub(crate) fn todo() -> Made {
    let mut made = Made::new();
    let empty = made.html("<h1>Todo</h1><button>Add</button><ul></ul>");
    let milk = made.html("<h1>Todo</h1><button>Add</button><ul><li>milk</li></ul>");
    let help = made.html("<h1>Help</h1><p>Write to jo@example.org</p>");
    let pictures = [screen(4, [10, 10, 10]), screen(8, [10, 10, 10]), screen(6, [200, 30, 30])].map(|p| made.png(&p));
    let [first, second, third] = pictures;
    made.step(ActionKind::Load { url: "app:/".into() }, None, |step| {
        (step.snapshot, step.screenshot, step.changed) = (empty, first, true);
        covered(step, 50, 50);
    });
    made.click("button", "Add", |step| {
        (step.snapshot, step.screenshot, step.changed) = (milk, second.clone(), true);
        covered(step, 60, 10);
    });
    made.click("link", "Help", |step| {
        (step.snapshot, step.screenshot, step.changed) = (help.clone(), third.clone(), true);
        step.url = "app:/help".into();
        step.outcome.effects.push(Effect::Navigated { url: "app:/help".into() });
        covered(step, 60, 0);
    });
    made.click("button", "Print", |step| {
        (step.snapshot, step.screenshot) = (help, third);
        step.url = "app:/help".into();
        step.outcome = Outcome::failed(OutcomeStatus::Blocked, "covered by div.banner");
        covered(step, 60, 0);
    });
    made
}
