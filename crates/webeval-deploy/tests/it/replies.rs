//! Replies of models in the forms that they come in. What is in them is known by reading them.

use std::collections::BTreeMap;

use webeval_deploy::{Error, deploy, detect, extract, locate};

use crate::{text, unsandboxed, write};

fn files(reply: &str) -> Vec<String> {
    extract(reply).files.into_keys().collect()
}

#[test]
fn the_path_stands_in_the_info_string() {
    for info in [
        "js src/app.js",
        "js:src/app.js",
        "javascript title=\"src/app.js\"",
        "js filename=src/app.js",
        "js {filename: x} file='src/app.js'",
        "{.js path=\"src/app.js\"}",
        "src/app.js",
        "jsx (src/app.js)",
    ] {
        assert_eq!(files(&format!("```{info}\nlet a = 1;\n```\n")), ["src/app.js"], "{info}");
    }
}

#[test]
fn the_path_stands_before_the_fence() {
    for before in [
        "### src/app.js",
        "**src/app.js**",
        "`src/app.js`",
        "### `src/app.js`",
        "File: src/app.js",
        "**File: src/app.js**",
        "2. **`src/app.js`**:",
        "3) src/app.js",
        "src/app.js:",
        "Create `src/app.js` with the following content:",
        "#### 4. File: `src/app.js` (the logic)",
        "==== src/app.js ====",
        "--- src/app.js ---",
        "- **src/app.js** — the logic",
    ] {
        assert_eq!(files(&format!("Text.\n\n{before}\n\n```js\nlet a = 1;\n```\n")), ["src/app.js"], "{before}");
    }
}

#[test]
fn the_path_stands_in_the_first_comment() {
    for (comment, path) in [
        ("// src/app.js", "src/app.js"),
        ("// File: src/app.js", "src/app.js"),
        ("/* src/style.css */", "src/style.css"),
        ("<!-- index.html -->", "index.html"),
        ("# config.toml", "config.toml"),
        ("{/* src/App.jsx */}", "src/App.jsx"),
    ] {
        let reply = extract(&format!("```\n{comment}\nrest\n```\n"));
        assert_eq!(reply.files, BTreeMap::from([(path.to_owned(), format!("{comment}\nrest\n"))]), "{comment}");
    }
    // JSON has no comments, so this one cannot stay.
    let reply = extract("```json\n// package.json\n{\"name\": \"x\"}\n```\n");
    assert_eq!(reply.files["package.json"], "{\"name\": \"x\"}\n");
}

#[test]
fn elements_are_files_too() {
    let bolt = "<boltArtifact id=\"a\"><boltAction type=\"file\" filePath=\"src/App.jsx\">\nexport default 1\n</boltAction>\
                <boltAction type=\"shell\">npm install && npm run dev</boltAction></boltArtifact>";
    let reply = extract(bolt);
    assert_eq!(reply.files["src/App.jsx"], "export default 1\n");
    assert_eq!(reply.commands, ["npm install", "npm run dev"]);
    assert_eq!(files("<file path=\"a/b.js\">\nx\n</file><file path=\"c.css\">y</file>"), ["a/b.js", "c.css"]);
}

#[test]
fn one_page_without_a_name_is_the_first_page() {
    let page = "<!DOCTYPE html>\n<html><body>hi</body></html>\n";
    assert_eq!(extract(&format!("Sure!\n```html\n{page}```\nEnjoy.")).files["index.html"], page);
    assert_eq!(extract(&format!("```\n{page}```")).files["index.html"], page);
    assert_eq!(extract(page).files["index.html"], page);
    assert_eq!(extract(&format!("~~~~html\r\n{}~~~~", page.replace('\n', "\r\n"))).files["index.html"], page);
    // The reply ends in the middle.
    let cut = extract(&format!("```html\n{page}<script>let a"));
    assert!(cut.files["index.html"].ends_with("<script>let a\n"));
    assert!(cut.notes[0].contains("cut off"), "{:?}", cut.notes);
}

#[test]
fn blocks_that_belong_together_get_the_names_that_the_page_uses() {
    let reply = extract(
        "```html\n<html><head><link rel=stylesheet href=\"css/main.css\"></head><body><script src='./app.js'></script></body></html>\n```\n\
         ```css\np {}\n```\n```javascript\nrun();\n```\n",
    );
    let paths: Vec<_> = reply.files.keys().map(String::as_str).collect();
    assert_eq!(paths, ["app.js", "css/main.css", "index.html"]);
    assert_eq!(reply.notes, [""; 0]);
}

#[test]
fn blocks_that_the_page_does_not_load_are_linked_to_it() {
    let reply = extract(
        "```html\n<html><head></head><body><p>x</p></body></html>\n```\n```css\np {}\n```\n```js\nrun();\n```\n",
    );
    let page = &reply.files["index.html"];
    assert!(
        page.contains("href=\"style.css\"></head>") && page.contains("src=\"script.js\"></script></body>"),
        "{page}"
    );
    assert_eq!(reply.notes.len(), 2);
}

#[test]
fn what_is_no_file_is_left_out() {
    assert!(files("```text\nsrc/\n├── app.js\n```\n```diff\n- a\n+ b\n```\n```json\n{\"a\": 1}\n```\n").is_empty());
    assert!(files("I used **Node.js** here:\n```js\nlet x = 1;\n```\n").is_empty());
    for path in ["../secret.js", "/etc/passwd.js", "a/../../b.js"] {
        assert!(files(&format!("```js {path}\nx\n```\n")).is_empty(), "{path}");
    }
}

#[test]
fn a_fence_within_a_fence_and_a_fence_in_a_list() {
    let reply = extract(
        "````md README.md\n```sh\nnpm i\n```\n````\n1. Make `a.js`:\n   ```js\n   let a = {\n     b: 1,\n   };\n   ```\n",
    );
    assert_eq!(reply.files["README.md"], "```sh\nnpm i\n```\n");
    assert_eq!(reply.files["a.js"], "let a = {\n  b: 1,\n};\n");
}

#[test]
fn the_last_of_several_versions_counts() {
    let reply = extract("`a.js`\n```js\n1\n```\nBetter:\n`a.js`\n```js\n2\n```\n");
    assert_eq!(reply.files["a.js"], "2\n");
    assert!(reply.notes[0].contains("more than once"));
}

#[test]
fn commands_are_found_in_shell_blocks_and_in_the_text() {
    let reply = extract(
        "```bash\n$ npx create-vite my-app\ncd my-app\nnpm install react  # the library\nnpm run dev\n```\n\
         Then `npm run build && npm run preview`, or `rm -rf /`.",
    );
    assert_eq!(
        reply.commands,
        ["cd my-app && npm install react", "cd my-app && npm run dev", "npm run build", "npm run preview"]
    );
}

#[tokio::test]
async fn a_reply_comes_up() {
    let base = tempfile::tempdir().unwrap();
    write(
        base.path(),
        &[(
            "reply.md",
            "**my-app/index.html**\n```html\n<p>hello</p><script src=\"a.js\"></script>\n```\n`my-app/a.js`\n```js\nlet a = 1;\n```\n",
        )],
    );
    let app = locate(text(&base.path().join("reply.md"))).unwrap();
    assert_eq!(detect(&app).unwrap().entry, "index.html");
    let running = deploy(&app, &unsandboxed()).await.unwrap();
    let page = reqwest::get(running.url.clone()).await.unwrap().text().await.unwrap();
    assert!(page.contains("<p>hello</p>"));
    assert_eq!(running.record.instrumented, ["a.js"]);
}

#[test]
fn a_reply_without_files_is_refused() {
    let base = tempfile::tempdir().unwrap();
    write(base.path(), &[("reply.md", "I am sorry, I cannot do that.\n")]);
    assert!(matches!(locate(text(&base.path().join("reply.md"))), Err(Error::NoFiles { .. })));
}
