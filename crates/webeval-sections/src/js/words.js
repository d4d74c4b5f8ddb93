// The words that the page shows, in order, twice: as they are written, and in the case that style sheets show them in.
let written = "";
let shown = "";
function say(text, transform) {
  written += text;
  shown += transform === "uppercase" ? text.toUpperCase() : transform === "lowercase" ? text.toLowerCase()
    : transform === "capitalize" ? text.replace(/(^|\s)\p{L}/gu, (first) => first.toUpperCase()) : text;
}
function childrenOf(element) {
  if (element.localName === "slot" && element.assignedNodes().length) return element.assignedNodes();
  return (element.shadowRoot || element).childNodes;
}
function field(element) {
  if (element.localName === "select") return [...element.selectedOptions].map((option) => option.text).join(" ");
  if (element.localName === "textarea") return element.value || element.placeholder;
  if (element.localName !== "input" || /^(hidden|password|checkbox|radio|range|color|file|image)$/.test(element.type)) return "";
  return element.value || element.placeholder;
}
function walk(element, opacity) {
  const style = getComputedStyle(element);
  if (style.display !== "contents" && !element.checkVisibility()) return;
  const own = opacity * Number(style.opacity);
  if (own < 0.05) return;
  const seen = style.visibility === "visible";
  const apart = !/^(inline|contents|ruby)/.test(style.display) || element.localName === "br";
  if (apart) say(" ", "none");
  const typed = seen && field(element);
  if (typed) say(` ${typed} `, "none");
  if (/^(select|textarea)$/.test(element.localName)) return;
  for (const child of childrenOf(element)) {
    if (child.nodeType === 3 && seen) say(child.data, style.textTransform);
    if (child.nodeType === 1) walk(child, own);
  }
  let inner = null;
  try {
    inner = element.contentDocument && element.contentDocument.body;
  } catch { /* another origin's frame keeps its words to itself */ }
  if (inner) walk(inner, own);
  if (apart) say(" ", "none");
}
walk(document.documentElement, 1);
return JSON.stringify([written, shown]);
