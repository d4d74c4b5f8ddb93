//! The bench with a real browser; skipped, with the reason printed, where there is none.

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use serde_json::json;
use webeval_browser::{Driver, DriverOptions, Error};
use webeval_judges::liveeval::{Bench, Evaluator, PageBench, Registry, ToolKind};

const PAGE: &str = "<!doctype html><title>Segments</title><style>
    body { margin: 20px; background: #fff; font: 16px sans-serif }
    button { width: 140px; height: 40px; background: rgb(200, 200, 200); border: 1px solid #888 }
    #subtle:hover { background: rgb(197, 200, 200) }
    .red { width: 100px; height: 100px; background: rgb(255, 0, 0); position: absolute; left: 300px; top: 300px }
    </style><button id=subtle>Add Segment</button> <button id=still onclick=\"list.append('one more ')\">Add</button>
    <input aria-label=Name><p id=list></p><div class=red></div>";

async fn serve() -> String {
    let app = Router::new().route("/", get(|| async { Html(PAGE) }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    origin
}

async fn driver() -> Option<Driver> {
    match Driver::start(&DriverOptions::default()).await {
        Ok(driver) => Some(driver),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

/// A bench, or none where a driver has no browser.
async fn bench(driver: &Driver, id: &str) -> Option<PageBench> {
    let evaluator: Evaluator = Registry::shipped().unwrap().get(id).unwrap().clone();
    match PageBench::open(driver, &serve().await, "/", &evaluator).await {
        Ok(bench) => Some(bench),
        Err(webeval_judges::Error::Browser(error @ Error::BrowserMissing { .. })) => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn reference(context: &str, name: &str) -> String {
    let line =
        context.lines().find(|line| line.contains(&format!("{name:?}"))).unwrap_or_else(|| panic!("{name}: {context}"));
    line.split(' ').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_subtle_hover_is_measured_against_a_picture_from_before() {
    let Some(driver) = driver().await else { return };
    let Some(mut bench) = bench(&driver, "ui").await else { return };
    let overview = bench.overview().await.unwrap();
    assert_eq!(overview.pictures.len(), 1);
    let add = reference(&overview.text, "Add Segment");
    let shown = bench.use_tool(ToolKind::Hover, &json!({"ref": add})).await.unwrap();
    assert!(shown.compared && shown.pictures.len() == 2, "{shown:?}");
    let style = "style of the target: background-color \"rgb(200, 200, 200)\" became \"rgb(197, 200, 200)\"";
    assert!(shown.text.contains(style), "{}", shown.text);
    assert!(shown.text.contains("by up to 3 of 255"), "{}", shown.text);

    let under = bench.use_tool(ToolKind::PreviewClickAt, &json!({"x": 350, "y": 350})).await.unwrap();
    assert!(under.text.starts_with("div \"\" at 300,300,100,100"), "{}", under.text);
    let button = reference(&overview.text, "Add");
    let clicked = bench.use_tool(ToolKind::ClickElement, &json!({"ref": button})).await.unwrap();
    assert!(clicked.text.contains("done: click button \"Add\"") && clicked.compared, "{}", clicked.text);
    let context = bench.use_tool(ToolKind::PageContext, &json!({})).await.unwrap();
    assert!(context.text.contains("one more"), "{}", context.text);
    let wrong = bench.use_tool(ToolKind::ClickElement, &json!({"ref": "e999"})).await.unwrap();
    assert!(wrong.text.starts_with("there is no element \"e999\""), "{}", wrong.text);
}

#[tokio::test]
async fn evaluators_see_the_page_in_their_own_way() {
    let Some(driver) = driver().await else { return };
    let Some(mut colours) = bench(&driver, "colour-blind").await else { return };
    let shown = colours.use_tool(ToolKind::Screenshot, &json!({})).await.unwrap();
    let picture = image::load_from_memory(shown.pictures[0].1.bytes()).unwrap().to_rgb8();
    // The model's matrix turns pure red into this.
    assert_eq!(picture.get_pixel(350, 350).0, [163, 144, 0]);
    drop(colours);

    let Some(mut reader) = bench(&driver, "screen-reader").await else { return };
    let overview = reader.overview().await.unwrap();
    assert!(overview.pictures.is_empty());
    assert!(overview.text.contains("textbox \"Name\"") && !overview.text.contains(" at "), "{}", overview.text);

    let Some(mut phone) = bench(&driver, "mobile-touch").await else { return };
    let overview = phone.overview().await.unwrap();
    assert!(overview.text.contains("window 390×844"), "{}", overview.text);
    let add = reference(&overview.text, "Add");
    let touched = phone.use_tool(ToolKind::Touch, &json!({"ref": add})).await.unwrap();
    assert!(touched.text.contains("done: touch button \"Add\""), "{}", touched.text);
}
