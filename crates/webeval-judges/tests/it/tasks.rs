//! Task files of other benchmarks, and criteria proposed by models.

use serde_json::json;
use webeval_evidence::CriterionKind;
use webeval_judges::{Error, Prompts, Task, checklist, import};
use webeval_llm::ChatModel;

use crate::model;
use crate::support::{Server, Turn};

fn texts(task: &Task, kind: CriterionKind) -> Vec<(&str, &str)> {
    task.criteria.of(kind).iter().map(|c| (c.id.as_str(), c.text.as_str())).collect()
}

#[test]
fn webgen_bench_rows_become_tasks() {
    let case = |category: &str, task: &str| json!({"task": task, "expected_result": "It does.", "task_category": {"primary_category": category, "subcategories": []}});
    let row = json!({
        "id": "000001", "instruction": "Make a shop.", "Category": {"primary_category": "x"}, "application_type": "Shops",
        "ui_instruct": [
            case("Functional Testing", "Buy something."), case("Design Validation Testing", "Look for white."),
            case("Data Display Testing", "Read the prices."), case("Functional Testing", "Pay.")
        ]
    });
    let tasks =
        import::webgen_bench("test.jsonl", &format!("{row}\n\n{}\n", json!({"id": 2, "instruction": "x"}))).unwrap();
    assert_eq!((tasks.len(), tasks[0].id.as_str(), tasks[1].id.as_str()), (2, "000001", "2"));
    let functional = [("F1", "Buy something. Expected: It does."), ("F2", "Pay. Expected: It does.")];
    assert_eq!(texts(&tasks[0], CriterionKind::Functional), functional);
    assert_eq!(texts(&tasks[0], CriterionKind::Content), [("C1", "Read the prices. Expected: It does.")]);
    assert_eq!(texts(&tasks[0], CriterionKind::Visual), [("V1", "Look for white. Expected: It does.")]);

    let error = import::webgen_bench("test.jsonl", "{\"id\": \"1\", \"instruction\": \"x\"}\n{\"id\": 1}").unwrap_err();
    assert!(
        error.to_string().starts_with("test.jsonl is not a task file: line 2: missing field `instruction`"),
        "{error}"
    );
    let error = import::webgen_bench("test.jsonl", "\n").unwrap_err();
    assert_eq!(error.to_string(), "test.jsonl is not a task file: it holds no task");
}

#[test]
fn live_eval_rows_become_one_task_a_query() {
    let row = |id: &str, query: &str| json!({"id": id, "query": query, "code": "```html```", "ext_info": {"model_name": "m"}});
    let rows = [row("a", "a clock"), row("b", "a clock"), row("c", "a map")];
    let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
    for text in [lines, json!(rows).to_string()] {
        let tasks = import::live_eval("rows", &text).unwrap();
        let tasks: Vec<_> = tasks.iter().map(|t| (t.id.as_str(), t.requirement.as_str())).collect();
        assert_eq!(tasks, [("a", "a clock"), ("c", "a map")]);
    }
}

#[test]
fn a_querys_own_criteria_become_functional_ones() {
    let row = json!({"query_id": 7, "query": "a clock", "query_specific_criteria": [
        {"name": "Hands", "description": "The hands move."}, {"name": "Alarm"}]});
    let tasks = import::live_eval("rows", &row.to_string()).unwrap();
    let criteria: Vec<_> = tasks[0].criteria.functional.iter().map(|c| (c.id.as_str(), c.text.as_str())).collect();
    assert_eq!((tasks[0].id.as_str(), criteria), ("7", vec![("F1", "Hands: The hands move."), ("F2", "Alarm")]));
}

#[tokio::test]
async fn criteria_in_a_majority_of_lists_are_kept() {
    let proposals = [
        json!({"functional": ["Items can be added", "Items can be removed"], "content": [], "visual": ["It is blue"]}),
        json!({"functional": ["One can add items"], "content": ["It says hello"], "visual": []}),
        json!({"functional": ["Adding items works", "Items can be deleted"], "content": [], "visual": []}),
    ];
    let merged = json!({"criteria": [
        {"set": "functional", "text": "Items can be added", "lists": [1, 2, 3]},
        {"set": "functional", "text": "Items can be removed", "lists": [1, 3, 3]},
        {"set": "visual", "text": "It is blue", "lists": [1, 1]},
    ]});
    let server = Server::answering(move |_, number| Turn::Json(proposals.get(number).unwrap_or(&merged).clone())).await;
    let model = model(&server);
    let proposers: Vec<&dyn ChatModel> = vec![&model; 3];
    let task = Task::new("list", "a blue list ⟦ that says hello");
    let made = checklist::generate(&task, &proposers, &model, &Prompts::default(), 7).await.unwrap();
    let kept = [("F1", "Items can be added"), ("F2", "Items can be removed")];
    assert_eq!(texts(&made.task, CriterionKind::Functional), kept);
    assert!(made.task.criteria.visual.is_empty() && made.task.criteria.content.is_empty());
    assert_eq!(made.notes, ["1 criteria were dropped: they are in no majority of the lists"]);
    assert_eq!((made.proposals.len(), made.usage.calls, &made.task.requirement), (3, 4, &task.requirement));
    assert_eq!(Task::from_json("list.json", &made.task.to_json()).unwrap(), made.task);
    let sent = server.requests();
    // The first three know nothing of each other; the merger sees all lists.
    for request in &sent[..3] {
        assert!(!request.to_string().contains("Items can be") && request.to_string().contains("that says hello"));
    }
    let lists = sent[3]["messages"][1]["content"].as_str().unwrap();
    assert!(lists.contains("List 2:\n- functional: One can add items\n- content: It says hello"), "{lists}");
}

#[tokio::test]
async fn a_model_that_proposes_nothing_is_named_and_one_list_needs_no_merging() {
    let list = json!({"functional": ["Items can be added"], "content": [], "visual": []});
    let server = Server::answering(move |_, number| match number {
        0 | 1 => Turn::Text("no".into()),
        _ => Turn::Json(list.clone()),
    })
    .await;
    let model = model(&server);
    let proposers: Vec<&dyn ChatModel> = vec![&model; 2];
    let task = Task::new("list", "a list");
    let made = checklist::generate(&task, &proposers, &model, &Prompts::default(), 0).await.unwrap();
    assert_eq!(texts(&made.task, CriterionKind::Functional), [("F1", "Items can be added")]);
    assert!(made.notes[0].starts_with("scripted proposed nothing: the answer breaks its schema"));
    assert_eq!(server.requests().len(), 3);

    let server = Server::answering(|_, _| Turn::Text("no".into())).await;
    let model = crate::model(&server);
    let error = checklist::generate(&task, &[&model], &model, &Prompts::default(), 0).await.unwrap_err();
    assert!(matches!(error, Error::Stopped { .. }), "{error}");
}
