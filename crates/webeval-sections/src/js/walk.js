// One walk over the flattened tree (open shadow roots, slots, same-origin frames): boxes, styles, text, media, controls.
const options = Object.assign({ maxNodes: 20000, maxText: 400, hit: "viewport" }, arguments[0] || {});
const nodes = [];
const elements = [];
const indexOf = new Map();
const notes = [];
const SKIPPED = new Set(["script", "style", "head", "template", "noscript", "meta", "link", "title", "base", "source",
  "track", "param", "datalist", "col", "colgroup", "area", "map"]);
const EVERYWHERE = { left: -1e7, top: -1e7, right: 1e7, bottom: 1e7 };
const round = (value) => Math.round(value * 100) / 100;
const squeeze = (text) => text.replace(/\s+/g, " ").trim();
const cut = (text, length) => (text.length > length ? text.slice(0, length - 1) + "\u2026" : text);

function intersect(a, b) {
  return {
    left: Math.max(a.left, b.left), top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom),
  };
}

function boxOf(rect, at) {
  return { left: rect.left + at.x, top: rect.top + at.y, right: rect.right + at.x, bottom: rect.bottom + at.y };
}

function numbers(box) {
  return [round(box.left), round(box.top), round(box.right - box.left), round(box.bottom - box.top)];
}

// The boxes of an element's own text, line by line.
function textOf(element, at) {
  let text = "";
  const lines = [];
  let all = null;
  for (const child of element.childNodes) {
    if (child.nodeType !== 3 || !/\S/.test(child.data)) continue;
    text += child.data + " ";
    const range = document.createRange();
    range.setStart(child, child.data.search(/\S/));
    range.setEnd(child, child.data.trimEnd().length);
    for (const rect of range.getClientRects()) {
      if (rect.width < 0.5 || rect.height < 0.5) continue;
      const box = boxOf(rect, at);
      all = all
        ? { left: Math.min(all.left, box.left), top: Math.min(all.top, box.top),
            right: Math.max(all.right, box.right), bottom: Math.max(all.bottom, box.bottom) }
        : box;
      if (lines.length < 12) lines.push(numbers(box));
    }
  }
  if (!all) return null;
  text = squeeze(text);
  return { text: cut(text, options.maxText), length: text.length, box: numbers(all), lines };
}

const NATIVE_CONTROLS = new Set(["button", "input", "select", "textarea", "summary"]);
const CONTROL_ROLES = new Set(["button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "slider", "option", "combobox", "textbox"]);
function controlOf(element) {
  const tag = element.localName;
  const role = element.getAttribute("role");
  const native = NATIVE_CONTROLS.has(tag) || (tag === "a" && element.hasAttribute("href"));
  if (!native && !CONTROL_ROLES.has(role) && !element.hasAttribute("onclick")) return null;
  if (tag === "input" && element.type === "hidden") return null;
  const control = { kind: tag === "input" ? element.type : tag === "a" ? "link" : role || tag };
  if (element.disabled || element.getAttribute("aria-disabled") === "true") control.disabled = true;
  if (tag === "input" && /^(button|submit|reset)$/.test(element.type)) control.label = cut(squeeze(element.value), 80);
  else if (element.value && tag !== "button" && tag !== "li") control.filled = true;
  if (tag === "input" || tag === "select") control.plain = getComputedStyle(element).appearance !== "none";
  return control;
}

// What a resource's own status says of a failure: an answer (404), or none because it lies on another host.
function failureOf(url) {
  let address;
  try { address = new URL(url, document.baseURI); } catch { return { status: 0, external: false }; }
  const entry = performance.getEntriesByName(address.href).pop();
  const external = /^https?:$/.test(address.protocol) && address.origin !== location.origin;
  return { status: (entry && entry.responseStatus) || 0, external };
}

function mediaOf(element) {
  const tag = element.localName;
  if (tag === "img") {
    const src = element.currentSrc || element.src;
    const media = { kind: "img", src: cut(src, 300), natural: [element.naturalWidth, element.naturalHeight] };
    if (element.hasAttribute("alt")) media.alt = cut(element.alt, 200);
    if (!src) media.state = "empty";
    else if (!element.complete) media.state = "loading";
    else if (element.naturalWidth === 0) Object.assign(media, { state: "broken" }, failureOf(src));
    return media;
  }
  if (tag === "video") {
    const media = { kind: "video", src: cut(element.currentSrc || element.src, 300), natural: [element.videoWidth, element.videoHeight] };
    if (element.poster) media.poster = cut(element.poster, 300);
    const failed = element.error || element.networkState === 3;
    if (failed) Object.assign(media, { state: "broken" }, failureOf(media.src));
    return media;
  }
  if (tag === "canvas") return { kind: "canvas", natural: [element.width, element.height] };
  if (tag === "svg") {
    const view = element.viewBox && element.viewBox.baseVal;
    const media = { kind: "svg", natural: view ? [view.width, view.height] : [0, 0] };
    const title = element.querySelector(":scope > title");
    const label = element.getAttribute("aria-label") || (title && title.textContent);
    if (label) media.alt = cut(squeeze(label), 200);
    if (element.getAttribute("preserveAspectRatio") === "none") media.stretch = true;
    return media;
  }
  if (tag === "iframe" || tag === "embed" || tag === "object") {
    return { kind: tag, src: cut(element.src || element.data || "", 300), natural: [0, 0] };
  }
  return null;
}

const KEPT_ATTRIBUTES = ["id", "role", "aria-label", "aria-hidden", "aria-modal", "for", "href", "type", "name", "placeholder", "title", "hidden", "open", "lang", "dir"];
function attributesOf(element) {
  const attributes = {};
  for (const name of KEPT_ATTRIBUTES) {
    const value = element.getAttribute(name);
    if (value !== null) attributes[name] = cut(value, 200);
  }
  const classes = element.getAttribute("class");
  if (classes) attributes.class = cut(squeeze(classes), 200);
  return attributes;
}

function pseudoOf(element, computed) {
  // Only a painted, positioned box of its own can lie between text and what is behind it.
  const found = [];
  for (const name of ["::before", "::after"]) {
    const pseudo = getComputedStyle(element, name);
    if (pseudo.content === "none" || pseudo.content === "normal" || pseudo.display === "none") continue;
    const painted = pseudo.backgroundImage !== "none" || !/, 0\)$|^transparent$/.test(pseudo.backgroundColor);
    const text = pseudo.content.replace(/^"|"$/g, "");
    found.push({ name, painted, positioned: pseudo.position === "absolute" || pseudo.position === "fixed",
      image: cut(pseudo.backgroundImage, 300), text: cut(text, 40) });
  }
  return found;
}

// `at` turns client coordinates into those of the top document; `clip` is what overflow leaves visible for boxes in
// flow, `held` for absolutely positioned ones, whose clipping starts at their nearest positioned ancestor.
function walk(element, parent, nth, at, clip, held, opacity) {
  if (SKIPPED.has(element.localName) || nodes.length >= options.maxNodes) return;
  const computed = getComputedStyle(element);
  if (computed.display === "none") return;
  const rect = element.getBoundingClientRect();
  const box = boxOf(rect, at);
  const index = nodes.length;
  const node = { parent, tag: element.localName, box: numbers(box), style: styleOf(computed) };
  const fixed = computed.position === "fixed";
  const positioned = computed.position !== "static" || computed.transform !== "none";
  const mine = fixed ? EVERYWHERE : computed.position === "absolute" ? held : clip;
  const visible = intersect(box, mine);
  if (visible.left !== box.left || visible.top !== box.top || visible.right !== box.right || visible.bottom !== box.bottom) {
    node.clip = numbers({ left: Math.max(mine.left, -1e6), top: Math.max(mine.top, -1e6), right: Math.min(mine.right, 1e6), bottom: Math.min(mine.bottom, 1e6) });
  }
  const seen = opacity * parseFloat(computed.opacity);
  if (seen < 1) node.opacity = round(seen);
  if (nth > 1) node.nth = nth;
  if (element.isContentEditable) node.editable = true;
  if (element.shadowRoot) node.host = true;
  const attributes = attributesOf(element);
  if (Object.keys(attributes).length) node.attributes = attributes;
  const text = textOf(element, at);
  if (text) node.text = text;
  const control = controlOf(element);
  if (control) node.control = control;
  const media = mediaOf(element);
  if (media) node.media = media;
  const scrolls = element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1;
  if (scrolls) node.scroll = [element.scrollWidth, element.scrollHeight, element.clientWidth, element.clientHeight];
  const pseudo = pseudoOf(element, computed);
  if (pseudo.length) node.pseudo = pseudo;
  nodes.push(node);
  elements.push(element);
  indexOf.set(element, index);

  let inner = mine;
  const clips = computed.overflowX !== "visible" || computed.overflowY !== "visible";
  if (clips && element !== document.body && element !== document.documentElement) {
    const padding = {
      left: box.left + element.clientLeft, top: box.top + element.clientTop,
      right: box.left + element.clientLeft + (element.clientWidth || rect.width),
      bottom: box.top + element.clientTop + (element.clientHeight || rect.height),
    };
    inner = intersect(mine, padding);
  }
  const innerHeld = positioned ? inner : held;
  if (media && media.kind === "svg") return;
  const frame = frameDocument(element);
  if (frame) {
    const corner = { x: box.left + element.clientLeft, y: box.top + element.clientTop };
    walk(frame.documentElement, index, 1, corner, intersect(mine, box), intersect(mine, box), seen);
    return;
  }
  const children = element.shadowRoot ? element.shadowRoot.children
    : element.localName === "slot" && element.assignedElements ? orChildren(element) : element.children;
  if (computed.contentVisibility === "hidden") return;
  const closed = element.localName === "details" && !element.open;
  const counts = new Map();
  for (const child of children) {
    if (closed && child.localName !== "summary") continue;
    const count = (counts.get(child.localName) || 0) + 1;
    counts.set(child.localName, count);
    walk(child, index, count, at, inner, innerHeld, seen);
  }
}

function orChildren(slot) {
  const assigned = slot.assignedElements();
  return assigned.length ? assigned : slot.children;
}

function frameDocument(element) {
  if (element.localName !== "iframe" && element.localName !== "frame") return null;
  try {
    const inner = element.contentDocument;
    return inner && inner.documentElement ? inner : null;
  } catch {
    return null;
  }
}

const origin = { x: window.scrollX, y: window.scrollY };
if (document.documentElement) walk(document.documentElement, -1, 1, origin, EVERYWHERE, EVERYWHERE, 1);
if (nodes.length >= options.maxNodes) notes.push(`only the first ${options.maxNodes} elements were measured`);
