//! Sections against what the pages' author marked as such, and the promises of `detect` on every page.

use serde::Deserialize;
use webeval_browser::Session;
use webeval_evidence::Rect;
use webeval_sections::section::Layer;
use webeval_sections::{Page, Section, capture, detect, measure};

use crate::support::{browser, open};

/// A section that the author marked: its name and the box of its elements.
#[derive(Debug, Deserialize)]
struct Marked {
    name: String,
    rect: Rect,
}

/// `data-section` names a section; `data-with` says how many of the following siblings belong to it.
const MARKED: &str = r#"return JSON.stringify([...document.querySelectorAll("[data-section]")].map((first) => {
  let all = first.getBoundingClientRect();
  let [left, top, right, bottom] = [all.left, all.top, all.right, all.bottom];
  let next = first;
  for (let i = 0; i < Number(first.dataset.with || 0); i++) {
    next = next.nextElementSibling;
    const box = next.getBoundingClientRect();
    [left, top, right, bottom] = [Math.min(left, box.left), Math.min(top, box.top), Math.max(right, box.right), Math.max(bottom, box.bottom)];
  }
  return { name: first.dataset.section, rect: { x: left + scrollX, y: top + scrollY, width: right - left, height: bottom - top } };
}))"#;

async fn measured(session: &mut Session, name: &str) -> Page {
    open(session, name).await;
    let options = measure::Options { hit: measure::HitTests::Page, ..measure::Options::default() };
    capture::measure(session, options).await.unwrap()
}

fn same(a: &Rect, b: &Rect) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= 2.0;
    near(a.x, b.x) && near(a.y, b.y) && near(a.width, b.width) && near(a.height, b.height)
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    let width = (a.x + a.width).min(b.x + b.width) - a.x.max(b.x);
    let height = (a.y + a.height).min(b.y + b.height) - a.y.max(b.y);
    width > 0.01 && height > 0.01
}

/// Every flow section is in order, none overlaps another, and every visible text lies in one or in an overlay.
fn assert_cover(name: &str, page: &Page, sections: &[Section]) {
    let flow: Vec<&Section> = sections.iter().filter(|section| section.layer == Layer::Flow).collect();
    for (at, first) in flow.iter().enumerate() {
        for second in &flow[at + 1..] {
            assert!(!overlap(&first.rect, &second.rect), "{name}: {first:?} overlaps {second:?}");
            let beside = second.rect.y < first.rect.y + first.rect.height;
            assert!(second.rect.y >= first.rect.y || beside, "{name}: {second:?} is out of order");
        }
    }
    let mut ids: Vec<&str> = sections.iter().map(|section| section.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), sections.len(), "{name}: ids are not unique");
    for node in &page.measurement().nodes {
        let Some(text) = node.text.as_ref().filter(|_| node.opacity > 0.05) else { continue };
        let [x, y, width, height] = text.bounds;
        let shown = text.under.is_some();
        let middle = Rect { x: x + width / 2.0, y: y + height / 2.0, width: 0.1, height: 0.1 };
        assert!(
            !shown || sections.iter().any(|section| overlap(&section.rect, &middle)),
            "{name}: nothing holds {text:?}"
        );
    }
}

#[tokio::test]
async fn sections_are_those_that_the_author_marked() {
    let Some(mut session) = browser().await else { return };
    for name in ["pages/landing.html", "pages/shop.html", "pages/article.html"] {
        let page = measured(&mut session, name).await;
        let sections = detect(&page);
        assert_cover(name, &page, &sections);
        let answer = session.evaluate(MARKED, &[]).await.unwrap();
        let marked: Vec<Marked> = serde_json::from_str(answer.as_str().unwrap()).unwrap();
        for expected in &marked {
            let found = sections.iter().find(|section| same(&section.rect, &expected.rect));
            let found = found.unwrap_or_else(|| panic!("{name}: {expected:?} is not among {sections:#?}"));
            assert_eq!(found.name, expected.name, "{name}");
        }
        assert_eq!(sections.len(), marked.len(), "{name}: {sections:#?}");
    }
}

#[tokio::test]
async fn the_cover_holds_on_odd_pages() {
    let Some(mut session) = browser().await else { return };
    let pages = [
        "pages/faults.html",
        "pages/sound.html",
        "odd/rtl.html",
        "odd/restless.html",
        "odd/shadow.html",
        "odd/page.xhtml",
    ];
    for name in pages {
        let page = measured(&mut session, name).await;
        let sections = detect(&page);
        assert!(!sections.is_empty(), "{name}");
        assert_cover(name, &page, &sections);
    }
    let page = measured(&mut session, "odd/hollow.html").await;
    assert_eq!(detect(&page), []);
    let page = measured(&mut session, "odd/frameset.html").await;
    assert!(page.measurement().frameset);
    let texts = page.measurement().nodes.iter().filter_map(|node| node.text.as_ref());
    assert_eq!(texts.filter(|text| text.text == "Inside a frame").count(), 2);
}

#[tokio::test]
async fn ids_survive_a_second_rendering() {
    let Some(mut session) = browser().await else { return };
    let ids = |page: &Page| detect(page).into_iter().map(|section| section.id).collect::<Vec<_>>();
    let first = ids(&measured(&mut session, "pages/landing.html").await);
    let again = ids(&measured(&mut session, "pages/landing.html").await);
    assert_eq!(first, again);
}

#[tokio::test]
async fn right_to_left_rows_are_in_line_and_shadow_trees_are_checked() {
    let Some(mut session) = browser().await else { return };
    let page = measured(&mut session, "odd/rtl.html").await;
    let report = webeval_sections::check(&page);
    assert!(report.findings.iter().all(|finding| !finding.visible_error), "{:#?}", report.findings);
    let page = measured(&mut session, "odd/shadow.html").await;
    let report = webeval_sections::check(&page);
    let selectors: Vec<&str> =
        report.findings.iter().filter(|f| f.visible_error).map(|f| f.selector.as_str()).collect();
    assert_eq!(selectors, ["html > body > x-card:nth-of-type(1) >>> p:nth-of-type(1)"]);
}
