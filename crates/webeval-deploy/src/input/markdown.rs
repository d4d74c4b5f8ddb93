//! A model's reply in markdown: the files in it, and the commands that it says to run.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use super::commands;

/// What a reply holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reply {
    /// Paths and contents of the files, by path.
    pub files: BTreeMap<String, String>,
    /// Commands that the reply says to run, in order, each once.
    pub commands: Vec<String>,
    /// What was ambiguous, and how it was taken.
    pub notes: Vec<String>,
}

/// A fenced block.
#[derive(Debug)]
struct Block<'t> {
    info: &'t str,
    /// The last line with text on it before the fence.
    before: &'t str,
    content: String,
    closed: bool,
}

const SHELL: &[&str] =
    &["bash", "sh", "shell", "zsh", "console", "shellsession", "terminal", "cmd", "powershell", "ps1"];

/// Takes the files and commands out of a model's reply.
///
/// A fenced block is a file when its path is given in one of these places, the first that is there:
///
/// 1. the fence's info string: ` ```js src/app.js`, ` ```js:src/app.js`, ` ```js title="src/app.js"` (also `filename=`,
///    `file=`, `path=`, and braces around it), ` ```src/app.js`;
/// 2. the line before the fence, as a heading, in bold, in backticks, after `File:`, with a number or a colon;
/// 3. a comment that is the block's first line: `// src/app.js`, `/* … */`, `<!-- … -->`, `# …`, also after `File:`.
///
/// `<file path="…">` elements and `<boltAction type="file" filePath="…">` are files too. A path that is absolute or leads
/// out with `..` is not taken.
///
/// Of blocks without a path, an HTML document becomes `index.html` (the longest one, if there are several), and style
/// sheets and scripts become the files that it refers to and that are not there, in order; what it does not refer to is
/// linked to it. A reply that is nothing but an HTML document is `index.html`. A later block of the same path replaces an
/// earlier one. A block that the end of the reply cuts off is taken as far as it goes.
///
/// Commands are the lines of shell blocks and what stands in backticks in the text, when they call a package manager or
/// Node.js and have no other shell syntax than `&&`. What follows a `cd` in a block is given as `cd FOLDER && COMMAND`;
/// project generators are left out.
///
/// ```
/// let reply = webeval_deploy::extract("**index.html**\n```html\n<h1>Hi</h1>\n```\nOpen it with `npx serve`.");
/// assert_eq!(reply.files["index.html"], "<h1>Hi</h1>\n");
/// assert_eq!(reply.commands, ["npx serve"]);
/// ```
#[must_use]
pub fn extract(reply: &str) -> Reply {
    let text = reply.replace("\r\n", "\n");
    let mut found = Reply::default();
    elements(&text, &mut found);
    let (blocks, prose) = blocks(&text);
    let mut unnamed: Vec<Block<'_>> = Vec::new();
    for block in blocks {
        let language = language(block.info);
        if SHELL.contains(&language.as_str()) {
            found.add_commands(block.content.lines(), true);
            continue;
        }
        match named(&block) {
            Some((path, strip)) => {
                if !block.closed {
                    found.notes.push(format!("{path} is cut off by the end of the reply"));
                }
                let content = if strip { skip_line(&block.content) } else { block.content };
                if found.files.insert(path.clone(), content).is_some() {
                    found.notes.push(format!("{path} is given more than once; the last one counts"));
                }
            }
            None if matches!(
                language.as_str(),
                "diff" | "patch" | "text" | "txt" | "plaintext" | "tree" | "json" | "md"
            ) => {}
            None => unnamed.push(block),
        }
    }
    found.add_unnamed(unnamed);
    if found.files.is_empty() && is_document(&text) {
        let at = text.find('<').unwrap_or_default();
        found.files.insert("index.html".to_owned(), text[at..].to_owned());
    }
    for line in prose {
        let quoted: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
        found.add_commands(quoted.into_iter(), false);
    }
    found
}

impl Reply {
    fn add_commands<'l>(&mut self, lines: impl Iterator<Item = &'l str>, block: bool) {
        for command in commands::find(lines, block) {
            if !self.commands.contains(&command) {
                self.commands.push(command);
            }
        }
    }

    /// Gives names to blocks without: a page, and what it refers to.
    fn add_unnamed(&mut self, blocks: Vec<Block<'_>>) {
        let (mut pages, mut styles, mut scripts) = (Vec::new(), Vec::new(), Vec::new());
        for block in blocks {
            if !block.closed {
                self.notes.push("the last block is cut off by the end of the reply".to_owned());
            }
            match language(block.info).as_str() {
                "html" | "htm" | "xhtml" => pages.push(block.content),
                "css" => styles.push(block.content),
                "js" | "javascript" | "mjs" => scripts.push(block.content),
                "" if is_document(&block.content) => pages.push(block.content),
                _ => {}
            }
        }
        if !self.files.contains_key("index.html") && !pages.is_empty() {
            let longest =
                pages.iter().enumerate().max_by_key(|(at, page)| (is_document(page), page.len(), usize::MAX - at));
            let at = longest.map_or(0, |(at, _)| at);
            if pages.len() > 1 {
                self.notes.push(format!("{} HTML blocks have no name; the longest one is taken", pages.len()));
            }
            self.files.insert("index.html".to_owned(), pages.swap_remove(at));
        }
        // Without a page of its own, a style or script belongs to a project that is given by name.
        let Some(mut page) = self.files.get("index.html").cloned() else { return };
        for (contents, attribute, ending, usual) in
            [(styles, "href", ".css", "style.css"), (scripts, "src", ".js", "script.js")]
        {
            let mut wanted: Vec<String> = references(&page, attribute, ending);
            wanted.retain(|path| !self.files.contains_key(path));
            let mut wanted = wanted.into_iter();
            for (number, content) in contents.into_iter().enumerate() {
                let path = wanted.next().unwrap_or_else(|| {
                    let path = if number == 0 { usual.to_owned() } else { format!("{}-{usual}", number + 1) };
                    self.notes.push(format!(
                        "a {} block has no name and the page does not load it; it is linked as {path}",
                        &ending[1..]
                    ));
                    link(&mut page, &path, ending);
                    path
                });
                self.files.insert(path, content);
            }
        }
        self.files.insert("index.html".to_owned(), page);
    }
}

/// Relative files that a page refers to by an attribute.
fn references(page: &str, attribute: &str, ending: &str) -> Vec<String> {
    let mut found = Vec::new();
    for piece in page.split(&format!("{attribute}=")).skip(1) {
        let value = match piece.chars().next() {
            Some(quote @ ('"' | '\'')) => piece[1..].split(quote).next().unwrap_or_default(),
            _ => piece.split([' ', '>', '\n']).next().unwrap_or_default(),
        };
        let path = value.split(['?', '#']).next().unwrap_or_default();
        let local = clean(path).filter(|_| path.ends_with(ending) && !path.contains("//"));
        found.extend(local.filter(|path| !found.contains(path)));
    }
    found
}

fn link(page: &mut String, path: &str, ending: &str) {
    let (element, before) = match ending {
        ".css" => (format!("<link rel=\"stylesheet\" href=\"{path}\">"), "</head>"),
        _ => (format!("<script src=\"{path}\"></script>"), "</body>"),
    };
    match page.to_ascii_lowercase().rfind(before) {
        Some(at) => page.insert_str(at, &element),
        None => page.push_str(&element),
    }
}

fn is_document(text: &str) -> bool {
    let start = text.trim_start().get(..200.min(text.trim_start().len()));
    let start = start.unwrap_or_else(|| text.trim_start()).to_ascii_lowercase();
    start.starts_with("<!doctype html")
        || start.starts_with("<html")
        || (start.starts_with("<!--") && start.contains("<html"))
}

/// The language that an info string names.
fn language(info: &str) -> String {
    let word = info.trim_start_matches('{').split([' ', ':', '{', ',', '\t']).next().unwrap_or_default();
    if word.contains(['.', '/', '=']) { String::new() } else { word.trim_start_matches('.').to_ascii_lowercase() }
}

/// The path of a block, and whether its first line only names it and cannot stay.
fn named(block: &Block<'_>) -> Option<(String, bool)> {
    if let Some(path) = in_info(block.info) {
        return Some((path, false));
    }
    if let Some(path) = in_line(block.before) {
        return Some((path, false));
    }
    let first = block.content.lines().find(|line| !line.trim().is_empty())?.trim();
    let comment = [("//", ""), ("/*", "*/"), ("<!--", "-->"), ("#", ""), ("{/*", "*/}"), ("--", "")];
    let inner = comment.iter().find_map(|(start, end)| first.strip_prefix(start)?.strip_suffix(end))?;
    let path = labelled(inner.trim())?;
    // JSON has no comments.
    let strip = path.ends_with(".json");
    Some((path, strip))
}

fn in_info(info: &str) -> Option<String> {
    let info = info.trim().trim_matches(['{', '}']);
    for key in ["title=", "filename=", "file=", "path=", "name=", "filePath="] {
        if let Some((_, value)) = info.split_once(key) {
            let value = match value.chars().next()? {
                quote @ ('"' | '\'') => value[1..].split(quote).next()?,
                _ => value.split_whitespace().next()?,
            };
            return path(value);
        }
    }
    let after = info.split_once(':').filter(|(word, _)| !word.contains(' ')).and_then(|(_, rest)| path(rest.trim()));
    if after.is_some() {
        return after;
    }
    info.split_whitespace()
        .find_map(|word| path(word.trim_matches(['(', ')', ','])).filter(|_| word.contains(['.', '/'])))
}

/// A path in the line before a fence.
fn in_line(line: &str) -> Option<String> {
    let quoted = line.split('`').skip(1).step_by(2).filter_map(path).last();
    if quoted.is_some() {
        return quoted;
    }
    let bold = line.split("**").skip(1).step_by(2).filter_map(labelled).last();
    if bold.is_some() {
        return bold;
    }
    let bare =
        line.trim().trim_start_matches(['#', '-', '*', '=', ' ', '>']).trim_end_matches(['=', '-', '*', ' ', ':']);
    // `2. src/app.js`, `2) src/app.js`
    let bare = bare.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(['.', ')']).trim();
    labelled(bare)
}

/// A path, perhaps after a label, and nothing else but something in parentheses.
fn labelled(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(':').trim();
    let lower = text.to_ascii_lowercase();
    let labels = ["file:", "filename:", "file name:", "path:", "file path:", "filepath:", "file "];
    let rest = labels.iter().find(|label| lower.starts_with(**label)).map_or(text, |label| &text[label.len()..]);
    let rest = rest.trim().trim_matches('`');
    let rest = rest.split(" (").next().unwrap_or_default();
    let rest = rest.split(" - ").next().unwrap_or_default().split(" — ").next().unwrap_or_default();
    path(rest.trim())
}

/// A path of a file, made relative and plain.
fn path(text: &str) -> Option<String> {
    const BARE: &[&str] = &["Dockerfile", "Makefile", "Procfile", "LICENSE"];
    let fits = |c: char| c.is_alphanumeric() || "._-/@()[]+$".contains(c);
    if text.is_empty() || text.len() > 200 || !text.chars().all(fits) || text.contains("//") {
        return None;
    }
    let cleaned = clean(text)?;
    let name = cleaned.rsplit('/').next()?;
    let ending = name.rsplit_once('.');
    let has_ending = ending.is_some_and(|(_, ending)| {
        (1..=10).contains(&ending.len())
            && ending.chars().all(|c| c.is_ascii_alphanumeric())
            && !ending.chars().all(|c| c.is_ascii_digit())
    });
    // `Node.js`, `Next.js` and the like are names.
    let is_name = !cleaned.contains('/')
        && ["node.js", "next.js", "vue.js", "react.js", "three.js", "express.js", "chart.js", "d3.js", "nuxt.js"]
            .contains(&name.to_ascii_lowercase().as_str());
    ((has_ending && !is_name) || BARE.contains(&name)).then_some(cleaned)
}

/// Relative and without `.` and `..`; none for a path that leads out.
fn clean(text: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in Path::new(text.trim_start_matches("./")).components() {
        match part {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::CurDir => {}
            _ => return None,
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

fn skip_line(content: &str) -> String {
    let lines = content.lines().skip_while(|line| line.trim().is_empty()).skip(1);
    lines.map(|line| format!("{line}\n")).collect()
}

/// Files and commands in elements.
fn elements(text: &str, found: &mut Reply) {
    for (tag, attributes) in [("file", &["path=", "name="][..]), ("boltAction", &["filePath="][..])] {
        let (open, close) = (format!("<{tag} "), format!("</{tag}>"));
        for piece in text.split(&open).skip(1) {
            let Some((head, body)) = piece.split_once('>') else { continue };
            let body = body.split(&close).next().unwrap_or_default();
            let value = |key: &str| head.split_once(key).and_then(|(_, rest)| rest[1..].split(['"', '\'']).next());
            if let Some(path) = attributes.iter().find_map(|key| value(key)).and_then(path) {
                let body = body.strip_prefix('\n').unwrap_or(body);
                let body = body
                    .strip_prefix("```")
                    .and_then(|rest| rest.split_once('\n'))
                    .map_or(body, |(_, rest)| rest.trim_end().trim_end_matches("```"));
                found.files.insert(path, body.to_owned());
            } else if head.contains("shell") || head.contains("start") {
                found.add_commands(body.lines(), true);
            }
        }
    }
}

/// Fenced blocks, and the lines outside of them.
fn blocks(text: &str) -> (Vec<Block<'_>>, Vec<&str>) {
    let (mut blocks, mut prose) = (Vec::new(), Vec::new());
    let mut before = "";
    let mut open: Option<(char, usize, usize, Block<'_>)> = None;
    for line in text.lines() {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        let mark = fence(&line[indent..]);
        match (&mut open, mark) {
            (None, Some((mark, length, info))) if !info.contains('`') => {
                let block = Block { info: info.trim(), before, content: String::new(), closed: false };
                open = Some((mark, length, indent, block));
            }
            (Some((mark, length, _, _)), Some((closing, count, info)))
                if closing == *mark && count >= *length && info.trim().is_empty() =>
            {
                if let Some((_, _, _, mut block)) = open.take() {
                    block.closed = true;
                    blocks.push(block);
                }
                before = "";
            }
            (Some((_, _, indent, block)), _) => {
                // A fence in a list takes its content along.
                let own = line.len() - line.trim_start_matches([' ', '\t']).len();
                block.content.push_str(&line[own.min(*indent)..]);
                block.content.push('\n');
            }
            (None, _) => {
                prose.push(line);
                if !line.trim().is_empty() {
                    before = line;
                }
            }
        }
    }
    blocks.extend(open.map(|(_, _, _, block)| block));
    (blocks, prose)
}

/// The mark, its length and the info string of a line that opens or closes a fence.
fn fence(line: &str) -> Option<(char, usize, &str)> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(mark).len();
    (length >= 3).then(|| (mark, length, &line[length..]))
}
