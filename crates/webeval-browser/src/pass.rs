//! Letting time pass: the browser's, or under the determinism kit the page's own.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::act::Stop;
use crate::input;
use crate::keys::Chord;
use crate::session::{Session, WITH_API};
use crate::wire::Fault;

/// Most of the page's own time that it is given in one call, in milliseconds.
const LONGEST_PART: f64 = 250.0;

impl Session {
    /// Holds a key as a keyboard does it: after a while the key repeats, and the page can tell.
    pub(crate) async fn hold(
        &mut self,
        chord: &Chord,
        physical: &(String, String, u32),
        held: Duration,
    ) -> Result<(), Stop> {
        let (name, code, number) = physical;
        let start = Instant::now();
        self.perform(input::press(chord)).await?;
        let (mut next, mut rested) = (input::REPEAT_AFTER, Duration::ZERO);
        loop {
            // In real time the driver's own part of the work counts as well.
            let passed = if self.options.deterministic.is_some() { rested } else { start.elapsed() };
            let until = next.max(passed).min(held);
            self.rest(until.saturating_sub(passed)).await?;
            rested = until;
            if until >= held {
                return Ok(());
            }
            let mut event = json!({"type": "rawKeyDown", "autoRepeat": true, "key": name, "code": code,
                "windowsVirtualKeyCode": number, "nativeVirtualKeyCode": number});
            if name.chars().count() == 1 {
                event["type"] = json!("keyDown");
                event["text"] = json!(name);
            }
            self.wire.cdp("Input.dispatchKeyEvent", event).await?;
            next = until + input::REPEAT_EVERY;
        }
    }

    /// Lets time pass that is nobody's work: under the determinism kit the page's own.
    pub(crate) async fn rest(&mut self, time: Duration) -> Result<(), Fault> {
        if self.options.deterministic.is_none() {
            tokio::time::sleep(time).await;
            self.spent_before += time;
            return Ok(());
        }
        let script = format!("{WITH_API}return api.pass(arguments[1])");
        let start = Instant::now();
        let mut left = time.as_secs_f64() * 1000.0;
        // A page that is far too slow for its own time gets less of it.
        while left > 0.0 && start.elapsed() < self.options.limit.max(time * 2) {
            let part = left.min(LONGEST_PART);
            let mut over = self.wire.execute(&script, json!([self.key, part])).await?;
            if over.is_null() {
                self.install_late().await?;
                over = self.wire.execute(&script, json!([self.key, part])).await?;
            }
            left -= part - over.as_f64().unwrap_or_default();
        }
        Ok(())
    }

    /// Minimises the window, and restores it.
    pub(crate) async fn look_away(&mut self, time: Duration) -> Result<(), Stop> {
        let rect = self.wire.get("window/rect").await?;
        self.wire.post("window/minimize", &json!({})).await?;
        self.notice_sight(true).await?;
        let rested = self.rest(time).await;
        self.wire.post("window/rect", &rect).await?;
        rested?;
        Ok(self.notice_sight(false).await?)
    }

    /// Under the determinism kit, waits until the page knows whether it is `hidden`: its time goes on only then.
    async fn notice_sight(&mut self, hidden: bool) -> Result<(), Fault> {
        if self.options.deterministic.is_none() {
            return Ok(());
        }
        let script = format!("{WITH_API}return api.hidden(arguments[1])");
        self.wire.execute(&script, json!([self.key, hidden])).await.map(drop)
    }
}
