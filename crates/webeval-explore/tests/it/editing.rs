//! A text that is edited in its place is found, and the editor left in every way that there is.

use crate::site::{Site, driver};

/// A list with an editor that opens in the place of an item, outside any form, and lives as long as it has the keyboard. Each
/// way of leaving it is a function of its own.
fn page(item: &str, opens: &str) -> String {
    format!(
        r#"<!DOCTYPE html><title>List</title><input id="search" placeholder="Search"><{item}><span id="text">one</span></{item}>
<script>
const text = document.getElementById("text");
let last = -1000;
{opens}
function edit() {{
  const field = document.createElement("input");
  let open = true;
  const shut = () => {{ open = false; field.replaceWith(text); }};
  function take() {{ shut(); text.textContent = field.value; }}
  function remove() {{ shut(); text.textContent = "nothing"; }}
  function cancel() {{ shut(); }}
  function leave() {{ shut(); text.textContent = field.value; }}
  field.addEventListener("keydown", (event) => {{
    if (event.key === "Enter") field.value ? take() : remove();
    if (event.key === "Escape") cancel();
  }});
  field.addEventListener("blur", () => {{ if (open) leave(); }});
  text.replaceWith(field);
  field.focus();
}}
</script>"#
    )
}

#[tokio::test]
async fn an_editor_is_left_in_every_way() {
    let Some(driver) = driver().await else { return };
    for (item, opens) in [
        ("div", "text.addEventListener('dblclick', edit);"),
        // The app tells two clicks from one by itself.
        ("li", "text.onclick = (event) => { if (event.timeStamp - last < 500) edit(); last = event.timeStamp; };"),
    ] {
        let page = page(item, opens);
        let site = Site::serve(&[("index.html", &page)]).await;
        let reached = site.functions_reached(&driver, 30).await;
        // edit, shut, the four ways, two listeners, and in the second page a third one.
        assert_eq!(reached, if item == "div" { (8, 8) } else { (9, 9) }, "{item}");
    }
}
