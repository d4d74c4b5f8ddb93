use serde::{Deserialize, Serialize};

/// The form a source is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Kind {
    /// JavaScript whose text decides whether it is a module or a script; JSX is understood.
    JavaScript,
    /// A classic script: its top level is global and may be sloppy.
    Script,
    /// An ECMAScript module.
    Module,
    /// A CommonJS module: `return` at the top level, `require`.
    CommonJs,
    /// JavaScript with JSX.
    Jsx,
    /// TypeScript.
    Ts,
    /// TypeScript with JSX.
    Tsx,
    /// A Vue single-file component.
    Vue,
    /// A Svelte component.
    Svelte,
    /// An Astro component.
    Astro,
    /// An HTML document.
    Html,
}

impl Kind {
    /// The kind that a path's extension stands for, or `None` for a file that is not code.
    ///
    /// Type declarations (`.d.ts`) have nothing to count and are not code here.
    #[must_use]
    pub fn from_path(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
        if [".d.ts", ".d.mts", ".d.cts"].iter().any(|end| name.ends_with(end)) {
            return None;
        }
        let (_, extension) = name.rsplit_once('.')?;
        Some(match extension {
            "js" | "es6" | "es" => Self::JavaScript,
            "mjs" => Self::Module,
            "cjs" => Self::CommonJs,
            "jsx" => Self::Jsx,
            "ts" | "mts" | "cts" => Self::Ts,
            "tsx" => Self::Tsx,
            "vue" => Self::Vue,
            "svelte" => Self::Svelte,
            "astro" => Self::Astro,
            "html" | "htm" => Self::Html,
            _ => return None,
        })
    }

    /// Whether the form embeds scripts in a document of another language.
    #[must_use]
    pub const fn is_document(self) -> bool {
        matches!(self, Self::Vue | Self::Svelte | Self::Astro | Self::Html)
    }
}

/// How to instrument. The names and defaults are those of `istanbul-lib-instrument`, where it has the option.
///
/// Istanbul's `compact` has no counterpart, since the source text is kept as it is; `autoWrap` (a `return` outside of
/// a function) is always on; `parserPlugins` are not needed.
///
/// ```
/// use webeval_instrument::{Kind, Options};
/// let mut options = Options::default();
/// options.coverage_variable = "__cov__".into();
/// options.kind = Some(Kind::Script);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Options {
    /// The source form; by default the path's extension decides.
    pub kind: Option<Kind>,
    /// Name of the global that holds the coverage, `__coverage__` by default.
    pub coverage_variable: String,
    /// Expression that gives the global object. The default, `this`, is written as `globalThis`.
    pub coverage_global_scope: String,
    /// Accepted for compatibility. Istanbul evaluates the scope with `new Function` when this is true, which a
    /// content security policy may forbid; here the expression is always written as it is.
    pub coverage_global_scope_func: bool,
    /// Whether `.js` files are modules (`Some(true)`), scripts (`Some(false)`) or decided by their text (`None`).
    pub es_modules: Option<bool>,
    /// Methods of classes, and named function expressions, that are not counted.
    pub ignore_class_methods: Vec<String>,
    /// Keep the comments (the default). When false they are blanked, line breaks kept.
    pub preserve_comments: bool,
    /// Also count how often each operand of a logical expression was truthy (`bT`).
    pub report_logic: bool,
    /// Also count the arms of `?.` and of `??=`, `||=`, `&&=`, which Istanbul has no branches for.
    pub report_optional: bool,
    /// Write the maps as one JSON text, parsed when somebody asks for them, in place of a literal: bundlers and minifiers
    /// get through it faster. Istanbul's `readInitialCoverage` finds no maps in such a file.
    pub maps_as_text: bool,
    /// Produce a source map of the instrumented code.
    pub produce_source_map: bool,
    /// Source map, as JSON, from the given source to what it was made of. It is kept in the coverage data, as
    /// Istanbul does, and composed into the produced source map.
    pub input_source_map: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            kind: None,
            coverage_variable: "__coverage__".to_owned(),
            coverage_global_scope: "this".to_owned(),
            coverage_global_scope_func: true,
            es_modules: None,
            ignore_class_methods: Vec::new(),
            preserve_comments: true,
            report_logic: false,
            report_optional: false,
            maps_as_text: false,
            produce_source_map: false,
            input_source_map: None,
        }
    }
}
