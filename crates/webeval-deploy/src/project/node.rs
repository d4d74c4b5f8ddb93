//! Which version of Node.js an app wants, when the one that is here is too old for it.

use std::sync::OnceLock;

use super::Site;

/// A version: major, minor, patch.
type Version = (u64, u64, u64);

/// The version that the app's package or a file beside it asks for, when that is a later one than what is here, and
/// where it says so. What asks for an older one is tried with what is here.
pub(crate) fn declared(site: &Site) -> Option<(String, String)> {
    let ours = ours()?;
    let range = |package: crate::detect::Package| package.get("engines")?.get("node")?.as_str().map(str::to_owned);
    let packages = [site.package(), crate::detect::Package::read(&site.stage, &site.detected.workspace)];
    for range in packages.into_iter().flatten().filter_map(range) {
        if let Some(major) = needed(&range, ours) {
            return Some((major.to_string(), format!("its package.json asks for Node.js {range}")));
        }
    }
    for name in [".nvmrc", ".node-version"] {
        let text = std::fs::read_to_string(site.file(name)).unwrap_or_default();
        if let Some(major) = text.lines().next().and_then(|line| needed(line, ours)) {
            return Some((major.to_string(), format!("its {name} asks for Node.js {}", text.trim())));
        }
    }
    None
}

/// The major version to take when an error message says that another one is needed.
pub(crate) fn wanted(message: &str) -> String {
    let ours = ours().map_or(20, |ours| ours.0);
    let later = versions(message).map(|(major, ..)| major).filter(|major| (ours + 1..100).contains(major)).min();
    later.unwrap_or(ours + 2 - ours % 2).to_string()
}

/// Whether a line of output says that the app wants a later version of Node.js than what is here.
pub(crate) fn asks_for_later(line: &str) -> bool {
    const ASKS: &[&str] = &[
        "requires",
        "required",
        "need",
        "upgrade",
        "unsupported",
        "not supported",
        "minimum",
        "at least",
        "or later",
        "or newer",
        "or higher",
        ">=",
        "incompatible",
    ];
    let lower = line.to_ascii_lowercase();
    let Some(ours) = ours() else { return false };
    let node = lower.contains("node.js")
        || lower.contains("nodejs")
        || lower.contains("node version")
        || lower.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "node");
    node && ASKS.iter().any(|word| lower.contains(word))
        && versions(line).any(|(major, ..)| (ours.0 + 1..100).contains(&major))
}

/// The lowest major version that a range (`>=22.12`, `^22 || ^24`, `24.x`) allows, when it allows none up to `ours`.
fn needed(range: &str, ours: Version) -> Option<u64> {
    let lowest = |alternative: &str| {
        let comparators = alternative.split_whitespace().filter(|part| !part.starts_with('<') && *part != "-");
        comparators.filter_map(|part| parse(part.trim_start_matches(['>', '=', '^', '~', 'v']))).next()
    };
    // `>= 22` is written with a space as well.
    let range = range.replace(">= ", ">=").replace("> ", ">").replace("^ ", "^");
    let mut alternatives = Vec::new();
    for alternative in range.split("||") {
        // One without a lower bound allows what is here.
        alternatives.push(lowest(alternative)?);
    }
    let open = alternatives.iter().filter(|version| version.0 <= ours.0);
    let fits = open.into_iter().any(|version| *version <= ours);
    let later = alternatives.iter().map(|version| version.0).filter(|major| *major > ours.0).min();
    // The same major version, only later in it, comes as the latest one of it.
    let same = alternatives.iter().any(|version| version.0 == ours.0 && *version > ours).then_some(ours.0);
    (!fits).then(|| same.or(later)).flatten()
}

fn parse(text: &str) -> Option<Version> {
    let mut numbers = text.split('.').map(|part| match part {
        "x" | "X" | "*" => Some(0),
        digits => digits.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok(),
    });
    Some((numbers.next()??, numbers.next().flatten().unwrap_or(0), numbers.next().flatten().unwrap_or(0)))
}

/// What looks like a version in a text.
fn versions(text: &str) -> impl Iterator<Item = Version> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.'));
    words.filter_map(|word| parse(word.trim_start_matches('v').trim_matches('.')))
}

/// The version that is here.
fn ours() -> Option<Version> {
    static OURS: OnceLock<Option<Version>> = OnceLock::new();
    *OURS.get_or_init(|| {
        let output = std::process::Command::new("node").arg("--version").output().ok()?;
        parse(String::from_utf8(output.stdout).ok()?.trim().trim_start_matches('v'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_allow_what_is_here_need_nothing() {
        let ours = (20, 20, 2);
        for range in [
            "*",
            ">=18",
            ">= 18.0.0",
            "^18 || ^20",
            "18.x || >=20",
            "20.x",
            "16.x",
            "<22",
            ">=20.19.0 <23",
            "14 - 20",
            "lts/*",
            "",
        ] {
            assert_eq!(needed(range, ours), None, "{range}");
        }
        for (range, major) in [
            (">=22", 22),
            (">= 22.12.0", 22),
            ("^22.12.0 || >=24", 22),
            ("24.x", 24),
            ("v22", 22),
            ("22", 22),
            (">=20.30.0", 20),
            ("^20.30.0 || >=22.12.0", 20),
            (">=24 <26", 24),
        ] {
            assert_eq!(needed(range, ours), Some(major), "{range}");
        }
    }

    #[test]
    fn messages_of_common_tools_name_the_version() {
        let Some(ours) = ours().filter(|ours| ours.0 < 22) else { return };
        for line in [
            "You are using Node.js 20.10.0. Vite requires Node.js version 20.19+ or 22.12+. Please upgrade your Node.js version.",
            "Node.js v20.20.2 is not supported by Astro!\nPlease upgrade Node.js to a supported version: \">=22.12.0\"",
            "The Angular CLI requires a minimum Node.js version of v22.12.",
            "You are using Node.js 20.20.2. For Next.js, Node.js version \">=22.9.0\" is required.",
            "error thing@1.0.0: The engine \"node\" is incompatible with this module. Expected version \">=22\". Got \"20.20.2\"",
        ] {
            assert!(line.lines().any(asks_for_later), "{line} on {ours:?}");
            assert_eq!(wanted(line), "22", "{line}");
        }
        for line in [
            "node:internal/modules/cjs/loader:1228",
            "    at node:internal/main/22:3",
            "Node.js v20.20.2",
            "needs 24 columns",
        ] {
            assert!(!asks_for_later(line), "{line}");
        }
    }
}
