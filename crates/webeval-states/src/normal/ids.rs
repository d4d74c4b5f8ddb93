//! Generated ids: recognised, and renamed in order of appearance so that the links between elements survive.

use rustc_hash::FxHashMap;

/// What a renamed id starts with.
pub(super) const RENAMED: &str = "webeval-id";

/// Starts of ids that libraries count up.
const COUNTED: &[&str] = &[
    "radix-",
    "headlessui-",
    "mui-",
    "react-aria",
    "react-select-",
    "rc_select_",
    "rc-",
    "rc_",
    "downshift-",
    "ui-id-",
    "ember",
    "mat-",
    "cdk-",
    "mdc-",
    "chakra-",
    "field-",
    "tippy-",
    "popper-",
    "floating-ui-",
    "input-v-",
    "el-id-",
    "reka-",
    "bits-",
    "melt-",
    "yui_",
    "ext-",
    "gwt-uid-",
    "select2-",
    "dijit_",
    "uid-",
    "uid_",
    "vs",
    "p-",
    "pv_id_",
    "pr_id_",
    "ng-",
    "v-",
    "__",
    "id-",
    "auto-",
    "generated-",
    "kobalte-",
    "cl-",
    "zag-",
    "ark-",
    "mantine-",
    "fui-",
    "ant-",
    "combobox-",
    "listbox-",
    "rfs-",
    "headlessui",
    "jqx",
    "webeval-id",
];

/// Whether `id` looks as if a library made it up, so that it differs from load to load.
pub(super) fn is_generated(id: &str) -> bool {
    let bytes = id.as_bytes();
    if bytes.starts_with(RENAMED.as_bytes()) {
        return true;
    }
    if !bytes.iter().any(u8::is_ascii_digit) {
        return react_use_id(id);
    }
    react_use_id(id) || counted(id) || has_uuid(bytes) || has_stamp(bytes) || random_segment(id)
}

/// React's `useId`: `:r1:`, `«r1»`, `_r_1_`, alone or inside a longer id; base-32 counters.
fn react_use_id(id: &str) -> bool {
    let bytes = id.as_bytes();
    bytes.iter().enumerate().filter(|(_, b)| matches!(b, b':' | b'_' | 0xc2)).any(|(at, _)| {
        [(":r", ":"), (":R", ":"), ("\u{ab}r", "\u{bb}"), ("_r_", "_"), ("_R_", "_")].iter().any(|(open, close)| {
            bytes[at..].strip_prefix(open.as_bytes()).is_some_and(|rest| {
                let digits = rest.iter().take(12).take_while(|b| b.is_ascii_alphanumeric()).count();
                digits > 0 && rest[digits..].starts_with(close.as_bytes())
            })
        })
    })
}

fn counted(id: &str) -> bool {
    let first = id.as_bytes().first();
    let may = COUNTED.iter().filter(|prefix| prefix.as_bytes().first() == first);
    may.into_iter().any(|prefix| {
        id.strip_prefix(prefix).is_some_and(|rest| {
            // The counter ends the id or a segment of it.
            rest.split(['-', '_', ':']).any(|s| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit()))
        })
    })
}

/// A UUID anywhere in `id`.
fn has_uuid(id: &[u8]) -> bool {
    const DASHES: [usize; 4] = [8, 13, 18, 23];
    id.windows(36).any(|w| {
        w.iter().enumerate().all(|(i, b)| if DASHES.contains(&i) { *b == b'-' } else { b.is_ascii_hexdigit() })
    })
}

/// A run of exactly thirteen digits: milliseconds since 1970.
fn has_stamp(id: &[u8]) -> bool {
    id.split(|b| !b.is_ascii_digit()).any(|run| run.len() == 13 && run[0] == b'1')
}

/// A segment of eight or more letters and digits in which the two alternate as they do in no word.
fn random_segment(id: &str) -> bool {
    id.split(['-', '_', ':', '.']).any(|segment| segment.len() >= 8 && alternations(segment.as_bytes()) >= 3)
}

/// How often digits and letters take turns in `segment`; 0 unless it has nothing else.
pub(super) fn alternations(segment: &[u8]) -> usize {
    if !segment.iter().all(u8::is_ascii_alphanumeric) {
        return 0;
    }
    segment.windows(2).filter(|w| w[0].is_ascii_digit() != w[1].is_ascii_digit()).count()
}

/// The generated ids met so far on a page.
#[derive(Debug, Default)]
pub(super) struct GeneratedIds {
    numbers: FxHashMap<Box<str>, usize>,
    order: Vec<Box<str>>,
}

impl GeneratedIds {
    /// The number of `id`, counted from 1 in order of first appearance.
    pub(super) fn number(&mut self, id: &str) -> usize {
        if let Some(&number) = self.numbers.get(id) {
            return number;
        }
        self.order.push(id.into());
        self.numbers.insert(id.into(), self.order.len());
        self.order.len()
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// Forgets all but the first `len` ids.
    pub(super) fn truncate(&mut self, len: usize) {
        for id in self.order.drain(len..) {
            self.numbers.remove(&id);
        }
    }
}
