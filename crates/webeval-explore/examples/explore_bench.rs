//! Runs the built-in tester (or the random one) over many applications and prints what it covered of each.
//!
//! `explore_bench [OPTIONS] ROOT/ENTRY.html …` where each application is the folder that its page lies in (a single file
//! where the folder holds other pages).
//!
//! `--steps N`, `--seed N`, `--screenshots`, `--deterministic`; `--tester built-in|random|gremlins`, the last with
//! `--gremlins FILE`, gremlins.js as one script, which goes on as long as the application took in the file that
//! `--seconds-from FILE` names, instead of for a number of events; `--advisor off`; `--out FILE`: one JSON object an application is
//! appended, with the functions that never ran; `--same N`: each is explored N times, and the traces are compared byte for
//! byte but timings.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use webeval_browser::{Driver, DriverOptions, Session, SessionOptions};
use webeval_evidence::{Action, ActionKind, AppSource, RunDir, RunRecord, Settings, Step, Timings};
use webeval_explore::{
    Advisor, App, BuiltIn, BuiltInAdvisor, Cancel, Cast, Explored, Options, RandomTester, Tester, explore,
};
use webeval_instrument::coverage::{COLLECT_DELTA, CoverageMap, Delta};
use webeval_instrument::{Options as Counting, instrument};

type AnyError = Box<dyn std::error::Error>;

struct Arguments {
    options: Options,
    seed: u64,
    out: Option<PathBuf>,
    keep: Option<PathBuf>,
    advisor: bool,
    tester: String,
    gremlins: Option<String>,
    /// How long gremlins.js is given with each application, in seconds.
    seconds: Option<BTreeMap<String, f64>>,
    deterministic: bool,
    same: u32,
    apps: Vec<PathBuf>,
}

fn arguments() -> Result<Arguments, AnyError> {
    let mut parsed = Arguments {
        options: Options::default(),
        seed: 0,
        out: None,
        keep: None,
        advisor: true,
        tester: "built-in".to_owned(),
        gremlins: None,
        seconds: None,
        deterministic: false,
        same: 1,
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
            "--tester" => parsed.tester = value()?,
            "--gremlins" => parsed.gremlins = Some(std::fs::read_to_string(value()?)?),
            "--seconds-from" => parsed.seconds = Some(seconds(&std::fs::read_to_string(value()?)?)?),
            "--deterministic" => parsed.deterministic = true,
            "--same" => parsed.same = value()?.parse()?,
            "--advisor" => parsed.advisor = value()? != "off",
            "--out" => parsed.out = Some(value()?.into()),
            "--keep" => parsed.keep = Some(value()?.into()),
            _ => parsed.apps.push(word.into()),
        }
    }
    Ok(parsed)
}

/// How long each application took, in a file that `--out` wrote.
fn seconds(lines: &str) -> Result<BTreeMap<String, f64>, AnyError> {
    let one = |line: &str| -> Result<(String, f64), AnyError> {
        let run: serde_json::Value = serde_json::from_str(line)?;
        let (app, seconds) = run["app"].as_str().zip(run["seconds"].as_f64()).ok_or("a line names no app or time")?;
        Ok((app.to_owned(), seconds))
    };
    lines.lines().map(one).collect()
}

/// What an application is called: its folder, and its page where that is not the index.
fn name_of(entry: &Path) -> String {
    let folders: Vec<_> = entry.iter().rev().skip(1).map(|part| part.to_string_lossy().into_owned()).collect();
    let name = folders.iter().find(|name| *name != "dist").cloned().unwrap_or_default();
    if entry.ends_with("index.html") {
        name
    } else {
        format!("{name}/{}", entry.file_name().unwrap_or_default().to_string_lossy())
    }
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
    /// Counted files that the browser has asked for: the page's own scripts.
    asked: Mutex<BTreeSet<String>>,
}

impl Site {
    /// The part of a map that is of files which the browser has asked for.
    fn own(&self, map: &CoverageMap) -> CoverageMap {
        let asked = self.asked.lock().map(|asked| asked.clone()).unwrap_or_default();
        map.files().filter(|file| asked.contains(&file.path)).cloned().collect()
    }

    /// Whether a file is what a bundler made, in which the app's own code cannot be told from its framework's.
    fn is_bundled(&self, map: &CoverageMap) -> bool {
        map.files().any(|file| {
            let text = std::fs::read_to_string(&file.path).unwrap_or_default();
            let dense = text.len() > 20_000 && text.len() / text.lines().count().max(1) > 100;
            file.path.ends_with("js") && (text.len() > 100_000 || dense)
        })
    }
}

fn ratio(count: webeval_instrument::coverage::Count) -> f64 {
    if count.total == 0 { 1.0 } else { count.covered as f64 / count.total as f64 }
}

async fn answer(State(site): State<Arc<Site>>, uri: Uri) -> Response {
    let mut path = site.root.join(uri.path().trim_start_matches('/'));
    if path.is_dir() {
        path.push("index.html");
    }
    let kind = mime_guess::from_path(&path).first_or_octet_stream().essence_str().to_owned();
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store".to_owned())];
    if let Some((_, code)) = site.staged.iter().find(|(known, _)| *known == path) {
        if let Ok(mut asked) = site.asked.lock() {
            asked.insert(path.to_string_lossy().into_owned());
        }
        return (headers, code.clone()).into_response();
    }
    match std::fs::read(&path) {
        Ok(bytes) => (headers, bytes).into_response(),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}

struct Ran {
    seconds: f64,
    interactions: u32,
    total: u32,
    /// Whether the code is bundled with a framework.
    bundled: bool,
    /// Functions of each file.
    files: BTreeMap<String, usize>,
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
    let site = Arc::new(Site { root, staged, asked: Mutex::default() });
    let router = Router::new().fallback(answer).with_state(Arc::clone(&site));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let origin = format!("http://{}", listener.local_addr()?);
    let server = tokio::spawn(async move { axum::serve(listener, router).await });

    let mut options = SessionOptions::new(&origin);
    options.collect = Some(COLLECT_DELTA.to_owned());
    options.offline = true;
    options.deterministic = arguments.deterministic.then_some(arguments.seed);
    let mut session = Session::open(driver, options).await?;
    if arguments.tester == "gremlins" {
        let given = match &arguments.seconds {
            Some(known) => Some(*known.get(&name_of(entry)).ok_or("the file of seconds does not name it")?),
            None => None,
        };
        let ran = unleash(&mut session, &path, coverage, given, arguments, &site).await;
        server.abort();
        return ran;
    }
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
    let mut tester: Box<dyn Tester> = match arguments.tester.as_str() {
        "random" => Box::new(RandomTester::new(arguments.seed)),
        "built-in" => Box::new(BuiltIn::new(arguments.seed)),
        other => return Err(format!("there is no tester {other}").into()),
    };
    let cast = Cast {
        tester: tester.as_mut(),
        advisor: arguments.advisor.then_some(&advisor as &dyn Advisor),
        probes: Vec::new(),
    };
    let explored: Explored =
        explore(&mut session, &app, &dir, &arguments.options, cast, &mut (), &Cancel::never()).await?;
    server.abort();

    let steps = dir.trace()?.steps;
    let final_map: CoverageMap = serde_json::from_slice(&std::fs::read(dir.root().join("coverage.json"))?)?;
    let final_map = site.own(&final_map);
    let summary = final_map.summary();
    let first = steps.first().and_then(|step| step.coverage).unwrap_or_default().after;
    Ok(Ran {
        loaded: f64::from(first.functions.covered) / summary.functions.total.max(1) as f64,
        functions: ratio(summary.functions),
        statements: ratio(summary.statements),
        never: never(&final_map),
        files: functions(&final_map),
        total: u32::try_from(summary.functions.total)?,
        bundled: site.is_bundled(&final_map),
        seconds: explored.time.as_secs_f64(),
        interactions: explored.interactions,
        steps,
    })
}

/// Lets gremlins.js loose on the page, ten events at a time, so that a page that is left costs no more than the rest of ten.
/// It gets as many events as steps, or goes on for the seconds given.
async fn unleash(
    session: &mut Session,
    path: &str,
    mut map: CoverageMap,
    given: Option<f64>,
    arguments: &Arguments,
    site: &Site,
) -> Result<Ran, AnyError> {
    const HORDE: &str = "const make = () => gremlins.createHorde({ randomizer: new gremlins.Chance(arguments[1]),
        strategies: [gremlins.strategies.distribution({ nb: arguments[2], delay: 10 })] });
        if (!window.gremlins) (0, eval)(arguments[0]);
        return make().unleash().then(() => null);";
    let code = arguments.gremlins.as_deref().ok_or("gremlins want --gremlins FILE")?;
    let begun = std::time::Instant::now();
    let take = |map: &mut CoverageMap, deltas: &[String]| {
        for delta in deltas.iter().filter_map(|text| Delta::from_json(text).ok()) {
            map.apply(&delta);
        }
    };
    let load = Action { kind: ActionKind::Load { url: format!("app:{path}") }, target: None };
    take(&mut map, &session.step(&load).await?.observation.deltas);
    let loaded = map.summary().functions.covered as f64;
    let mut unleashed = 0;
    for turn in 0.. {
        let events = match given {
            Some(seconds) => 10 * u32::from(begun.elapsed().as_secs_f64() < seconds),
            None => (arguments.options.steps - unleashed).min(10),
        };
        if events == 0 {
            break;
        }
        unleashed += events;
        let seed = arguments.seed * 1000 + turn;
        // A page that is left in the middle ends the ten.
        let _ = session.evaluate(HORDE, &[code.into(), seed.into(), events.into()]).await;
        take(&mut map, &session.observe().await?.deltas);
    }
    let map = site.own(&map);
    let summary = map.summary();
    Ok(Ran {
        bundled: site.is_bundled(&map),
        seconds: begun.elapsed().as_secs_f64(),
        interactions: unleashed,
        total: u32::try_from(summary.functions.total)?,
        loaded: loaded / summary.functions.total.max(1) as f64,
        functions: ratio(summary.functions),
        statements: ratio(summary.statements),
        never: never(&map),
        files: functions(&map),
        steps: Vec::new(),
    })
}

/// Explores several times, and names the first step that is not the same each time.
async fn same(driver: &Driver, entry: &Path, arguments: &Arguments) -> Result<Option<String>, AnyError> {
    let mut first: Option<Vec<String>> = None;
    for turn in 0..arguments.same {
        let ran = run(driver, entry, arguments).await?;
        let untimed = |step: Step| serde_json::to_string(&Step { timings: Timings::default(), ..step });
        let trace = ran.steps.into_iter().map(untimed).collect::<Result<Vec<String>, _>>()?;
        let Some(first) = &first else {
            first = Some(trace);
            continue;
        };
        if let Some(at) = (0..first.len().max(trace.len())).find(|at| first.get(*at) != trace.get(*at)) {
            let show = |trace: &[String]| trace.get(at).map_or("nothing", String::as_str).to_owned();
            return Ok(Some(format!("time {}, step {at}:\n  {}\n  {}", turn + 1, show(first), show(&trace))));
        }
    }
    Ok(None)
}

/// How many functions each file has.
fn functions(map: &CoverageMap) -> BTreeMap<String, usize> {
    map.files().map(|file| (file.path.clone(), file.fn_map.iter().count())).collect()
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
        let name = name_of(entry);
        if arguments.same > 1 {
            match same(&driver, entry, &arguments).await {
                Ok(None) => println!("{name:<44} the same {} times", arguments.same),
                Ok(Some(what)) => println!("{name:<44} differs at {what}"),
                Err(error) => println!("{name:<44} failed: {error}"),
            }
            continue;
        }
        match run(&driver, entry, &arguments).await {
            Ok(ran) => {
                let total = median(ran.steps.iter().map(|step| step.timings.total).collect());
                let own = median(ran.steps.iter().map(|step| step.timings.own).collect());
                let seconds = ran.seconds;
                println!(
                    "{name:<44} {:>6.3} {:>6.3} {:>6.3} {:>5} {total:>6.1} {own:>6.2} {seconds:>5.1}",
                    ran.loaded, ran.functions, ran.statements, ran.interactions
                );
                reached.push(ran.functions);
                if let Some(out) = &arguments.out {
                    let line = serde_json::json!({"app": name, "tester": arguments.tester, "advisor": arguments.advisor, "seed": arguments.seed, "loaded": ran.loaded, "functions": ran.functions, "statements": ran.statements,
                        "seconds": seconds, "settle": median(ran.steps.iter().map(|s| s.timings.settle).collect()), "act": median(ran.steps.iter().map(|s| s.timings.act).collect()), "observe": median(ran.steps.iter().map(|s| s.timings.observe).collect()), "never": ran.never, "total": ran.total, "bundled": ran.bundled,
                        "clean": ran.steps.first().is_none_or(|step| step.errors.is_empty() && step.network.iter().all(|one| !one.url.ends_with("js"))), "files": ran.files,
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
