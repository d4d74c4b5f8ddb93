//! From the address of a file on a CDN to a file of a package.

use super::fonts;
use super::packages::{Package, Packages};

/// A file that answers a request.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) body: Vec<u8>,
    /// Its MIME type.
    pub(super) kind: String,
    /// Package, version and path, for the record.
    pub(super) what: String,
}

/// Hosts that files of packages are known to be served by.
const HOSTS: &[&str] = &[
    "unpkg.com",
    "cdn.jsdelivr.net",
    "fastly.jsdelivr.net",
    "cdnjs.cloudflare.com",
    "code.jquery.com",
    "ajax.googleapis.com",
    "maxcdn.bootstrapcdn.com",
    "stackpath.bootstrapcdn.com",
    "netdna.bootstrapcdn.com",
    "cdn.tailwindcss.com",
    "d3js.org",
    "cdn.plot.ly",
    "use.fontawesome.com",
    "fonts.googleapis.com",
    "fonts.gstatic.com",
    "esm.sh",
    "esm.run",
    "cdn.skypack.dev",
    "ga.jspm.io",
];

/// Libraries whose package has another name than the library at cdnjs, which mostly names it after its repository.
const ALIASES: &[(&str, &str)] = &[
    ("font-awesome", "@fortawesome/fontawesome-free"),
    ("twitter-bootstrap", "bootstrap"),
    ("Chart.js", "chart.js"),
    ("three.js", "three"),
    ("lodash.js", "lodash"),
    ("underscore.js", "underscore"),
    ("moment.js", "moment"),
    ("backbone.js", "backbone"),
    ("highlight.js", "@highlightjs/cdn-assets"),
    ("prism", "prismjs"),
    ("mathjs", "mathjs"),
    ("mathjax", "mathjax"),
    ("KaTeX", "katex"),
    ("animate.css", "animate.css"),
    ("normalize", "normalize.css"),
    ("pdf.js", "pdfjs-dist"),
    ("ace", "ace-builds"),
    ("codemirror", "codemirror"),
    ("fabric.js", "fabric"),
    ("matter-js", "matter-js"),
    ("p5.js", "p5"),
    ("pixi.js", "pixi.js"),
    ("howler", "howler"),
    ("Sortable", "sortablejs"),
    ("tone", "tone"),
    ("vue", "vue"),
    ("react", "react"),
    ("babel-standalone", "@babel/standalone"),
    ("dompurify", "dompurify"),
    ("FileSaver.js", "file-saver"),
    ("jszip", "jszip"),
    ("html2canvas", "html2canvas"),
    ("html2pdf.js", "html2pdf.js"),
    ("jspdf", "jspdf"),
    ("PapaParse", "papaparse"),
    ("xlsx", "xlsx"),
    ("qrcodejs", "qrcodejs2"),
    ("crypto-js", "crypto-js"),
    ("showdown", "showdown"),
    ("marked", "marked"),
    ("js-yaml", "js-yaml"),
    ("gsap", "gsap"),
    ("leaflet", "leaflet"),
    ("d3", "d3"),
    ("axios", "axios"),
    ("dayjs", "dayjs"),
    ("luxon", "luxon"),
    ("js-cookie", "js-cookie"),
    ("Swiper", "swiper"),
    ("tailwindcss", "tailwindcss"),
    ("handlebars.js", "handlebars"),
    ("mustache.js", "mustache"),
    ("knockout", "knockout"),
    ("alpinejs", "alpinejs"),
    ("canvas-confetti", "canvas-confetti"),
    ("particles.js", "particles.js"),
    ("typed.js", "typed.js"),
    ("aos", "aos"),
    ("mermaid", "mermaid"),
    ("cytoscape", "cytoscape"),
    ("vis-network", "vis-network"),
    ("Plyr", "plyr"),
    ("plotly.js", "plotly.js-dist-min"),
    ("socket.io", "socket.io-client"),
    ("select2", "select2"),
    ("datatables", "datatables.net"),
    ("jqueryui", "jquery-ui-dist"),
    ("jquery", "jquery"),
];

/// Folders that the files of a package lie in which are at the top at cdnjs.
const ROOTS: &[&str] = &[
    "",
    "dist",
    "build",
    "umd",
    "lib",
    "min",
    "js",
    "css",
    "dist/js",
    "dist/css",
    "src",
    "cjs",
    "src-min-noconflict",
    "build/global",
];

/// Whether a request goes to a host that we stand in for.
pub(super) fn knows(url: &str) -> bool {
    split(url).is_some_and(|(host, _)| HOSTS.contains(&host))
}

fn split(url: &str) -> Option<(&str, &str)> {
    let (_, rest) = url.split_once("://")?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    Some((host.split(':').next().unwrap_or(host), path))
}

/// Looks for the file that a request is for. The error says why there is none.
pub(super) async fn find(url: &str, packages: &Packages) -> Result<Found, String> {
    let (host, whole) = split(url).filter(|(host, _)| HOSTS.contains(host)).ok_or("not a CDN of packages")?;
    let (path, query) = whole.split_once('?').unwrap_or((whole, ""));
    let path = path.trim_start_matches('/');
    match host {
        "fonts.googleapis.com" | "fonts.gstatic.com" => fonts::find(host, path, query, packages).await,
        "unpkg.com" => file(packages, path, &["unpkg", "browser", "main"]).await,
        "cdn.jsdelivr.net" | "fastly.jsdelivr.net" => jsdelivr(packages, path).await,
        "cdnjs.cloudflare.com" => cdnjs(packages, path.strip_prefix("ajax/libs/").ok_or("not a library")?).await,
        "ajax.googleapis.com" => cdnjs(packages, path.strip_prefix("ajax/libs/").ok_or("not a library")?).await,
        "code.jquery.com" => jquery(packages, path).await,
        "maxcdn.bootstrapcdn.com" | "stackpath.bootstrapcdn.com" | "netdna.bootstrapcdn.com" => {
            let path = path.strip_prefix("bootstrap/").map(|rest| format!("twitter-bootstrap/{rest}"));
            let path = path.unwrap_or_else(|| whole.to_owned());
            cdnjs(packages, &path).await
        }
        "cdn.tailwindcss.com" => {
            let version = path.split('/').next().filter(|version| version.starts_with(|c: char| c.is_ascii_digit()));
            let package = packages.get("tailwindcss-cdn", version.unwrap_or("latest")).await;
            let package = match package {
                Ok(package) => package,
                Err(_) => packages.get("tailwindcss-cdn", "latest").await?,
            };
            let names = ["tailwindcss.js", "dist/tailwindcss.js", "index.js"];
            let found = names.iter().find_map(|name| serve(&package, name)).or_else(|| first_script(&package));
            found.ok_or_else(|| "the package holds no script".to_owned())
        }
        "d3js.org" => {
            let version = path.trim_start_matches("d3.v").split('.').next().unwrap_or_default();
            let package = packages.get("d3", version).await?;
            let name = if path.contains(".min.") { "dist/d3.min.js" } else { "dist/d3.js" };
            serve(&package, name).or_else(|| serve(&package, "build/d3.min.js")).ok_or_else(|| lacks(&package, path))
        }
        "cdn.plot.ly" => {
            let version = path.trim_start_matches("plotly-").trim_start_matches("basic-");
            let version = version.trim_end_matches(".min.js").trim_end_matches(".js").replace("latest", "");
            let package = packages.get("plotly.js-dist-min", &version).await?;
            serve(&package, "plotly.min.js").ok_or_else(|| lacks(&package, path))
        }
        "use.fontawesome.com" => {
            let path = path.strip_prefix("releases/v").ok_or("not a release")?;
            let (version, inside) = path.split_once('/').ok_or("not a file")?;
            let package = packages.get("@fortawesome/fontawesome-free", version).await?;
            serve(&package, inside).ok_or_else(|| lacks(&package, inside))
        }
        "esm.run" => module(packages, path).await,
        "esm.sh" | "cdn.skypack.dev" | "ga.jspm.io" => {
            let path = path.strip_prefix("npm:").unwrap_or(path);
            // `/v135/react@18.2.0/es2022/react.mjs`, `/stable/…`
            let versioned = |part: &str| {
                part == "stable" || (part.starts_with('v') && part[1..].chars().all(|c| c.is_ascii_digit()))
            };
            let path = path.split_once('/').filter(|(first, _)| versioned(first)).map_or(path, |(_, rest)| rest);
            module(packages, path.trim_start_matches('*')).await
        }
        _ => Err("not a CDN of packages".to_owned()),
    }
}

/// `name@range/path`, with a scope perhaps.
fn spec(path: &str) -> (String, String, String) {
    let scoped = path.starts_with('@');
    let mut parts = path.splitn(if scoped { 3 } else { 2 }, '/');
    let mut name = parts.next().unwrap_or_default().to_owned();
    if scoped {
        name = format!("{name}/{}", parts.next().unwrap_or_default());
    }
    let rest = parts.next().unwrap_or_default().to_owned();
    let at = name.get(1..).and_then(|tail| tail.rfind('@')).map(|at| at + 1);
    let range = at.map(|at| name[at + 1..].to_owned()).unwrap_or_default();
    if let Some(at) = at {
        name.truncate(at);
    }
    (name, range.replace("%5E", "^"), rest)
}

fn lacks(package: &Package, path: &str) -> String {
    format!("{}@{} has no file {path}", package.name, package.version)
}

fn serve(package: &Package, path: &str) -> Option<Found> {
    let path = path.trim_start_matches("./").trim_start_matches('/');
    let body = package.read(path)?;
    let kind = mime_guess::from_path(path).first_or_octet_stream();
    let kind = match (kind.type_(), kind.subtype()) {
        (mime_guess::mime::TEXT, _) | (_, mime_guess::mime::JAVASCRIPT | mime_guess::mime::JSON) => {
            format!("{kind}; charset=utf-8")
        }
        _ => kind.to_string(),
    };
    Some(Found { body, kind, what: format!("{}@{}/{path}", package.name, package.version) })
}

fn first_script(package: &Package) -> Option<Found> {
    let main = package.manifest().get("main").and_then(|main| main.as_str().map(str::to_owned));
    main.and_then(|main| serve(package, &main))
}

/// A file by its path, and without one the file that the package names for a browser.
async fn file(packages: &Packages, path: &str, fields: &[&str]) -> Result<Found, String> {
    let (name, range, inside) = spec(path);
    let package = packages.get(&name, &range).await?;
    if inside.is_empty() {
        let manifest = package.manifest();
        let named = fields.iter().filter_map(|field| manifest.get(*field)?.as_str());
        let mut named = named.chain(["index.js"]);
        return named
            .find_map(|main| serve(&package, main).or_else(|| serve(&package, &format!("{main}.js"))))
            .ok_or_else(|| lacks(&package, "that it names as its main one"));
    }
    // jsDelivr and others minify on the fly.
    let plain = inside.replace(".min.", ".");
    [inside.as_str(), &plain, &format!("{inside}.js"), &format!("{inside}/index.js")]
        .iter()
        .find_map(|path| serve(&package, path))
        .ok_or_else(|| lacks(&package, &inside))
}

async fn jsdelivr(packages: &Packages, path: &str) -> Result<Found, String> {
    if let Some(list) = path.strip_prefix("combine/") {
        let mut all = Found { body: Vec::new(), kind: String::new(), what: String::new() };
        for one in list.split(',') {
            let found = file(packages, one.strip_prefix("npm/").ok_or("not a package")?, &["jsdelivr", "main"]).await?;
            all.body.extend_from_slice(&found.body);
            all.body.push(b'\n');
            all.kind = found.kind;
            all.what = format!("{} {}", all.what, found.what).trim().to_owned();
        }
        return Ok(all);
    }
    let path = path.strip_prefix("npm/").ok_or("not a package of the registry")?;
    match path.strip_suffix("/+esm") {
        Some(path) => module(packages, path).await,
        None => file(packages, path, &["jsdelivr", "browser", "main"]).await,
    }
}

async fn cdnjs(packages: &Packages, path: &str) -> Result<Found, String> {
    let mut parts = path.splitn(3, '/');
    let (Some(library), Some(version), Some(inside)) = (parts.next(), parts.next(), parts.next()) else {
        return Err("not a file of a library".to_owned());
    };
    let alias = ALIASES.iter().find(|(name, _)| name.eq_ignore_ascii_case(library)).map(|(_, package)| *package);
    let plain = library.to_ascii_lowercase();
    let bare = plain.strip_suffix(".js").unwrap_or(&plain);
    let mut reason = String::new();
    for name in alias.into_iter().chain([plain.as_str(), bare]) {
        let package = match packages.get(name, version).await {
            Ok(package) => package,
            Err(error) => {
                reason = error;
                continue;
            }
        };
        let unminified = inside.replace(".min.", ".");
        let paths = [inside, unminified.as_str()];
        let places = paths.iter().flat_map(|path| ROOTS.iter().map(move |root| format!("{root}/{path}")));
        if let Some(found) = places.into_iter().find_map(|place| serve(&package, &place)) {
            return Ok(found);
        }
        reason = lacks(&package, inside);
    }
    Err(reason)
}

async fn jquery(packages: &Packages, path: &str) -> Result<Found, String> {
    if let Some(rest) = path.strip_prefix("ui/") {
        let (version, inside) = rest.split_once('/').ok_or("not a file")?;
        let package = packages.get("jquery-ui-dist", version).await?;
        return serve(&package, inside).ok_or_else(|| lacks(&package, inside));
    }
    let name = path.strip_prefix("jquery-").ok_or("not a release of jQuery")?;
    let version: String = name.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let version = version.trim_end_matches('.');
    let package = packages.get("jquery", version).await?;
    let inside = format!("dist/jquery{}", &name[version.len()..]);
    serve(&package, &inside).ok_or_else(|| lacks(&package, &inside))
}

/// A package as an ECMAScript module: the file that it names as such, when that imports nothing by name.
async fn module(packages: &Packages, path: &str) -> Result<Found, String> {
    super::modules::find(packages, &spec(path)).await
}
