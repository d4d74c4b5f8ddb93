//! Runs that lack something.

use scraper::Html;
use webeval_evidence::*;

use crate::page::{all, check_links, text};
use crate::sample;

fn sentences(page: &Html) -> String {
    all(page, ".absent, .know li").iter().map(text).collect::<Vec<_>>().join("\n")
}

fn page_of(run: &RunDir) -> Html {
    let page = Html::parse_document(&webeval_report::report(run).unwrap());
    check_links(&page);
    page
}

#[test]
fn a_run_that_has_not_begun() {
    let folder = tempfile::tempdir().unwrap();
    let record = RunRecord::new(AppSource::HtmlFile { path: "/apps/one.html".into() }, None, Settings::default());
    let page = page_of(&RunDir::create(folder.path().join("run"), &record).unwrap());
    let said = sentences(&page);
    for sentence in [
        "Nobody has judged this run yet",
        "There is no state graph",
        "No step is recorded",
        "There is no coverage: this run has no coverage.json",
        "No step was made",
    ] {
        assert!(said.contains(sentence), "{sentence:?} is not said in\n{said}");
    }
    assert_eq!(text(&all(&page, "h1")[0]), "one.html");
    assert!(text(&all(&page, "header")[0]).contains("No requirement was given"));
}

#[test]
fn a_black_box_says_why_there_is_no_coverage() {
    let folder = tempfile::tempdir().unwrap();
    let mut record = sample::record();
    record.app = AppSource::Url { url: "http://127.0.0.1:3000/".into() };
    if let Some(how) = &mut record.deployment {
        how.mode = DeployMode::BlackBox;
    }
    let run = RunDir::create(folder.path().join("run"), &record).unwrap();
    let mut steps = sample::steps(&run);
    steps.iter_mut().for_each(|step| step.coverage = None);
    sample::write_trace(&run, &steps, true);
    let page = page_of(&run);
    assert!(sentences(&page).contains("There is no coverage: the app ran as a black box"));
    assert!(all(&page, "svg.curve").is_empty() && all(&page, ".meter").is_empty());
    assert_eq!(all(&page, "a[href^='http']").len(), 0);
}

#[test]
fn an_interrupted_run_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut record = sample::record();
    record.stages.retain(|stage, _| *stage <= Stage::Explore);
    record.stages.get_mut(&Stage::Explore).unwrap().status = StageStatus::Interrupted;
    let run = RunDir::create(folder.path().join("run"), &record).unwrap();
    sample::write_trace(&run, &sample::steps(&run)[..4], false);
    let page = page_of(&run);
    let said = sentences(&page);
    for sentence in [
        "Exploration did not come to its end",
        "wrote no closing summary",
        "The states have not been worked out",
        "Nobody has judged",
    ] {
        assert!(said.contains(sentence), "{sentence:?} is not said in\n{said}");
    }
    assert_eq!(all(&page, ".step").len(), 4);
    // Coverage at the end is the last step's where the map itself is not there.
    assert!(text(&all(&page, ".meters")[0]).contains("75 %"));
}

#[test]
fn what_cannot_be_read_is_said_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("run");
    let run = sample::complete(&root);
    run.write_file("coverage.json", b"[1, 2").unwrap();
    run.write_file("states.json", b"{\"format\": 1, \"steps\": [], \"graph\": {\"states\": 3}}").unwrap();
    for shot in std::fs::read_dir(root.join("screenshots")).unwrap() {
        std::fs::write(shot.unwrap().path(), b"\x89PNG\r\n\x1a\nnot a picture").unwrap();
    }
    let page = page_of(&run);
    let said = sentences(&page);
    for sentence in [
        "coverage.json is there but cannot be read",
        "states.json is there but cannot be read",
        "3 screenshots could not be read",
    ] {
        assert!(said.contains(sentence), "{sentence:?} is not said in\n{said}");
    }
    assert!(all(&page, ".shot").is_empty());
}

#[test]
fn a_judge_that_was_stopped_keeps_what_it_said() {
    let folder = tempfile::tempdir().unwrap();
    let run = sample::complete(&folder.path().join("run"));
    run.write_scores(&ScoresFile::default()).unwrap();
    let page = page_of(&run);
    assert!(sentences(&page).contains("This judge was stopped before it could sum up"));
    assert_eq!(all(&page, ".said").len(), 3);
}

#[test]
fn a_failed_stage_names_whose_fault_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let mut record = sample::record();
    record.stages.retain(|stage, _| *stage == Stage::Deploy);
    let deploy = record.stages.get_mut(&Stage::Deploy).unwrap();
    deploy.status = StageStatus::Failed;
    deploy.failure = Some(StageFailure { message: "npm install ended with 1".into(), whose: FailureOwner::App });
    let page = page_of(&RunDir::create(folder.path().join("run"), &record).unwrap());
    assert_eq!(text(&all(&page, ".stages .failure")[0]), "npm install ended with 1 (the app’s fault)");
}
