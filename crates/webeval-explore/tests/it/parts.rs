//! What is made of parts is acted on in more places than its middle, and a page is left once.

use crate::site::{Site, driver};

/// Cards with a picture over a title and one listener for all of them, which asks what was clicked; a link that leads out.
const PAGE: &str = r#"<!DOCTYPE html><title>Cards</title>
<style>.card { cursor: pointer; width: 120px; margin: 8px; display: inline-block } .card > * { display: block; height: 40px }</style>
<div id="cards"><div class="card"><svg><rect width="40" height="40"/></svg><i></i><b>One</b></div></div>
<a href="https://elsewhere.example/">More</a>
<script>
function opened() { document.body.className = "opened"; }
function named() { document.body.className = "named"; }
function left() { window.gone = true; }
document.getElementById("cards").addEventListener("click", (event) => {
  if (event.target.closest("svg")) opened();
  if (event.target.localName === "b") named();
});
addEventListener("beforeunload", left);
</script>"#;

#[tokio::test]
async fn every_part_of_a_card_is_clicked_and_the_page_is_left() {
    let Some(driver) = driver().await else { return };
    let site = Site::serve(&[("index.html", PAGE)]).await;
    // The listener, both parts, and leaving.
    assert_eq!(site.functions_reached(&driver, 15).await, (4, 4));
}
