//! Element names that the normal forms treat specially.

/// A known element, or [`Tag::OTHER`] for every other name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Tag(u8);

/// Declares the known elements: each gets a constant, its name, and its properties.
macro_rules! tags {
    ($($constant:ident $name:literal $properties:expr;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(u8)]
        enum Number { OTHER, TEXT, $($constant),* }

        impl Tag {
            pub(super) const OTHER: Self = Self(Number::OTHER as u8);
            /// Not an element: a run of text.
            pub(super) const TEXT: Self = Self(Number::TEXT as u8);
            $(#[allow(dead_code)] pub(super) const $constant: Self = Self(Number::$constant as u8);)*

        }

        const NAMES: &[&[u8]] = &[b"", b"", $($name),*];
        const PROPERTIES: &[u16] = &[0, 0, $($properties),*];
    };
}

/// No content and no end tag.
const VOID: u16 = 1;
/// Removed with everything in it: scripts, styles, and what is not rendered.
const REMOVED: u16 = 2;
/// Content is text up to the end tag, never markup.
const RAW: u16 = 4;
/// Content is text with character references.
const RCDATA: u16 = 8;
/// Phrasing: part of the text unless it says otherwise.
const INLINE: u16 = 16;
/// One of many by its nature: its siblings of the same name are a list.
const ITEM: u16 = 32;
/// Sequence matters and repetition is no list: cells, terms, paragraphs, headings, fields.
const SEQUENCE: u16 = 64;
/// Something to operate.
const CONTROL: u16 = 128;
/// White space is kept.
const PRE: u16 = 256;
/// A block of prose.
const PROSE: u16 = 512;
/// A part of the page by its name alone.
const PART: u16 = 1024;
/// Never seen.
const GONE: u16 = 2048;

tags! {
    HTML b"html" SEQUENCE | PART; HEAD b"head" SEQUENCE | GONE; BODY b"body" SEQUENCE | PART; TITLE b"title" RCDATA | SEQUENCE | GONE;
    SCRIPT b"script" REMOVED | RAW; STYLE b"style" REMOVED | RAW; NOSCRIPT b"noscript" REMOVED | RAW;
    LINK b"link" REMOVED | VOID; META b"meta" VOID | GONE; BASE b"base" VOID | GONE;
    XMP b"xmp" RAW; NOEMBED b"noembed" REMOVED | RAW; NOFRAMES b"noframes" REMOVED | RAW;
    TEMPLATE b"template" GONE; SLOT b"slot" 0;
    DIV b"div" 0; SECTION b"section" PART; ARTICLE b"article" ITEM | PART; MAIN b"main" SEQUENCE | PART; NAV b"nav" PART;
    HEADER b"header" SEQUENCE | PART; FOOTER b"footer" SEQUENCE | PART; ASIDE b"aside" PART;
    P b"p" SEQUENCE | PROSE | PART; H1 b"h1" SEQUENCE | PART; H2 b"h2" SEQUENCE | PROSE | PART; H3 b"h3" SEQUENCE | PROSE | PART;
    H4 b"h4" SEQUENCE | PROSE | PART; H5 b"h5" SEQUENCE | PROSE | PART; H6 b"h6" SEQUENCE | PROSE | PART;
    HGROUP b"hgroup" SEQUENCE;
    PREFORMATTED b"pre" SEQUENCE | PRE | PROSE | PART; BLOCKQUOTE b"blockquote" PROSE | PART; HR b"hr" VOID | SEQUENCE;
    FIGURE b"figure" PROSE | PART; FIGCAPTION b"figcaption" 0; ADDRESS b"address" PROSE | PART;
    UL b"ul" PART; OL b"ol" PART; LI b"li" ITEM | PART; MENU b"menu" PART;
    DL b"dl" PART; DT b"dt" SEQUENCE; DD b"dd" SEQUENCE;
    TABLE b"table" PART; CAPTION b"caption" SEQUENCE; COLGROUP b"colgroup" SEQUENCE | GONE; COL b"col" VOID | GONE;
    THEAD b"thead" SEQUENCE | PART; TBODY b"tbody" PART; TFOOT b"tfoot" SEQUENCE | PART;
    TR b"tr" ITEM | PART; TD b"td" SEQUENCE; TH b"th" SEQUENCE;
    A b"a" CONTROL | PART; BUTTON b"button" CONTROL | PART; INPUT b"input" VOID | CONTROL | SEQUENCE | PART;
    SELECT b"select" CONTROL | PART; OPTION b"option" ITEM; OPTGROUP b"optgroup" ITEM; DATALIST b"datalist" GONE;
    TEXTAREA b"textarea" RCDATA | CONTROL | PRE | SEQUENCE | PART; LABEL b"label" SEQUENCE | PART; FORM b"form" PART;
    FIELDSET b"fieldset" PART; LEGEND b"legend" SEQUENCE; OUTPUT b"output" PART; METER b"meter" PART; PROGRESS b"progress" PART;
    DETAILS b"details" PART; SUMMARY b"summary" CONTROL | SEQUENCE | PART; DIALOG b"dialog" PART;
    SPAN b"span" INLINE; B b"b" INLINE; I b"i" INLINE; EM b"em" INLINE; STRONG b"strong" INLINE;
    SMALL b"small" INLINE; CODE b"code" INLINE; TIME b"time" INLINE; SUB b"sub" INLINE; SUP b"sup" INLINE;
    MARK b"mark" INLINE; S b"s" INLINE; U b"u" INLINE; DEL b"del" INLINE; INS b"ins" INLINE; KBD b"kbd" INLINE;
    VAR b"var" INLINE; SAMP b"samp" INLINE; ABBR b"abbr" INLINE; CITE b"cite" INLINE; Q b"q" INLINE;
    BDI b"bdi" INLINE; BDO b"bdo" INLINE; DATA b"data" INLINE; DFN b"dfn" INLINE; FONT b"font" INLINE;
    BR b"br" VOID | INLINE | SEQUENCE; WBR b"wbr" VOID | INLINE | SEQUENCE;
    IMG b"img" VOID | INLINE; PICTURE b"picture" INLINE; SOURCE b"source" VOID | INLINE | GONE; MAP b"map" 0;
    AREA b"area" VOID | GONE; SVG b"svg" INLINE | GONE; MATH b"math" INLINE | GONE; CANVAS b"canvas" PART; VIDEO b"video" CONTROL | PART;
    AUDIO b"audio" CONTROL | PART; TRACK b"track" VOID | GONE; IFRAME b"iframe" PART; EMBED b"embed" VOID | PART; OBJECT b"object" PART;
    PARAM b"param" VOID | GONE;
}

/// Known names of up to eight letters by their bytes, in a table with open addressing; built by the compiler.
const SHORT: [(u64, u8); SLOTS] = {
    let mut table = [(0, 0); SLOTS];
    let mut number = 2;
    while number < NAMES.len() {
        if NAMES[number].len() <= 8 {
            let key = packed(NAMES[number]);
            let mut slot = slot_of(key);
            while table[slot].0 != 0 {
                slot = (slot + 1) % SLOTS;
            }
            table[slot] = (key, number as u8);
        }
        number += 1;
    }
    table
};

const SLOTS: usize = 512;

const fn slot_of(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 55) as usize
}

/// A name of up to eight bytes as a number, letters in lower case.
const fn packed(name: &[u8]) -> u64 {
    let mut key = 0;
    let mut i = 0;
    while i < name.len() {
        key = key << 8 | (name[i] | 0x20) as u64;
        i += 1;
    }
    key
}

impl Tag {
    /// The element called `name`, in any case.
    pub(super) fn of(name: &[u8]) -> Self {
        if name.len() > 8 {
            let long = NAMES.iter().position(|known| known.len() > 8 && known.eq_ignore_ascii_case(name));
            return long.map_or(Self::OTHER, |number| Self(number as u8));
        }
        let key = packed(name);
        let mut slot = slot_of(key);
        loop {
            match SHORT[slot] {
                (0, _) => return Self::OTHER,
                (known, number) if known == key => {
                    // Lower-casing by a bit makes letters of a few other characters.
                    let same = NAMES[number as usize].eq_ignore_ascii_case(name);
                    return if same { Self(number) } else { Self::OTHER };
                }
                _ => slot = (slot + 1) % SLOTS,
            }
        }
    }

    fn has(self, property: u16) -> bool {
        PROPERTIES[self.0 as usize] & property != 0
    }

    /// The name of the known element with this number, else nothing.
    pub(super) fn name(number: usize) -> &'static str {
        NAMES.get(number).and_then(|name| std::str::from_utf8(name).ok()).unwrap_or("")
    }

    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    /// How many tags there are, [`Tag::OTHER`] and [`Tag::TEXT`] included.
    pub(super) const fn count() -> usize {
        PROPERTIES.len()
    }

    pub(super) fn is_void(self) -> bool {
        self.has(VOID)
    }

    pub(super) fn is_removed(self) -> bool {
        self.has(REMOVED)
    }

    pub(super) fn is_raw(self) -> bool {
        self.has(RAW)
    }

    pub(super) fn is_rcdata(self) -> bool {
        self.has(RCDATA)
    }

    pub(super) fn is_inline(self) -> bool {
        self.has(INLINE)
    }

    pub(super) fn is_item(self) -> bool {
        self.has(ITEM)
    }

    pub(super) fn is_sequence(self) -> bool {
        self.has(SEQUENCE)
    }

    pub(super) fn is_control(self) -> bool {
        self.has(CONTROL)
    }

    pub(super) fn is_pre(self) -> bool {
        self.has(PRE)
    }

    pub(super) fn is_part(self) -> bool {
        self.has(PART)
    }

    pub(super) fn is_gone(self) -> bool {
        self.has(GONE)
    }

    /// Whether it is a field that people fill in, choose from or tick.
    pub(super) fn is_field(self) -> bool {
        matches!(self, Self::INPUT | Self::TEXTAREA | Self::SELECT)
    }

    /// Whether it is a cell of a table or a term of a list, which are transparent whatever they are called.
    pub(super) fn is_cell(self) -> bool {
        matches!(self, Self::TD | Self::TH | Self::DT | Self::DD)
    }

    pub(super) fn is_prose(self) -> bool {
        self.has(PROSE)
    }

    /// Whether an open `self` at the top of the stack ends where a `next` starts, its end tag having been left out.
    pub(super) fn closed_by(self, next: Self) -> bool {
        match self {
            Self::LI | Self::P => next == self,
            Self::OPTION => matches!(next, Self::OPTION | Self::OPTGROUP),
            Self::DT | Self::DD => matches!(next, Self::DT | Self::DD),
            Self::TD | Self::TH => matches!(next, Self::TD | Self::TH | Self::TR),
            Self::TR => next == Self::TR,
            _ => false,
        }
    }
}
