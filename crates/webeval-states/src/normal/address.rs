//! Parts of addresses that say nothing about the page.

/// Without the origin of a server on this machine, whose port says nothing.
pub(super) fn strip_local_origin(value: &str) -> &str {
    let Some(rest) = value.strip_prefix("http://").or_else(|| value.strip_prefix("https://")) else {
        return value;
    };
    for host in ["127.0.0.1", "localhost", "[::1]", "0.0.0.0"] {
        if let Some(rest) = rest.strip_prefix(host) {
            let port = rest.strip_prefix(':').map_or(rest, |r| r.trim_start_matches(|c: char| c.is_ascii_digit()));
            if port.is_empty() || port.starts_with(['/', '?', '#']) {
                return port;
            }
        }
    }
    value
}

/// The parts round the value of a cache-busting parameter: a number of ten digits or more, or a fraction.
pub(super) fn bust(value: &str) -> Option<(&str, &str)> {
    let query = value.find('?')?;
    let mut at = query + 1;
    for parameter in value[query + 1..].split('&') {
        if let Some((key, number)) = parameter.split_once('=') {
            let number = number.split('#').next().unwrap_or(number);
            let digits = number.strip_prefix("0.").unwrap_or(number);
            let busting = matches!(
                key.trim_start_matches("amp;"),
                "t" | "ts" | "_" | "v" | "cb" | "time" | "timestamp" | "nocache" | "rand" | "r" | "cache" | "cachebust"
            );
            if busting && digits.len() >= 10 && digits.bytes().all(|b| b.is_ascii_digit()) {
                let start = at + key.len() + 1;
                return Some((&value[..start], &value[start + number.len()..]));
            }
        }
        at += parameter.len() + 1;
    }
    None
}
