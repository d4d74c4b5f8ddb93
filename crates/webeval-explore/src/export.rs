//! A trace as a test for another tool.

use std::fmt::Write;

use base64::Engine;
use webeval_browser::{prompt_answer, sample_file};
use webeval_evidence::{Action, ActionKind, Effect, OutcomeStatus, Point, Step, Target, Trace, Viewport};

/// What every written test has in common.
const HELPERS: &str = r#"
// An element by its role and name, which outlive a change of layout; by its place where that is not enough.
async function find(scope, css, role, name) {
  if (role && name) {
    const named = scope.getByRole(role, { name, exact: true });
    if ((await named.count()) === 1) return named;
  }
  return scope.locator(css);
}

// Replaces a field's content as a user does; a line end presses Enter.
async function type(page, field, text) {
  const kind = await field.getAttribute('type');
  if (/^(date|time|datetime-local|month|week|color|range)$/.test(kind ?? '')) return field.fill(text);
  await field.click();
  await field.fill('');
  for (const [index, line] of text.split('\n').entries()) {
    if (index > 0) await page.keyboard.press('Enter');
    await page.keyboard.type(line);
  }
}

// Ticks a box, or unticks it; what then becomes of it is the app's business.
async function check(box, wanted) {
  if ((await box.isChecked()) === wanted) return;
  await ((await box.isVisible()) ? box.click() : box.dispatchEvent('click'));
}

async function drag(page, from, x, y) {
  const box = await from.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(x, y, { steps: 4 });
  await page.mouse.up();
}
"#;

/// Roles that a locator may go by: those that ARIA knows and a browser computes as we do.
const ROLES: &[&str] = &[
    "button",
    "checkbox",
    "combobox",
    "heading",
    "img",
    "link",
    "listbox",
    "menuitem",
    "option",
    "radio",
    "searchbox",
    "slider",
    "spinbutton",
    "switch",
    "tab",
    "textbox",
];

/// Writes a trace as a Playwright test, an ES module for `@playwright/test`: so that a failure that was found can be
/// handed to someone. It repeats the actions that could be carried out, answers dialogs as they were answered, and ends
/// by expecting that no error went uncaught; where the app threw one, the test fails for as long as it does.
///
/// The app is looked for at the environment's `BASE_URL`, or at `http://127.0.0.1:8080`.
#[must_use]
pub fn playwright(trace: &Trace, viewport: Viewport) -> String {
    let mut out = String::from(
        "// A recorded exploration as a Playwright test. Serve the app, then run\n\
         //   BASE_URL=http://127.0.0.1:8080 npx playwright test playwright.spec.mjs\n\
         import { expect, test } from '@playwright/test';\n\n\
         const base = (process.env.BASE_URL ?? 'http://127.0.0.1:8080').replace(/\\/$/, '');\n",
    );
    let Viewport { width, height } = viewport;
    let touches = trace.steps.iter().any(|step| matches!(step.action.kind, ActionKind::Touch { .. }));
    let touch = if touches { ", hasTouch: true" } else { "" };
    let _ = writeln!(out, "test.use({{ viewport: {{ width: {width}, height: {height} }}{touch} }});");
    out.push_str(HELPERS);
    let waits: u64 = trace.steps.iter().map(|step| waited(&step.action.kind)).sum();
    let limit = 30_000 + 5_000 * u64::try_from(trace.steps.len()).unwrap_or(0) + waits;
    let _ = write!(
        out,
        "\ntest('the recorded exploration', async ({{ page: first, context }}) => {{\n  test.setTimeout({limit});\n  \
         const errors = [];\n  const answers = [{}];\n  const watch = (tab) => {{\n    \
         tab.on('pageerror', (error) => errors.push(String(error)));\n    \
         tab.on('dialog', async (dialog) => {{\n      const [accept, text] = answers.shift() ?? [true];\n      \
         await (accept ? dialog.accept(dialog.type() === 'prompt' ? text : undefined) : dialog.dismiss());\n    }});\n  \
         }};\n  watch(first);\n  context.on('page', watch);\n  let page = first;\n",
        answers(trace),
    );
    for step in &trace.steps {
        out.push_str(&block(step));
    }
    let seen: Vec<String> =
        trace.steps.iter().flat_map(|step| &step.errors).map(|error| quoted(&error.message)).collect();
    if !seen.is_empty() {
        let _ = writeln!(out, "\n  // Recorded, and the reason for this test to fail while they last:");
        seen.iter().for_each(|error| out.push_str(&format!("  //   {error}\n")));
    }
    out.push_str("  expect(errors, 'errors that nothing caught').toEqual([]);\n});\n");
    out
}

fn waited(kind: &ActionKind) -> u64 {
    match kind {
        ActionKind::Wait { ms } | ActionKind::Key { hold_ms: ms, .. } => u64::from(*ms),
        _ => 0,
    }
}

/// How the dialogs were answered, in order.
fn answers(trace: &Trace) -> String {
    let effects = trace.steps.iter().flat_map(|step| &step.outcome.effects);
    let answer = |effect: &Effect| match effect {
        Effect::Dialog { message, accepted, .. } => Some(format!("[{accepted}, {}]", quoted(&prompt_answer(message)))),
        _ => None,
    };
    effects.filter_map(answer).collect::<Vec<_>>().join(", ")
}

fn block(step: &Step) -> String {
    let title = quoted(&format!("{} {}", step.index, step.action.label()));
    if step.outcome.status != OutcomeStatus::Performed {
        let why = step.outcome.detail.as_deref().unwrap_or("no reason was given");
        return format!("\n  // Not done, {:?}: {title}, {}\n", step.outcome.status, quoted(why));
    }
    let Some(code) = code(&step.action) else {
        return format!("\n  // Nothing to do here: {title}\n");
    };
    let mut text = format!("\n  await test.step({title}, async () => {{\n");
    code.iter().for_each(|line| text.push_str(&format!("    {line}\n")));
    if step.outcome.effects.iter().any(|effect| matches!(effect, Effect::LeftApp { .. })) {
        // Out of the app, the recorded session went back to where it had been.
        let path = step.url.strip_prefix("app:").unwrap_or("/");
        let _ = writeln!(text, "    if (!page.url().startsWith(base)) await page.goto(base + {});", quoted(path));
    }
    if step.outcome.effects.iter().any(|effect| matches!(effect, Effect::Closed)) {
        text.push_str("    if (page.isClosed()) page = context.pages()[0];\n");
    }
    text.push_str("  });\n");
    text
}

/// A JavaScript literal; JSON is one.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The expression that finds an element.
fn locator(target: &Target) -> String {
    let mut scope = String::from("page");
    let mut parts = target.selector.split(" |> ").collect::<Vec<_>>();
    let last = parts.pop().unwrap_or_default();
    for frame in parts {
        let _ = write!(scope, ".frameLocator({})", quoted(&pierced(frame)));
    }
    let css = pierced(last);
    // An id of its own is as stable as it gets.
    let plain_id = css.starts_with('#') && !css.contains([' ', '>', ':']);
    let role = ROLES.contains(&target.role.as_str());
    if plain_id || !role || target.name.is_empty() || target.name.ends_with('…') {
        return format!("{scope}.locator({})", quoted(&css));
    }
    format!("(await find({scope}, {}, {}, {}))", quoted(&css), quoted(&target.role), quoted(&target.name))
}

/// Playwright's CSS goes into open shadow roots by itself.
fn pierced(selector: &str) -> String {
    selector.replace(" >>> ", " ")
}

fn point(at: Point) -> String {
    format!("{}, {}", at.x.floor(), at.y.floor())
}

/// The lines that carry an action out; none where there is nothing to do.
fn code(action: &Action) -> Option<Vec<String>> {
    let on = action.target.as_ref().map(locator);
    let at = |at: &Option<Point>| at.map(point);
    let pointed = |where_: &Option<Point>, element: &str, mouse: &str| match (at(where_), &on) {
        (Some(place), _) => Some(format!("await page.{};", mouse.replace('@', &place))),
        (None, Some(on)) => Some(format!("await {on}.{element};")),
        (None, None) => None,
    };
    let one = |line: Option<String>| line.map(|line| vec![line]);
    match &action.kind {
        ActionKind::Load { url } => match url.strip_prefix("app:") {
            Some(path) => one(Some(format!("await page.goto(base + {});", quoted(path)))),
            None => one(Some(format!("await page.goto({});", quoted(url)))),
        },
        ActionKind::Click { at } => one(pointed(at, "click()", "mouse.click(@)")),
        ActionKind::DoubleClick { at } => one(pointed(at, "dblclick()", "mouse.dblclick(@)")),
        ActionKind::RightClick { at } => {
            one(pointed(at, "click({ button: 'right' })", "mouse.click(@, { button: 'right' })"))
        }
        ActionKind::Hover { at } => one(pointed(at, "hover()", "mouse.move(@)")),
        ActionKind::Touch { at } => one(pointed(at, "tap()", "touchscreen.tap(@)")),
        ActionKind::Type { text } => one(Some(match &on {
            Some(on) => format!("await type(page, {on}, {});", quoted(text)),
            None => format!("await page.keyboard.type({});", quoted(text)),
        })),
        ActionKind::Clear => one(on.map(|on| format!("await {on}.fill('');"))),
        ActionKind::Key { key, hold_ms } => {
            let name = if key == " " { "Space" } else { key };
            let held = if *hold_ms > 0 { format!(", {{ delay: {hold_ms} }}") } else { String::new() };
            let mut lines: Vec<String> = on.iter().map(|on| format!("await {on}.focus();")).collect();
            lines.push(format!("await page.keyboard.press({}{held});", quoted(name)));
            Some(lines)
        }
        ActionKind::Select { values } => {
            let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
            one(on.map(|on| format!("await {on}.selectOption([{}]);", values.join(", "))))
        }
        ActionKind::Check { checked } => one(on.map(|on| format!("await check({on}, {checked});"))),
        ActionKind::Drag { onto: Some(onto), .. } => one(on.map(|on| format!("await {on}.dragTo({});", locator(onto)))),
        ActionKind::Drag { onto: None, to } => {
            let to = (*to)?;
            one(on.map(|on| format!("await drag(page, {on}, {});", point(to))))
        }
        ActionKind::Scroll { dx, dy } => {
            let mut lines: Vec<String> = on.iter().map(|on| format!("await {on}.hover();")).collect();
            lines.push(format!("await page.mouse.wheel({dx}, {dy});"));
            Some(lines)
        }
        ActionKind::Resize { width, height } => {
            one(Some(format!("await page.setViewportSize({{ width: {width}, height: {height} }});")))
        }
        ActionKind::Upload { files } => one(on.map(|on| format!("await {on}.setInputFiles([{}]);", given(files)))),
        ActionKind::Wait { ms } => one(Some(format!("await page.waitForTimeout({ms});"))),
        ActionKind::Back => one(Some("await page.goBack();".to_owned())),
        ActionKind::Forward => one(Some("await page.goForward();".to_owned())),
        ActionKind::Reload => one(Some("await page.reload();".to_owned())),
        ActionKind::SwitchTab { index } => one(Some(format!("page = context.pages()[{index}];"))),
        // Dialogs are answered as they open.
        _ => None,
    }
}

/// The files of an upload, by their content.
fn given(files: &[String]) -> String {
    let file = |name: &String| {
        let content = base64::engine::general_purpose::STANDARD.encode(sample_file(name));
        format!(
            "{{ name: {}, mimeType: 'application/octet-stream', buffer: Buffer.from({}, 'base64') }}",
            quoted(name),
            quoted(&content)
        )
    };
    files.iter().map(file).collect::<Vec<_>>().join(", ")
}
