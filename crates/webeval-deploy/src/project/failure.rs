//! What went wrong, told from what a command printed, and whose fault it is.

use webeval_evidence::{DeployFailure, FailureOwner};

use super::{Site, imports, needs, node};
use crate::sandbox::{Broke, Ended};

/// What is looked for in the output, in order; the first that is there decides.
struct Sign {
    /// All of these are there.
    words: &'static [&'static str],
    kind: &'static str,
    whose: FailureOwner,
    /// What it means.
    meaning: &'static str,
}

const fn sign(words: &'static [&'static str], kind: &'static str, whose: FailureOwner, meaning: &'static str) -> Sign {
    Sign { words, kind, whose, meaning }
}

const APP: FailureOwner = FailureOwner::App;
const ENVIRONMENT: FailureOwner = FailureOwner::Environment;

const INSTALL: &[Sign] = &[
    sign(&["npm error code E404"], "no-such-package", APP, "it depends on a package that does not exist"),
    sign(&["ERR_PNPM_FETCH_404"], "no-such-package", APP, "it depends on a package that does not exist"),
    sign(&["npm error code ETARGET"], "no-such-version", APP, "it depends on a version that does not exist"),
    sign(&["ERR_PNPM_NO_MATCHING_VERSION"], "no-such-version", APP, "it depends on a version that does not exist"),
    sign(&["npm error code EJSONPARSE"], "broken-package-json", APP, "its package.json is not JSON"),
    sign(&["EINVALIDPACKAGENAME"], "broken-package-json", APP, "a dependency has an impossible name"),
    sign(&["npm error code EBADENGINE"], "node-version", ENVIRONMENT, "it wants another version of Node.js"),
    sign(&["ERR_PNPM_UNSUPPORTED_ENGINE"], "node-version", ENVIRONMENT, "it wants another version of Node.js"),
    sign(&["The engine \"node\" is incompatible"], "node-version", ENVIRONMENT, "it wants another version of Node.js"),
    sign(&["ERESOLVE"], "peer-dependencies", APP, "its dependencies contradict each other"),
    sign(&["EUSAGE", "package-lock.json"], "lock-file", APP, "its lock file does not fit its package.json"),
    sign(&["ENOTFOUND"], "no-registry", ENVIRONMENT, "the package registry cannot be reached"),
    sign(&["EAI_AGAIN"], "no-registry", ENVIRONMENT, "the package registry cannot be reached"),
    sign(&["ECONNREFUSED"], "no-registry", ENVIRONMENT, "the package registry cannot be reached"),
    sign(&["ETIMEDOUT"], "no-registry", ENVIRONMENT, "the package registry cannot be reached"),
    sign(&["ENOSPC"], "disk-full", ENVIRONMENT, "the disk is full"),
];

const BUILD: &[Sign] = &[
    sign(&["heap out of memory"], "out-of-memory", APP, "it ran out of memory"),
    sign(&["ENOSPC"], "disk-full", ENVIRONMENT, "the disk is full"),
    sign(&["Vite requires Node.js version"], "node-version", ENVIRONMENT, "it wants another version of Node.js"),
    sign(&["Unsupported engine"], "node-version", ENVIRONMENT, "it wants another version of Node.js"),
    sign(&["is not supported by Astro"], "node-version", ENVIRONMENT, "it wants another version of Node.js"),
    sign(
        &["required for Next.js", "Node.js version"],
        "node-version",
        ENVIRONMENT,
        "it wants another version of Node.js",
    ),
    sign(
        &["The Angular CLI requires a minimum Node.js version"],
        "node-version",
        ENVIRONMENT,
        "it wants another version of Node.js",
    ),
    sign(&["fonts.googleapis.com"], "google-fonts", ENVIRONMENT, "it fetches web fonts while it is built"),
    sign(&["fetch", "from Google Fonts"], "google-fonts", ENVIRONMENT, "it fetches web fonts while it is built"),
    sign(&["Inlining of fonts failed"], "google-fonts", ENVIRONMENT, "it fetches web fonts while it is built"),
    sign(&["Could not resolve entry module", "index.html"], "missing-file", APP, "its index.html is missing"),
    sign(&["Could not resolve \"./"], "missing-file", APP, "a file that it imports is missing"),
    sign(&["Could not resolve \"../"], "missing-file", APP, "a file that it imports is missing"),
    sign(&["Can't resolve './"], "missing-file", APP, "a file that it imports is missing"),
    sign(&["Can't resolve '../"], "missing-file", APP, "a file that it imports is missing"),
    sign(&["Could not load /", "ENOENT"], "missing-file", APP, "a file that it imports is missing"),
    sign(&["Could not resolve './"], "missing-file", APP, "a file that it imports is missing"),
    sign(&["Could not resolve '../"], "missing-file", APP, "a file that it imports is missing"),
    sign(&["Cannot find module './"], "missing-file", APP, "a file that it imports is missing"),
    sign(&["Cannot find module '/app/"], "missing-file", APP, "a file that it needs is missing"),
    sign(&["failed to resolve import"], "missing-dependency", APP, "it imports a package that it does not depend on"),
    sign(&["Failed to resolve import"], "missing-dependency", APP, "it imports something that is not there"),
    sign(&["Module not found"], "missing-dependency", APP, "it imports something that is not there"),
    sign(&["Cannot find module"], "missing-dependency", APP, "it needs a package that it does not depend on"),
    sign(&["Cannot find package"], "missing-dependency", APP, "it needs a package that it does not depend on"),
    sign(&["Could not resolve \""], "missing-dependency", APP, "it imports something that is not there"),
    sign(&["Could not resolve '"], "missing-dependency", APP, "it imports something that is not there"),
    sign(&["UNRESOLVED_IMPORT"], "missing-dependency", APP, "it imports something that is not there"),
    sign(&["EADDRINUSE"], "port-in-use", APP, "two of its parts want the same port"),
    sign(&["ECONNREFUSED"], "needs-service", APP, "it needs a database or another service that is not part of it"),
    sign(&["ServerSelectionError"], "needs-service", APP, "it needs a database that is not part of it"),
    sign(&["Can't reach database server"], "needs-service", APP, "it needs a database that is not part of it"),
    sign(&["ENOTFOUND"], "needs-network", APP, "it needs something from the network"),
    sign(&["EAI_AGAIN"], "needs-network", APP, "it needs something from the network"),
    sign(
        &["Environment variable not found"],
        "missing-environment",
        APP,
        "it needs an environment variable that is not set",
    ),
    sign(&["environment variable"], "missing-environment", APP, "it needs an environment variable that is not set"),
    sign(
        &["is not defined in the environment"],
        "missing-environment",
        APP,
        "it needs an environment variable that is not set",
    ),
    sign(&["supabaseUrl is required"], "missing-environment", APP, "it needs an environment variable that is not set"),
    sign(&["Missing script"], "no-script", APP, "it lacks the script that would do it"),
    sign(&["is not exported by"], "wrong-import", APP, "it imports a name that is not exported"),
    sign(&["MISSING_EXPORT"], "wrong-import", APP, "it imports a name that is not exported"),
    sign(&["SyntaxError"], "syntax-error", APP, "its code does not parse"),
    sign(&["Parse error"], "syntax-error", APP, "its code does not parse"),
    sign(&["PARSE_ERROR"], "syntax-error", APP, "its code does not parse"),
    sign(&["Unexpected token"], "syntax-error", APP, "its code does not parse"),
    sign(&["Expected \"", "but found"], "syntax-error", APP, "its code does not parse"),
    sign(&["Type error:"], "type-error", APP, "its types do not check"),
    sign(&["error TS"], "type-error", APP, "its types do not check"),
];

pub(crate) fn of_install(ended: &Ended) -> DeployFailure {
    of("install", "cannot be installed", ended, INSTALL)
}

pub(crate) fn of_build(site: &Site, ended: &Ended) -> DeployFailure {
    named(site, of("build", "cannot be built", ended, BUILD), &ended.tail)
}

/// Of a server that ended, or that did not answer in time.
pub(crate) fn of_start(site: &Site, ended: &Ended) -> DeployFailure {
    let Some(Broke::Time(limit)) = ended.broke else {
        return named(site, of("start", "does not start", ended, BUILD), &ended.tail);
    };
    let silent = format!("it does not start: no port of it answered within {} s", limit.as_secs());
    // Many wait for their database before they listen, and say so.
    let told = match needs::service(&ended.tail) {
        Some(name) => ("needs-service", format!("{silent}, since it needs {name}, which is not part of it")),
        None => ("no-answer", silent),
    };
    DeployFailure { kind: told.0.to_owned(), message: told.1, whose: APP }
}

/// Says by name what is missing, where that can be told.
fn named(site: &Site, mut failure: DeployFailure, output: &str) -> DeployFailure {
    let what = failure.message.split(", since ").next().and_then(|text| text.split(": ").next()).unwrap_or_default();
    let shown = failure.message.split_once(": ").map(|(_, rest)| rest.to_owned()).unwrap_or_default();
    let folder = site.file("");
    let (kind, why) = match failure.kind.as_str() {
        "needs-service" | "needs-network" => {
            let by_message = needs::service(output);
            let likely =
                || needs::likely_service(&folder, site.package().as_ref()).filter(|_| failure.kind == "needs-service");
            let Some(name) = by_message.or_else(likely) else { return failure };
            ("needs-service", format!("it needs {name}, which is not part of it"))
        }
        "missing-environment" | "build" | "start" => {
            let names = needs::variables(output);
            let names = match names.is_empty() && failure.kind == "missing-environment" {
                true => needs::variables_read(&folder),
                false => names,
            };
            if !names.is_empty() {
                ("missing-environment", format!("environment variables are not set: {}", names.join(", ")))
            } else if let Some(line) = output.lines().find(|line| node::asks_for_later(line)) {
                let shown = clip(line.trim());
                failure.message = format!("{what}, since it wants another version of Node.js: {shown}");
                (failure.kind, failure.whose) = ("node-version".to_owned(), ENVIRONMENT);
                return failure;
            } else {
                return failure;
            }
        }
        "node-version" => {
            let line = output.lines().find(|line| node::asks_for_later(line));
            if let Some(line) = line {
                failure.message = format!("{what}, since it wants another version of Node.js: {}", clip(line.trim()));
            }
            return failure;
        }
        _ => return failure,
    };
    failure.message = format!("{what}, since {why}: {shown}");
    failure.kind = kind.to_owned();
    failure
}

fn of(stage: &str, what: &str, ended: &Ended, signs: &[Sign]) -> DeployFailure {
    if let Some(broke) = ended.broke {
        let whose = FailureOwner::App;
        return DeployFailure {
            kind: broke.kind().to_owned(),
            message: format!("it {what}: the command {broke}"),
            whose,
        };
    }
    let found = signs.iter().find(|sign| sign.words.iter().all(|word| ended.tail.contains(word)));
    match found {
        Some(sign) => DeployFailure {
            kind: sign.kind.to_owned(),
            message: format!("it {what}, since {}: {}", sign.meaning, line(&ended.tail, sign.words)),
            whose: sign.whose,
        },
        None => {
            let code =
                ended.exit.map_or_else(|| "was killed".to_owned(), |code| format!("ended with exit code {code}"));
            // A program that a script calls and nothing brings.
            let lacks =
                imports::PROGRAMS.iter().find(|(program, _)| ended.tail.contains(&format!("{program}: not found")));
            let kind = lacks.filter(|_| ended.exit == Some(127)).map_or(stage, |_| "missing-dependency");
            DeployFailure {
                kind: kind.to_owned(),
                message: format!("it {what}: the command {code}: {}", last_lines(&ended.tail)),
                whose: FailureOwner::App,
            }
        }
    }
}

/// The line that shows it.
fn line(output: &str, words: &[&str]) -> String {
    let last = words.last().copied().unwrap_or_default();
    let lines: Vec<&str> = output.lines().collect();
    let at = lines.iter().position(|line| line.contains(last)).unwrap_or_default();
    let shown = lines.iter().skip(at).map(|line| line.trim()).filter(|line| !line.is_empty()).take(2);
    clip(&shown.collect::<Vec<_>>().join(" "))
}

fn last_lines(output: &str) -> String {
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    clip(&lines[lines.len().saturating_sub(3)..].join(" "))
}

fn clip(text: &str) -> String {
    match text.char_indices().nth(400) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
