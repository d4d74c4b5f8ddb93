//! What the page of a complete run holds.

use std::collections::HashSet;
use std::sync::OnceLock;

use scraper::{ElementRef, Html, Selector};

use crate::sample;

pub(crate) fn all<'a>(page: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    page.select(&Selector::parse(selector).unwrap()).collect()
}

pub(crate) fn text(element: &ElementRef<'_>) -> String {
    element.text().collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The page of the complete run, made once for all tests.
pub(crate) fn complete() -> Html {
    static PAGE: OnceLock<String> = OnceLock::new();
    let page = PAGE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let run = sample::complete(&folder.path().join("run"));
        webeval_report::report(&run).unwrap()
    });
    Html::parse_document(page)
}

/// Every id once, every link to an id that is there, and no other kind of link.
pub(crate) fn check_links(page: &Html) {
    let ids: Vec<&str> = all(page, "[id]").iter().filter_map(|element| element.value().attr("id")).collect();
    let unique: HashSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "an id is given twice");
    let links = all(page, "[href]");
    for link in &links {
        let to = link.value().attr("href").unwrap();
        assert!(to.starts_with('#') && unique.contains(&to[1..]), "{to} leads nowhere");
    }
    for labelled in all(page, "[aria-labelledby]") {
        assert!(unique.contains(labelled.value().attr("aria-labelledby").unwrap()));
    }
}

/// Nothing on the page is fetched or run.
pub(crate) fn check_closed(page: &Html) {
    assert!(all(page, "script, iframe, object, embed, link, base, form, img, video, audio, style[src]").is_empty());
    for element in all(page, "*") {
        for (name, value) in element.value().attrs() {
            assert!(!name.starts_with("on"), "{name} runs code");
            assert!(
                !matches!(name, "src" | "srcset" | "background" | "poster" | "action" | "formaction" | "ping"),
                "{name}={value}"
            );
        }
    }
    for style in all(page, "style") {
        let css = style.text().collect::<String>();
        assert!(!css.contains("@import"));
        for part in css.split("url(").skip(1) {
            assert!(part.starts_with("data:image/"), "the style loads {}", &part[..part.len().min(40)]);
        }
    }
    let policy = all(page, "meta[http-equiv=Content-Security-Policy]");
    let policy = policy[0].value().attr("content").unwrap();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("script-src"), "{policy}");
}

#[test]
fn every_link_leads_somewhere_and_nothing_is_loaded() {
    let page = complete();
    check_links(&page);
    check_closed(&page);
}

#[test]
fn every_citation_links_to_its_evidence() {
    let page = complete();
    let first = &all(&page, ".criteria li")[0];
    let links: Vec<_> = first.select(&Selector::parse("a").unwrap()).collect();
    let addresses: Vec<&str> = links.iter().filter_map(|link| link.value().attr("href")).collect();
    assert_eq!(&addresses[..4], ["#step-2", "#state-1", "#state-0", "#state-1"]);
    // The picture of step 2 is the second different one of the trace.
    assert_eq!(addresses[4], "#picture-1");
    assert_eq!(addresses.len(), 5);
}

#[test]
fn what_nobody_judged_is_not_a_zero() {
    let page = complete();
    let rows = all(&page, ".scores tbody tr");
    let figure = |name: &str| {
        let row = rows.iter().find(|row| text(row).starts_with(name)).unwrap();
        text(&row.select(&Selector::parse("td.num b").unwrap()).next().unwrap())
    };
    assert_eq!(figure("aesthetics"), "not judged");
    assert_eq!(figure("rules.stability"), "0");
    assert_eq!(figure("rules.visual"), "82.5");
    assert_eq!(figure("alignment.functional"), "33.3");
    assert_eq!(all(&page, ".scores td.num small").iter().map(text).collect::<Vec<_>>(), ["between 33.3 and 66.7"]);
    assert_eq!(all(&page, ".scores tr.open .track").len(), 0, "a bar where there is no score");
    // Two dimensions and one criterion.
    assert_eq!(
        rows.iter().filter(|row| text(row).contains("not judged") && row.value().attr("class") == Some("open")).count(),
        2
    );
    let verdicts: Vec<String> = all(&page, ".criteria .tag").iter().map(text).collect();
    assert_eq!(verdicts, ["met", "not met", "not judged", "met"]);
}

#[test]
fn findings_come_worst_first_with_place_and_picture() {
    let page = complete();
    let rules: Vec<String> = all(&page, ".findings .rule").iter().map(text).collect();
    assert_eq!(rules, ["uncaught-error", "dead-control", "contrast"]);
    assert_eq!(all(&page, ".findings .thumb .spot").len(), 3);
    // 442 of 1280 and 168 of 800 pixels.
    let spot = all(&page, ".findings .spot").last().unwrap().value().attr("style").unwrap().to_owned();
    assert!(spot.starts_with("left:34.53%;top:21.00%"), "{spot}");
}

#[test]
fn the_source_shows_what_never_ran() {
    let page = complete();
    let never: Vec<String> = all(&page, ".source tr.never td:first-child").iter().map(text).collect();
    assert_eq!(never, ["4", "10"]);
    let marks = |class: &str| all(&page, &format!(".source mark.{class}")).iter().map(text).collect::<Vec<_>>();
    assert_eq!(marks("st"), ["return false;", "list.length = 0;"]);
    assert_eq!(marks("fn"), ["clear"]);
    assert_eq!(marks("br"), ["'some'"]);
    assert_eq!(all(&page, ".source .arm").iter().map(text).collect::<Vec<_>>(), ["never true"]);
    let code: String =
        all(&page, ".source td:nth-child(3)").iter().map(|line| line.text().collect::<String>() + "\n").collect();
    assert_eq!(code.replace("never true", ""), sample::SOURCE);
    let totals: Vec<String> = all(&page, ".files tfoot td").iter().map(text).collect();
    assert_eq!(totals, ["statements75 %6 of 8", "branches50 %2 of 4", "functions50 %1 of 2", "lines75 %6 of 8"]);
}

#[test]
fn the_trace_is_told_in_words() {
    let page = complete();
    let heads: Vec<String> = all(&page, ".steps .head b").iter().map(text).collect();
    assert_eq!(
        heads[..3],
        ["Open app:/index.html", "Type “Buy milk” into textbox “What needs doing?”", "Click button “Add”"]
    );
    assert_eq!(all(&page, ".step.faulty .number").iter().map(text).collect::<Vec<_>>(), ["5", "7", "8"]);
    assert_eq!(all(&page, ".step.gaining .number").iter().map(text).collect::<Vec<_>>(), ["0", "2"]);
    let order: Vec<&str> = all(&page, ".steps > li").iter().filter_map(|item| item.value().attr("class")).collect();
    assert_eq!(order[6], "hintline", "the hint stands after step 5");
    assert!(text(&all(&page, ".summary")[0]).contains("“Export” throws a TypeError"));
}

#[test]
fn the_graph_has_a_box_a_state_and_an_arrow_a_pair() {
    let page = complete();
    assert_eq!(all(&page, "svg.graph a.node").len(), 4);
    assert_eq!(all(&page, "svg.graph .shot").len(), 4);
    // 1→2, 2→3, 3→4, 4→2; the two actions that stay, in 1 and 4, and the two in 2 are folded.
    assert_eq!(all(&page, "svg.graph .edge").len(), 4);
    let marks: Vec<String> = all(&page, "svg.graph .marks").iter().map(text).collect();
    assert_eq!(marks, ["start · ↻ 1", "↻ 2", "", "↻ 1"]);
    let labels: Vec<String> = all(&page, "svg.graph .label").iter().map(text).collect();
    assert_eq!(labels, ["click Add", "tick Buy milk", "click Open"]);
}

#[test]
fn times_are_medians_and_nearest_rank_tenths() {
    let page = complete();
    let rows: Vec<String> = all(&page, ".times tbody tr").iter().map(text).collect();
    // Steps 1 to 8 take 110 … 180 ms and 3 … 10 ms of own work: ranks 4 and 8 of 8.
    assert_eq!(rows.last().unwrap(), "Whole step140 ms180 ms180 ms1160 ms");
    assert!(rows.contains(&"webeval’s own work6.0 ms10.0 ms10.0 ms52.0 ms".to_owned()), "{rows:?}");
    assert!(!rows.iter().any(|row| row.contains("model")), "no model was waited for");
}

#[test]
fn a_picture_is_embedded_once() {
    let folder = tempfile::tempdir().unwrap();
    let run = sample::complete(&folder.path().join("run"));
    let html = webeval_report::report(&run).unwrap();
    // Nine steps show three different pages.
    assert_eq!(html.matches("url(data:image/").count(), 3);
    let path = webeval_report::write(&run).unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), html, "the report of a run is the same every time");
}

#[test]
fn struck_citations_are_counted() {
    let page = complete();
    assert!(all(&page, ".entry p").iter().any(|line| text(line).starts_with("3 recorded; 1 citation struck")));
    assert_eq!(all(&page, ".said s").iter().map(text).collect::<Vec<_>>(), ["step 99"]);
}
