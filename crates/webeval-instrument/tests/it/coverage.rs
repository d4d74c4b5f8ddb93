//! The data model against values worked out by hand.
use webeval_instrument::coverage::{ArmLocation, CoverageMap, Delta, FileCoverage, V8Function, V8Range};
use webeval_instrument::{Options, instrument};

fn file(json: &str) -> FileCoverage {
    serde_json::from_str(json).unwrap()
}

const SMALL: &str = r#"{"path":"a.js","statementMap":{"0":{"start":{"line":1,"column":0},"end":{"line":1,"column":9}},"1":{"start":{"line":1,"column":4},"end":{"line":1,"column":8}},"2":{"start":{"line":3,"column":0},"end":{"line":3,"column":1}}},"fnMap":{"0":{"name":"f","decl":{"start":{"line":1,"column":0},"end":{"line":1,"column":1}},"loc":{"start":{"line":1,"column":0},"end":{"line":3,"column":1}},"line":1}},"branchMap":{"2":{"loc":{"start":{"line":1,"column":4},"end":{"line":1,"column":8}},"type":"if","locations":[{"start":{"line":1,"column":4},"end":{"line":1,"column":8}},{"start":{},"end":{}}],"line":1}},"s":{"0":1,"1":0,"2":0},"f":{"0":2},"b":{"2":[0,3]}}"#;

#[test]
fn json_comes_back_as_it_went_in() {
    let small = file(SMALL);
    assert_eq!(serde_json::to_string(&small).unwrap(), SMALL);
    assert_eq!(small.branch_map.get(2).unwrap().locations[1], ArmLocation(None));
}

#[test]
fn totals_count_lines_on_which_statements_start() {
    let summary = file(SMALL).summary();
    assert_eq!((summary.lines.covered, summary.lines.total), (1, 2));
    assert_eq!((summary.statements.covered, summary.statements.total), (1, 3));
    assert_eq!((summary.functions.covered, summary.functions.total), (1, 1));
    assert_eq!((summary.branches.covered, summary.branches.total), (1, 2));
    // Istanbul's percent(1, 3): Math.floor((1000 * 100 * 1) / 3 / 10) / 100.
    assert_eq!(summary.statements.percent().to_string(), "33.33");
    assert_eq!(file(SMALL).uncovered_lines(), [3]);
}

#[test]
fn equal_maps_add_up_and_unequal_ones_match_by_place() {
    let mut one = file(SMALL);
    one.merge(&file(SMALL));
    assert_eq!(one.s.values().copied().collect::<Vec<_>>(), [2, 0, 0]);
    assert_eq!(one.b.get(2).unwrap(), &[0, 6]);
    // The other version has the outer statement and one of its own, 2:0-2:5, which lies in neither.
    let mut other = FileCoverage::empty("a.js");
    let outer = *one.statement_map.get(0).unwrap();
    let own = webeval_instrument::coverage::Range::new((2, 0), (2, 5));
    other.statement_map = [(0, outer), (1, own)].into_iter().collect();
    other.s = [(0, 5), (1, 1)].into_iter().collect();
    one.merge(&other);
    // 2 + 5; the inner statement 1:4-1:8 takes the hits of 1:0-1:9 around it; 3:0 has none; then the other's own.
    assert_eq!(one.s.values().copied().collect::<Vec<_>>(), [7, 5, 0, 1]);
}

#[test]
fn increments_are_added_and_first_hits_told() {
    let mut map: CoverageMap = [file(SMALL)].into_iter().collect();
    // In order: statements 0 to 2, the function, the two arms.
    let delta = Delta::from_json(r#"{"a.js":{"h":"","i":[0,1,4,5],"n":[1,2,1,1]},"b.js":{"i":[0],"n":[1]}}"#).unwrap();
    let gain = map.apply(&delta);
    assert_eq!((gain.statements, gain.functions, gain.branches), (1, 0, 1));
    assert_eq!(gain.unknown, ["b.js"]);
    let file = map.get("a.js").unwrap();
    assert_eq!(file.s.values().copied().collect::<Vec<_>>(), [2, 2, 0]);
    assert_eq!(file.b.get(2).unwrap(), &[1, 4]);
}

#[test]
fn increments_of_another_version_are_refused() {
    let done = instrument("a()", "a.js", &Options::default()).unwrap();
    let mut map: CoverageMap = [done.coverage].into_iter().collect();
    let gain = map.apply(&Delta::from_json(r#"{"a.js":{"h":"0000","i":[0],"n":[1]}}"#).unwrap());
    assert_eq!((gain.statements, gain.unknown.len()), (0, 1));
    let odd = Delta::from_json(r#"{"a.js":{"i":[99],"n":[1]}}"#).unwrap();
    assert_eq!(map.apply(&odd).statements, 0);
}

/// What V8 reported for this script, run in Node 20 through the inspector with `f(1)` called once.
#[test]
fn counts_of_v8_become_counts_of_statements() {
    let source =
        "function f(a) {\n  if (a) {\n    return a ? 1 : 2;\n  }\n  return 3;\n}\nfunction g() { return 4; }\nf(1);\n";
    let range = |from: &str, to: &str, count| V8Range {
        start_offset: source.find(from).unwrap() as u32,
        end_offset: (source.find(to).unwrap() + to.len()) as u32,
        count,
    };
    let whole = V8Range { start_offset: 0, end_offset: source.len() as u32, count: 1 };
    let function = |ranges| V8Function { function_name: String::new(), ranges, is_block_coverage: true };
    let functions = [
        function(vec![whole]),
        function(vec![range("function f", "3;\n}", 1), range(" : 2", " : 2", 0), range("\n  return 3", "3;\n", 0)]),
        function(vec![range("function g", "4; }", 0)]),
    ];
    let file = FileCoverage::from_v8(source, "a.js", &functions, &Options::default()).unwrap();
    assert_eq!(file.s.values().copied().collect::<Vec<_>>(), [1, 1, 0, 0, 1]);
    assert_eq!(file.f.values().copied().collect::<Vec<_>>(), [1, 0]);
    assert_eq!(file.b.values().cloned().collect::<Vec<_>>(), [vec![1, 0], vec![1, 0]]);
}
