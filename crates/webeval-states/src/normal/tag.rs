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

            /// The element called `name`, in lower case.
            pub(super) fn of(name: &[u8]) -> Self {
                match name {
                    $($name => Self::$constant,)*
                    _ => Self::OTHER,
                }
            }
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

tags! {
    HTML b"html" SEQUENCE; HEAD b"head" SEQUENCE; BODY b"body" SEQUENCE; TITLE b"title" RCDATA | SEQUENCE;
    SCRIPT b"script" REMOVED | RAW; STYLE b"style" REMOVED | RAW; NOSCRIPT b"noscript" REMOVED | RAW;
    LINK b"link" REMOVED | VOID; META b"meta" VOID; BASE b"base" VOID;
    XMP b"xmp" RAW; NOEMBED b"noembed" REMOVED | RAW; NOFRAMES b"noframes" REMOVED | RAW;
    TEMPLATE b"template" 0; SLOT b"slot" 0;
    DIV b"div" 0; SECTION b"section" 0; ARTICLE b"article" ITEM; MAIN b"main" SEQUENCE; NAV b"nav" 0;
    HEADER b"header" SEQUENCE; FOOTER b"footer" SEQUENCE; ASIDE b"aside" 0;
    P b"p" SEQUENCE | PROSE; H1 b"h1" SEQUENCE | PROSE; H2 b"h2" SEQUENCE | PROSE; H3 b"h3" SEQUENCE | PROSE;
    H4 b"h4" SEQUENCE | PROSE; H5 b"h5" SEQUENCE | PROSE; H6 b"h6" SEQUENCE | PROSE;
    HGROUP b"hgroup" SEQUENCE | PROSE;
    PREFORMATTED b"pre" SEQUENCE | PRE | PROSE; BLOCKQUOTE b"blockquote" PROSE; HR b"hr" VOID | SEQUENCE | PROSE;
    FIGURE b"figure" PROSE; FIGCAPTION b"figcaption" PROSE; ADDRESS b"address" PROSE;
    UL b"ul" 0; OL b"ol" 0; LI b"li" ITEM; MENU b"menu" 0;
    DL b"dl" 0; DT b"dt" SEQUENCE; DD b"dd" SEQUENCE;
    TABLE b"table" 0; CAPTION b"caption" SEQUENCE; COLGROUP b"colgroup" SEQUENCE; COL b"col" VOID;
    THEAD b"thead" SEQUENCE; TBODY b"tbody" 0; TFOOT b"tfoot" SEQUENCE;
    TR b"tr" ITEM; TD b"td" SEQUENCE; TH b"th" SEQUENCE;
    A b"a" CONTROL; BUTTON b"button" CONTROL; INPUT b"input" VOID | CONTROL | SEQUENCE;
    SELECT b"select" CONTROL; OPTION b"option" ITEM; OPTGROUP b"optgroup" ITEM; DATALIST b"datalist" 0;
    TEXTAREA b"textarea" RCDATA | CONTROL | PRE | SEQUENCE; LABEL b"label" SEQUENCE; FORM b"form" 0;
    FIELDSET b"fieldset" 0; LEGEND b"legend" SEQUENCE; OUTPUT b"output" 0; METER b"meter" 0; PROGRESS b"progress" 0;
    DETAILS b"details" 0; SUMMARY b"summary" CONTROL | SEQUENCE; DIALOG b"dialog" 0;
    SPAN b"span" INLINE; B b"b" INLINE; I b"i" INLINE; EM b"em" INLINE; STRONG b"strong" INLINE;
    SMALL b"small" INLINE; CODE b"code" INLINE; TIME b"time" INLINE; SUB b"sub" INLINE; SUP b"sup" INLINE;
    MARK b"mark" INLINE; S b"s" INLINE; U b"u" INLINE; DEL b"del" INLINE; INS b"ins" INLINE; KBD b"kbd" INLINE;
    VAR b"var" INLINE; SAMP b"samp" INLINE; ABBR b"abbr" INLINE; CITE b"cite" INLINE; Q b"q" INLINE;
    BDI b"bdi" INLINE; BDO b"bdo" INLINE; DATA b"data" INLINE; DFN b"dfn" INLINE; FONT b"font" INLINE;
    BR b"br" VOID | INLINE | SEQUENCE; WBR b"wbr" VOID | INLINE | SEQUENCE;
    IMG b"img" VOID | INLINE; PICTURE b"picture" INLINE; SOURCE b"source" VOID | INLINE; MAP b"map" 0;
    AREA b"area" VOID; SVG b"svg" INLINE; MATH b"math" INLINE; CANVAS b"canvas" 0; VIDEO b"video" CONTROL;
    AUDIO b"audio" CONTROL; TRACK b"track" VOID; IFRAME b"iframe" 0; EMBED b"embed" VOID; OBJECT b"object" 0;
    PARAM b"param" VOID;
}

impl Tag {
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
