//! What is written to disk.

use serde_json::Value;
use webeval_browser::{Driver, DriverOptions};
use webeval_evidence::{Rect, Viewport};
use webeval_sections::process::{Options, picture, process};
use webeval_sections::{Converted, convert};

use crate::support::{browser, fixture, open};

#[tokio::test]
async fn a_page_is_written_in_the_paper_s_shape() {
    let Some(mut session) = browser().await else { return };
    open(&mut session, "pages/landing.html").await;
    let out = tempfile::tempdir().unwrap();
    process(&mut session, out.path(), &Options::default()).await.unwrap();
    let file: Value = serde_json::from_slice(&std::fs::read(out.path().join("sections.json")).unwrap()).unwrap();
    let section = |name: &str| {
        let all = file["sections"].as_array().unwrap();
        all.iter().find(|section| section["name"] == name).unwrap_or_else(|| panic!("no {name}")).clone()
    };
    let hero = section("Hero");
    assert_eq!(hero["order"], 1);
    assert_eq!(hero["type"], "div");
    assert_eq!(hero["heading_h1"], "Every boat knows when to come in");
    assert_eq!(hero["heading_h2"], "");
    assert_eq!(hero["links"], serde_json::json!([{"label": "See the plans", "href": "#pricing"}]));
    assert!(hero["html"].as_str().unwrap().starts_with("<div class=\"hero\""));
    assert!(hero["body"].as_str().unwrap().contains("the coffee machine"));
    let run = &hero["text_runs"][0];
    assert_eq!(run["size"], 44.0);
    assert_eq!(run["color"], "#ffffff");
    assert_eq!(run["background"], serde_json::json!(["#0d2440"]));
    let saved = hero["images"].as_object().unwrap().values().next().unwrap().as_str().unwrap();
    assert_eq!(saved, "images/section_01_img_01_hero.png");
    let original = std::fs::read(fixture("pictures/shore.png")).unwrap();
    assert_eq!(std::fs::read(out.path().join(saved)).unwrap(), original);
    // The three portraits are one picture, saved once.
    let faces = section("What they say");
    assert_eq!(faces["images"].as_object().unwrap().len(), 1);
    let shot = image::open(out.path().join(hero["screenshot_path"].as_str().unwrap())).unwrap();
    let (width, height) = (hero["rect"]["width"].as_f64().unwrap(), hero["rect"]["height"].as_f64().unwrap());
    assert!((f64::from(shot.width()) - width).abs() <= 1.0 && (f64::from(shot.height()) - height).abs() <= 1.0);
}

/// Inline SVG in the colour that a class gives it, a sprite's symbol, a file without a size, one larger than is drawn, a
/// GIF of one red pixel, and a PNG. The squares' colours are those their sources name.
const SIGNS: &str = r##"<!doctype html><html lang="en"><title>Signs</title><style>.mark { color: #f00 }</style>
<section style="height: 900px"><h1>Signs</h1>
<svg id="mark" class="mark" width="40" height="30" viewBox="0 0 40 30"><rect width="20" height="30" fill="currentColor"/></svg>
<svg id="sprite" width="20" height="20"><use href="#square"/></svg>
<img src="square.svg" alt="A green square" width="60" height="60">
<img src="wide.svg" alt="A wide bar" width="1100" height="275">
<img src="data:image/gif;base64,R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==" alt="Red" width="18" height="18">
<img src="dusk.png" alt="Dusk" width="240" height="160"></section>
<svg width="0" height="0" style="position: absolute"><symbol id="square" viewBox="0 0 10 10"><rect width="10" height="10" fill="#00f"/></symbol></svg>
</html>"##;

#[tokio::test]
async fn what_models_cannot_read_is_saved_as_png_too() {
    let Some(mut session) = browser().await else { return };
    let site = tempfile::tempdir().unwrap();
    let page = site.path().join("signs.html");
    std::fs::write(&page, SIGNS).unwrap();
    let svg = |size: &str, colour: &str| {
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" {size}><rect width="100%" height="100%" fill="{colour}"/></svg>"#
        )
    };
    std::fs::write(site.path().join("square.svg"), svg(r#"viewBox="0 0 10 10""#, "#008000")).unwrap();
    std::fs::write(site.path().join("wide.svg"), svg(r#"width="2200" height="550""#, "#ff0")).unwrap();
    std::fs::copy(fixture("pictures/dusk.png"), site.path().join("dusk.png")).unwrap();
    open(&mut session, page.to_str().unwrap()).await;
    let files = process(&mut session, site.path().join("out").as_path(), &Options::default()).await.unwrap();
    let section = &files[0].sections[0];
    let drawn: Vec<(u32, u32, [u8; 4], [u8; 4])> = section
        .media
        .iter()
        .filter_map(|item| section.rasters.get(section.file_of(item)?))
        .map(|name| image::open(site.path().join("out").join(name)).unwrap().to_rgba8())
        .map(|png| {
            let (width, height) = png.dimensions();
            (width, height, png.get_pixel(1, 1).0, png.get_pixel(width - 2, height - 2).0)
        })
        .collect();
    let (red, blue, green, yellow) = ([255, 0, 0, 255], [0, 0, 255, 255], [0, 128, 0, 255], [255, 255, 0, 255]);
    // 1100 × 275 within 1024; the right half of the mark has nothing behind it.
    let expected = [
        (40, 30, red, [0; 4]),
        (20, 20, blue, blue),
        (60, 60, green, green),
        (1024, 256, yellow, yellow),
        (18, 18, red, red),
    ];
    assert_eq!(drawn, expected, "{:#?}", files[0].notes);
    assert_eq!((section.images.len(), section.rasters.len()), (6, 5), "{:#?}", section.rasters);
    assert!(section.rasters.iter().all(|(file, png)| *png == format!("{file}.png")));
}

#[tokio::test]
async fn several_viewports_lie_side_by_side() {
    let Some(mut session) = browser().await else { return };
    open(&mut session, "pages/shop.html").await;
    let out = tempfile::tempdir().unwrap();
    let mut options = Options::default();
    let size = |width| Viewport { width, height: 800 };
    (options.viewports, options.screenshots, options.images) = (vec![size(768), size(1280)], false, false);
    let files = process(&mut session, out.path(), &options).await.unwrap();
    assert_eq!(files.iter().map(|file| file.viewport[0]).collect::<Vec<_>>(), [768.0, 1280.0]);
    assert!(out.path().join("768x800/sections.json").is_file());
}

#[tokio::test]
async fn thirty_thousand_pixels_are_captured_whole() {
    let Some(mut session) = browser().await else { return };
    open(&mut session, "odd/hollow.html").await;
    let script = "document.body.style.margin = 0; document.body.innerHTML = \
        '<div style=\"height:29900px;background:#f00\"></div><div style=\"height:100px;background:#00f\"></div>'";
    session.evaluate(script, &[]).await.unwrap();
    let area = Rect { x: 0.0, y: 0.0, width: 200.0, height: 30_000.0 };
    let png = picture(&mut session, area).await.unwrap();
    let shot = image::load_from_memory(&png).unwrap().to_rgb8();
    assert_eq!(shot.dimensions(), (200, 30_000));
    for (y, colour) in
        [(0, [255, 0, 0]), (8_000, [255, 0, 0]), (29_899, [255, 0, 0]), (29_900, [0, 0, 255]), (29_999, [0, 0, 255])]
    {
        assert_eq!(shot.get_pixel(100, y).0, colour, "at {y}");
    }
}

#[tokio::test]
async fn a_folder_is_converted_and_gone_on_with() {
    let Ok(driver) = Driver::start(&DriverOptions::default()).await else {
        eprintln!("skipped: no chromedriver");
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let mut options = Options::default();
    options.screenshots = false;
    let mut seen = Vec::new();
    for _ in 0..2 {
        let address = |page: &std::path::Path| format!("file://{}", page.display());
        convert(&driver, (&fixture("pages"), out.path()), address, (&options, 2), |page, _, converted| {
            let name = page.file_stem().unwrap().to_str().unwrap().to_owned();
            seen.push((name, matches!(converted, Converted::Done(_)), matches!(converted, Converted::Kept)));
        })
        .await
        .unwrap();
    }
    seen[..5].sort();
    let names = ["article", "faults", "landing", "shop", "sound"];
    let expect = |done, kept| names.map(|name| (name.to_owned(), done, kept));
    assert_eq!(seen[..5], expect(true, false));
    assert_eq!(seen[5..], expect(false, true));
    assert!(out.path().join("landing/images/section_01_img_01_hero.png").is_file());
}
