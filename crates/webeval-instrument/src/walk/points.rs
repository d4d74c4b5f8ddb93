//! What one walk over a program finds: the places that are counted, and the text to insert for it.

use crate::coverage::BranchKind;

/// Stands for "no counter".
pub(crate) const NONE: u32 = u32::MAX;

/// Byte offsets of a stretch of the whole file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A function and the counter that counts it.
#[derive(Debug)]
pub(crate) struct FunctionPoint {
    pub(crate) name: Option<String>,
    pub(crate) decl: Stretch,
    pub(crate) body: Stretch,
    pub(crate) counter: u32,
}

/// A decision.
#[derive(Debug)]
pub(crate) struct BranchPoint {
    pub(crate) kind: BranchKind,
    pub(crate) whole: Stretch,
}

/// An arm of a decision. Arms are found in the order of the text, so those of one decision may lie apart.
#[derive(Debug)]
pub(crate) struct ArmPoint {
    pub(crate) branch: u32,
    pub(crate) place: Option<Stretch>,
    /// Where it begins to run, or [`NONE`] if it has no text.
    pub(crate) runs_at: u32,
    pub(crate) counter: u32,
    /// Counter of truthy values, or [`NONE`].
    pub(crate) truthy: u32,
}

/// The text to put in at a place. `V` stands for the counters' variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Text {
    /// `++V[n];`
    Count,
    /// `var{}=++V[n];`: a statement without a completion value.
    CountQuietly,
    /// `;++V[n];`
    CountAfter,
    /// `{++V[n];`
    OpenCount,
    /// `{var{}=++V[n];`
    OpenCountQuietly,
    /// `else ++V[n];`
    Else,
    /// `else{var{}=++V[n];}`
    ElseQuietly,
    /// `(++V[n],`
    Wrap,
    /// `static{++V[n]}`
    StaticBlock,
    /// `{`
    Open,
    /// `}`
    Close,
    /// `)`
    EndWrap,
    /// `V||V_();`: counters for a function that may be called before its module ran.
    Ready,
    /// `;V||V_();`
    ReadyAfter,
    /// `V_t(n,`: counts the value if it is truthy.
    Truthy,
    /// In place of a comma: `;++V[n];` and the declaration's keywords, the text with that index.
    Split(u32),
    /// In place of a comma: `;var{}=++V[n];` and the declaration's keywords.
    SplitQuietly(u32),
    /// `(++V[n],` followed by the text with that index.
    WrapThen(u32),
    /// The text with that index.
    Plain(u32),
    /// Nothing, in place of that many bytes.
    Remove(u32),
}

/// One piece of text to put in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Insertion {
    pub(crate) at: u32,
    pub(crate) counter: u32,
    pub(crate) text: Text,
    /// Counters may not be there yet: `(V||V_())[n]` in place of `V[n]`.
    pub(crate) early: bool,
}

/// Everything found in a file.
#[derive(Debug, Default)]
pub(crate) struct Points {
    pub(crate) statements: Vec<(Stretch, u32)>,
    pub(crate) functions: Vec<FunctionPoint>,
    pub(crate) branches: Vec<BranchPoint>,
    pub(crate) arms: Vec<ArmPoint>,
    pub(crate) insertions: Vec<Insertion>,
    pub(crate) texts: Vec<String>,
    /// Number of counters that exist at run time. Places that always count alike share one.
    pub(crate) counters: u32,
    pub(crate) has_truthy: bool,
}

impl Points {
    /// Points with room for what a source of that size usually holds.
    pub(crate) fn for_source(bytes: usize) -> Self {
        Self {
            statements: Vec::with_capacity(bytes / 80),
            functions: Vec::with_capacity(bytes / 400),
            branches: Vec::with_capacity(bytes / 230),
            arms: Vec::with_capacity(bytes / 100),
            insertions: Vec::with_capacity(bytes / 32),
            ..Self::default()
        }
    }

    pub(crate) fn new_counter(&mut self) -> u32 {
        let counter = self.counters;
        self.counters += 1;
        counter
    }

    pub(crate) fn text(&mut self, text: String) -> u32 {
        self.texts.push(text);
        self.texts.len() as u32 - 1
    }
}
