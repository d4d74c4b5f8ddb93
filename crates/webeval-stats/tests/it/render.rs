//! What the writers make of results: exact text for small tables, well-formed plots for odd names.

use crate::close;
use webeval_stats::analysis::{Breakdown, Over, dimension_correlations, losses};
use webeval_stats::leaderboard::Missing;
use webeval_stats::pairwise::{Agreed, BandAgreement, Preference, TABLE_4_BANDS};
use webeval_stats::render::{Grid, Value, agreement_svg, json, leaderboard_svg};
use webeval_stats::votes::Vote;
use webeval_stats::{
    Bootstrap, Combine, Dimension, Label, Leaderboard, Row, Scheme, ScoreTable, Settings, bradley_terry, compare,
};

const ODD: &str = "a|b, \"c\" <d>\u{1b}[31m\n&_*";

fn scheme(combine: Combine) -> Scheme {
    let dimension = |name: &str| Dimension::new(name, 0.0, 10.0).unwrap();
    Scheme::new("test", combine, vec![("both".into(), vec![dimension("x"), dimension("y")])]).unwrap()
}

fn table(combine: Combine, names: [&str; 2]) -> ScoreTable {
    let scores = [[[4.0, 6.0], [8.0, 2.0]], [[1.0, 3.0], [3.0, 3.0]]];
    let mut rows = Vec::new();
    for (model, tasks) in names.iter().zip(scores) {
        for (t, [x, y]) in tasks.into_iter().enumerate() {
            rows.push(Row::score(*model, format!("t{t}"), "x", x));
            rows.push(Row::score(*model, format!("t{t}"), "y", y));
        }
    }
    ScoreTable::new(scheme(combine), rows).unwrap()
}

fn board(combine: Combine, names: [&str; 2], bootstrap: bool) -> Leaderboard {
    let mut settings = Settings::new(Missing::Error);
    if bootstrap {
        settings = settings.with_bootstrap(Bootstrap::new(1).with_resamples(200).unwrap());
    }
    Leaderboard::new(&table(combine, names), &settings).unwrap()
}

#[test]
fn text_pads_columns_and_puts_numbers_to_the_right() {
    let text = Grid::leaderboard(&board(Combine::Sum, ["ada", "grace"], false)).text();
    let expected = "\
rank  model     x     y   both  total
-------------------------------------
   1  ada    6.00  4.00  10.00  10.00
   2  grace  2.00  3.00   5.00   5.00

Tasks: 2. Scheme: test.
";
    assert_eq!(text, expected);
}

#[test]
fn markdown_escapes_names_and_lists_notes() {
    let markdown = Grid::leaderboard(&board(Combine::Sum, ["<i>", "a|b"], false)).markdown();
    let expected = "\
| rank | model | x | y | both | total |
| ---: | --- | ---: | ---: | ---: | ---: |
| 1 | &lt;i&gt; | 6.00 | 4.00 | 10.00 | 10.00 |
| 2 | a\\|b | 2.00 | 3.00 | 5.00 | 5.00 |

- Tasks: 2. Scheme: test.
";
    assert_eq!(markdown, expected);
}

#[test]
fn csv_holds_figures_in_full_with_their_intervals() {
    let plain = Grid::leaderboard(&board(Combine::Sum, ["x,\"y\"", "b"], false)).csv();
    let expected = "rank,model,x,y,both,total\r\n1,\"x,\"\"y\"\"\",6,4,10,10\r\n2,b,2,3,5,5\r\n";
    assert_eq!(plain, expected);

    let board = board(Combine::Mean, ["ada", "bob"], true);
    let csv = Grid::leaderboard(&board).csv();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header: Vec<String> = reader.headers().unwrap().iter().map(String::from).collect();
    let place = |name: &str| header.iter().position(|h| h == name).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let ada = &board.standings[0];
    let number = |name: &str| rows[0][place(name)].parse::<f64>().unwrap();
    let total = ada.total.unwrap();
    let interval = total.interval.unwrap();
    assert_eq!(
        (number("total"), number("total_low"), number("total_high")),
        (total.value, interval.low, interval.high)
    );
    assert_eq!(number("rank_high"), ada.rank.unwrap().interval.unwrap().1 as f64);
    // The columns for the reader are not repeated.
    assert!(!header.iter().any(|h| h == "interval" || h == "places"));
    let text = Grid::leaderboard(&board).text();
    assert!(text.contains("interval") && text.contains("places"));
}

#[test]
fn z_scores_carry_their_sign_and_zero_carries_none() {
    let text = Grid::leaderboard(&board(Combine::StandardisedMean, ["ada", "bob"], false)).text();
    assert!(text.contains("+1.000") && text.contains("-1.000"), "{text}");
    let mut grid = Grid::new(["v"]);
    grid.push([Value::Signed(-0.000_4, 3)]);
    grid.push([Value::Number(-0.004, 2)]);
    grid.push([Value::Share(2.0 / 3.0)]);
    grid.push([Value::PValue(0.000_01)]);
    grid.push([]);
    let text = grid.text();
    let lines: Vec<&str> = text.lines().skip(2).map(str::trim).collect();
    assert_eq!(lines, ["0.000", "0.00", "66.7%", "<0.0001", "–"]);
    assert_eq!(grid.csv(), "v\r\n-0.0004\r\n-0.004\r\n0.6666666666666666\r\n0.00001\r\n\r\n");
}

#[test]
fn control_characters_reach_neither_terminal_nor_page() {
    let board = board(Combine::Sum, [ODD, "plain"], true);
    for text in [Grid::leaderboard(&board).text(), Grid::raw_scores(&board).markdown(), leaderboard_svg(&board)] {
        assert!(!text.contains('\u{1b}'));
    }
    // One line a model, header, rule, and notes: the name's line feed breaks none.
    let losses = Grid::losses(&board, &losses(&board)).text();
    assert_eq!(losses.lines().count(), 4);
    // CSV keeps the name as it is.
    let csv = Grid::raw_scores(&board).csv();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    assert_eq!(&reader.records().next().unwrap().unwrap()[0], ODD);
}

/// The text of each element of a plot that has some.
fn svg_texts(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap();
    document
        .descendants()
        .filter(|node| node.has_tag_name("text"))
        .filter_map(|node| node.text().map(str::to_owned))
        .collect()
}

fn count(svg: &str, tag: &str) -> usize {
    let document = roxmltree::Document::parse(svg).unwrap();
    document.descendants().filter(|n| n.tag_name().name() == tag).count()
}

#[test]
fn leaderboard_plots_are_well_formed_and_show_each_model() {
    let svg = leaderboard_svg(&board(Combine::Sum, [ODD, "plain"], true));
    let texts = svg_texts(&svg);
    assert!(texts.contains(&"plain".to_owned()));
    assert!(texts.iter().any(|t| t.contains("a|b, \"c\" <d>")), "{texts:?}");
    assert!(texts.contains(&"10.00".to_owned()) && texts.contains(&"5.00".to_owned()));
    assert_eq!(count(&svg, "circle"), 2);
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn dots_stand_where_their_totals_are() {
    let svg = leaderboard_svg(&board(Combine::Sum, ["ada", "bob"], false));
    let document = roxmltree::Document::parse(&svg).unwrap();
    let dots: Vec<f64> = document
        .descendants()
        .filter(|n| n.has_tag_name("circle"))
        .map(|n| n.attribute("cx").unwrap().parse().unwrap())
        .collect();
    let label = |text: &str| -> f64 {
        let node = document
            .descendants()
            .find(|n| n.has_tag_name("text") && n.text() == Some(text) && n.attribute("text-anchor") == Some("middle"));
        node.unwrap().attribute("x").unwrap().parse().unwrap()
    };
    // Totals 10 and 5 under the axis marks of 10 and 5.
    close(dots[0], label("10"), 0.1);
    close(dots[1], label("5"), 0.1);
}

#[test]
fn plots_of_nothing_or_of_equal_totals_are_still_plots() {
    let rows = [Row::score("a", "t", "x", 1.0), Row::score("a", "t", "y", 1.0)];
    for combine in [Combine::StandardisedMean, Combine::Sum] {
        let table = ScoreTable::new(scheme(combine), rows.clone()).unwrap();
        let board = Leaderboard::new(&table, &Settings::new(Missing::Error)).unwrap();
        let svg = leaderboard_svg(&board);
        let dots = if combine == Combine::Sum { 1 } else { 0 };
        assert_eq!(count(&svg, "circle"), dots);
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}

fn table_4() -> BandAgreement {
    let counts = [(65, 48), (52, 45), (30, 26), (13, 13), (17, 16), (7, 7), (13, 13)];
    let within = counts.map(|(n, agree)| Agreed { n, agree });
    BandAgreement::from_counts(&TABLE_4_BANDS, &within).unwrap()
}

#[test]
fn bands_are_written_and_drawn_like_table_4() {
    let text = Grid::bands(&table_4()).text();
    assert!(text.contains("[0.25, 0.5)") && text.contains("[2, ∞)"));
    let first = text.lines().nth(2).unwrap();
    let fields: Vec<&str> = first.split_whitespace().skip(2).collect();
    assert_eq!(fields[..3], ["65", "48", "73.8%"]);
    assert_eq!(fields[5..8], ["197", "168", "85.3%"]);
    let svg = agreement_svg(&table_4());
    // The page and a bar for each band; a dot for each cumulative rate.
    assert_eq!((count(&svg, "rect"), count(&svg, "circle")), (8, 7));
    assert!(svg_texts(&svg).contains(&"n = 65".to_owned()));
    let empty = BandAgreement::from_counts(&[0.0], &[Agreed::default()]).unwrap();
    assert_eq!(count(&agreement_svg(&empty), "circle"), 0);
}

#[test]
fn every_result_has_a_table() {
    let table = table(Combine::Mean, ["ada", "bob"]);
    let settings = Settings::new(Missing::Error);
    let label = |task: &webeval_stats::TaskName| (task.as_str() == "t0").then(|| Label::from("easy"));
    let breakdown = Breakdown::new(&table, &settings, label).unwrap();
    let text = Grid::breakdown(&breakdown).text();
    // ada on t0: (4 + 6) / 2, bob (1 + 3) / 2, together 3.5.
    for expected in ["easy (n=1)", "5.00", "2.00", "all models", "3.50", "Tasks without a label: 1."] {
        assert!(text.contains(expected), "{expected} in\n{text}");
    }
    let correlations = dimension_correlations(&table, &settings, Over::Models).unwrap();
    assert!(Grid::correlations(&correlations).text().contains("+1.00"));
    let board = Leaderboard::new(&table, &settings).unwrap();
    let judges = Grid::judges(&compare::judges(&board, &board).unwrap()).text();
    assert!(judges.contains("100.0%"), "{judges}");
    let certainty = compare::Certainty::default();
    let two = compare::models(&table, &settings, &"ada".into(), &"bob".into(), certainty);
    // Means of ada 5 and 5, of bob 2 and 3.
    assert!(Grid::comparison(&two.unwrap()).text().contains("+2.500"));
    let vote = |preference| Vote { task: "t".into(), left: "ada".into(), right: "bob".into(), preference };
    let votes = [vote(Preference::Left), vote(Preference::Tie)];
    let strengths = bradley_terry::fit(&votes, None).unwrap();
    // 1.5 wins to 0.5: three to one, 191 points of Elo apart.
    let text = Grid::strengths(&strengths).text();
    assert!(text.contains("1095") && text.contains("905"), "{text}");
    let raters = webeval_stats::agreement::RaterAgreement::new(&[1, 2, 1], &[1, 2, 2], 2);
    assert!(Grid::raters(&raters.unwrap()).text().contains("66.7%"));
}

#[test]
fn json_holds_the_whole_result_and_comes_back() {
    let board = board(Combine::Sum, [ODD, "plain"], true);
    let text = json(&board).unwrap();
    assert!(text.ends_with("}\n"));
    let back: Leaderboard = serde_json::from_str(&text).unwrap();
    assert_eq!(back, board);
    assert!(json(&table_4()).unwrap().contains("\"cumulative\""));
}
