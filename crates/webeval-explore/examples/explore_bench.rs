//! Runs the built-in tester (or the random one) over many applications and prints what it covered of each.
//!
//! `explore_bench [--steps N] [--seed N] [--screenshots] [--tester random] [--advisor off] [--out FILE] ROOT/ENTRY.html …` where each
//! application is the folder that its page lies in (a single file where the folder holds other pages). With `--out`, one
//! JSON object an application is appended to FILE, with the functions that never ran.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use webeval_browser::{Driver, DriverOptions, Session, SessionOptions};
use webeval_evidence::{AppSource, RunDir, RunRecord, Settings, Step};
use webeval_explore::{
    Advisor, App, BuiltIn, BuiltInAdvisor, Cancel, Cast, Explored, Options, RandomTester, Tester, explore,
};
use webeval_instrument::coverage::{COLLECT_DELTA, CoverageMap};
use webeval_instrument::{Options as Counting, instrument};

type AnyError = Box<dyn std::error::Error>;

struct Arguments {
    options: Options,
    seed: u64,
    out: Option<PathBuf>,
    keep: Option<PathBuf>,
    advisor: bool,
    random: bool,
    apps: Vec<PathBuf>,
}

fn arguments() -> Result<Arguments, AnyError> {
    let mut parsed = Arguments {
        options: Options::default(),
        seed: 0,
        out: None,
        keep: None,
        advisor: true,
        random: false,
        apps: Vec::new(),
    };
    parsed.options.screenshots = false;
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
        match word.as_str() {
            "--steps" => parsed.options.steps = value()?.parse()?,
            "--seed" => parsed.seed = value()?.parse()?,
            "--screenshots" => parsed.options.screenshots = true,
            "--tester" => parsed.random = value()? == "random",
            "--advisor" => parsed.advisor = value()? != "off",
            "--out" => parsed.out = Some(value()?.into()),
            "--keep" => parsed.keep = Some(value()?.into()),
            _ => parsed.apps.push(word.into()),
        }
    }
    Ok(parsed)
}

/// Scripts that the application did not write itself.
fn is_foreign(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let folders = ["node_modules", "bower_components", "vendor", "/lib/", "/libs/"];
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let libraries =
        ["jquery", "underscore", "backbone.js", "require.js", "base.js", "angular", "knockout", "react.", "react-dom"];
    let minified = name.ends_with(".min.js") || name.ends_with("-min.js");
    minified
        || folders.iter().any(|folder| text.contains(folder))
        || libraries.iter().any(|library| name.starts_with(library))
}

/// Every page and script below the application's folder, instrumented.
fn stage(entry: &Path) -> Result<(Vec<(PathBuf, String)>, CoverageMap), AnyError> {
    let folder = entry.parent().ok_or("the page lies in no folder")?;
    let single = std::fs::read_dir(folder)?
        .flatten()
        .filter(|file| file.path().extension().is_some_and(|ext| ext == "html"))
        .count()
        > 3;
    let mut queue = vec![if single { entry.to_owned() } else { folder.to_owned() }];
    let (mut staged, mut coverage) = (Vec::new(), CoverageMap::default());
    while let Some(path) = queue.pop() {
        if path.is_dir() {
            queue.extend(std::fs::read_dir(&path)?.flatten().map(|file| file.path()));
            continue;
        }
        let code =
            path.extension().and_then(|ext| ext.to_str()).is_some_and(|ext| matches!(ext, "js" | "mjs" | "html"));
        if !code || is_foreign(&path) {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        match instrument(&text, &path.to_string_lossy(), &Counting::default()) {
            Ok(done) => {
                coverage.add(done.coverage);
                staged.push((path, done.code));
            }
            Err(error) => eprintln!("{}: {error}", path.display()),
        }
    }
    Ok((staged, coverage))
}

struct Site {
    root: PathBuf,
    staged: Vec<(PathBuf, String)>,
}

async fn answer(State(site): State<Arc<Site>>, uri: Uri) -> Response {
    let mut path = site.root.join(uri.path().trim_start_matches('/'));
    if path.is_dir() {
        path.push("index.html");
    }
    let kind = mime_guess::from_path(&path).first_or_octet_stream().essence_str().to_owned();
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store".to_owned())];
    if let Some((_, code)) = site.staged.iter().find(|(known, _)| *known == path) {
        return (headers, code.clone()).into_response();
    }
    match std::fs::read(&path) {
        Ok(bytes) => (headers, bytes).into_response(),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}

struct Ran {
    explored: Explored,
    loaded: f64,
    functions: f64,
    statements: f64,
    never: Vec<String>,
    steps: Vec<Step>,
}

async fn run(driver: &Driver, entry: &Path, arguments: &Arguments) -> Result<Ran, AnyError> {
    let (staged, coverage) = stage(entry)?;
    // The repository is the root, so that pages which reach outside their folder find what they want.
    let root = entry.ancestors().find(|folder| folder.join(".git").exists() || folder.join("LICENSE").exists());
    let root = root.unwrap_or_else(|| entry.parent().unwrap_or(Path::new("/"))).to_owned();
    let path = format!("/{}", entry.strip_prefix(&root)?.display());
    let sources = staged.clone();
    let router = Router::new().fallback(answer).with_state(Arc::new(Site { root, staged }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let origin = format!("http://{}", listener.local_addr()?);
    let server = tokio::spawn(async move { axum::serve(listener, router).await });

    let mut options = SessionOptions::new(&origin);
    options.collect = Some(COLLECT_DELTA.to_owned());
    options.offline = true;
    let mut session = Session::open(driver, options).await?;
    let temporary = tempfile::tempdir()?;
    let place = match &arguments.keep {
        Some(keep) => keep.join(entry.parent().and_then(Path::file_name).unwrap_or_default()),
        None => temporary.path().join("run"),
    };
    let record = RunRecord::new(AppSource::HtmlFile { path: entry.display().to_string() }, None, Settings::default());
    let dir = RunDir::create(place, &record)?;
    // The advisor reads the sources beside the evidence, by their paths in the coverage map.
    for (file, _) in &sources {
        let target = dir.root().join("sources").join(file.to_string_lossy().trim_start_matches('/'));
        std::fs::create_dir_all(target.parent().ok_or("no folder")?)?;
        std::fs::copy(file, target)?;
    }
    let app = App { entry: path, coverage: Some(coverage) };
    let advisor = BuiltInAdvisor::default();
    let mut tester: Box<dyn Tester> = match arguments.random {
        true => Box::new(RandomTester::new(arguments.seed)),
        false => Box::new(BuiltIn::new(arguments.seed)),
    };
    let cast = Cast {
        tester: tester.as_mut(),
        advisor: arguments.advisor.then_some(&advisor as &dyn Advisor),
        probes: Vec::new(),
    };
    let explored = explore(&mut session, &app, &dir, &arguments.options, cast, &mut (), &Cancel::never()).await?;
    server.abort();

    let steps = dir.trace()?.steps;
    let final_map: CoverageMap = serde_json::from_slice(&std::fs::read(dir.root().join("coverage.json"))?)?;
    let ratio = |covered: u32, total: u32| if total == 0 { 1.0 } else { f64::from(covered) / f64::from(total) };
    let counts = explored.coverage.unwrap_or_default();
    let first = steps.first().and_then(|step| step.coverage).unwrap_or_default().after;
    Ok(Ran {
        loaded: ratio(first.functions.covered, first.functions.total),
        functions: ratio(counts.functions.covered, counts.functions.total),
        statements: ratio(counts.statements.covered, counts.statements.total),
        never: never(&final_map),
        explored,
        steps,
    })
}

/// Functions that never ran, as `file:line name`.
fn never(map: &CoverageMap) -> Vec<String> {
    let mut list = Vec::new();
    for file in map.files() {
        let name = Path::new(&file.path).file_name().unwrap_or_default().to_string_lossy().into_owned();
        for (id, hits) in file.f.iter() {
            if let (0, Some(function)) = (*hits, file.fn_map.get(id)) {
                list.push(format!("{name}:{} {}", function.loc.start.line, function.name));
            }
        }
    }
    list
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 0.0,
        length if length % 2 == 1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

#[tokio::main]
async fn main() -> Result<(), AnyError> {
    let arguments = arguments()?;
    let driver = Driver::start(&DriverOptions::default()).await?;
    let mut reached = Vec::new();
    println!(
        "{:<44} {:>6} {:>6} {:>6} {:>5} {:>6} {:>6} {:>5}",
        "application", "load", "func", "stmt", "steps", "ms", "own", "s"
    );
    for entry in &arguments.apps {
        let name = entry.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        let name = if entry.ends_with("index.html") {
            name
        } else {
            format!("{name}/{}", entry.file_name().unwrap_or_default().to_string_lossy())
        };
        match run(&driver, entry, &arguments).await {
            Ok(ran) => {
                let total = median(ran.steps.iter().map(|step| step.timings.total).collect());
                let own = median(ran.steps.iter().map(|step| step.timings.own).collect());
                let seconds = ran.explored.time.as_secs_f64();
                println!(
                    "{name:<44} {:>6.3} {:>6.3} {:>6.3} {:>5} {total:>6.1} {own:>6.2} {seconds:>5.1}",
                    ran.loaded, ran.functions, ran.statements, ran.explored.interactions
                );
                reached.push(ran.functions);
                if let Some(out) = &arguments.out {
                    let line = serde_json::json!({"app": name, "loaded": ran.loaded, "functions": ran.functions, "statements": ran.statements,
                        "seconds": seconds, "settle": median(ran.steps.iter().map(|s| s.timings.settle).collect()), "act": median(ran.steps.iter().map(|s| s.timings.act).collect()), "observe": median(ran.steps.iter().map(|s| s.timings.observe).collect()), "never": ran.never, "total": ran.explored.coverage.unwrap_or_default().functions.total,
                        "steps": ran.steps.iter().map(|step| format!("{} {} {} {:?} +{}", step.index, serde_json::to_string(&step.action.kind).unwrap_or_default(),
                            step.action.target.as_ref().map(|target| format!("{} {:?} {}", target.role, target.name, target.selector)).unwrap_or_default(),
                            step.outcome, step.coverage.unwrap_or_default().gain)).collect::<Vec<_>>(),
                        "errors": ran.steps.iter().flat_map(|step| step.errors.iter().map(|error| error.message.clone())).take(5).collect::<Vec<_>>()});
                    use std::io::Write;
                    writeln!(std::fs::OpenOptions::new().create(true).append(true).open(out)?, "{line}")?;
                }
            }
            Err(error) => println!("{name:<44} failed: {error}"),
        }
    }
    let short = reached.iter().filter(|&&share| share < 0.9).count();
    println!("median {:.3} of {} applications, {short} below .90", median(reached.clone()), reached.len());
    Ok(())
}
