  // ---- looking: one call gives the simplified tree, the page as HTML and the coverage increments ----------------------
  const SKIP = new Set(["SCRIPT", "STYLE", "LINK", "META", "HEAD", "NOSCRIPT", "TEMPLATE", "TITLE", "BASE", "SOURCE", "TRACK", "PARAM"]);
  const TEXT_INPUTS = new Set(["text", "search", "email", "url", "tel", "password", "number", "date", "time", "datetime-local", "month", "week", "color", "range"]);
  const HANDLERS = ["onclick", "ondblclick", "onmousedown", "onmouseup", "onpointerdown", "onpointerup", "onkeydown", "onkeyup", "onkeypress",
    "oncontextmenu", "onchange", "oninput", "onmouseover", "onmouseenter", "onmousemove", "onpointermove", "ontouchstart", "ondragstart", "ondrop", "ondragover", "onwheel", "onscroll", "onsubmit"];
  const PAGE_HANDLERS = [...HANDLERS, "onresize", "onhashchange", "onpopstate"];
  const ACTED_ON = new Set(["click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup", "keydown", "keyup", "keypress", "contextmenu", "change", "input",
    "mouseover", "mouseenter", "mousemove", "mouseout", "mouseleave", "pointerenter", "pointerover", "pointermove", "touchstart", "touchend", "touchmove", "dragstart", "drop", "dragover", "dragenter", "dragend", "wheel", "scroll", "submit", "paste", "focus", "blur", "focusin"]);
  const INPUT_ROLES = { button: "button", submit: "button", reset: "button", image: "button", checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton", search: "searchbox", file: "file", color: "color", hidden: "" };
  const TAG_ROLES = { BUTTON: "button", TEXTAREA: "textbox", SUMMARY: "button", OPTION: "option", H1: "heading", H2: "heading", H3: "heading", H4: "heading", H5: "heading", H6: "heading",
    UL: "list", OL: "list", LI: "listitem", NAV: "navigation", MAIN: "main", HEADER: "banner", FOOTER: "contentinfo", ASIDE: "complementary", FORM: "form", TABLE: "table", TR: "row", TD: "cell", TH: "columnheader",
    IMG: "img", DIALOG: "dialog", FIELDSET: "group", DETAILS: "group", PROGRESS: "progressbar", METER: "meter", CANVAS: "canvas", IFRAME: "iframe", VIDEO: "video", AUDIO: "audio", SVG: "img", LABEL: "label", ARTICLE: "article", SECTION: "region", P: "paragraph", HR: "separator", OUTPUT: "status" };
  const SEMANTIC = new Set(["heading", "list", "listitem", "navigation", "main", "form", "table", "row", "cell", "columnheader", "img", "dialog", "progressbar", "meter", "canvas", "iframe", "video", "audio", "alert", "status", "alertdialog", "tabpanel", "menu", "tree", "grid"]);
  const WIDGETS = new Set(["button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "slider", "spinbutton", "textbox", "searchbox", "combobox", "treeitem", "gridcell"]);

  const squash = (text, limit) => {
    const flat = text.replace(/\s+/g, " ").trim();
    return flat.length > limit ? flat.slice(0, limit) + "…" : flat;
  };
  const roleOf = (el) => {
    const explicit = el.getAttribute("role");
    if (explicit) return explicit.trim().split(/\s+/)[0];
    const tag = el.tagName.toUpperCase();
    if (tag === "INPUT") return INPUT_ROLES[el.type] ?? "textbox";
    if (tag === "A" || tag === "AREA") return el.hasAttribute("href") ? "link" : "generic";
    if (tag === "SELECT") return el.multiple || el.size > 1 ? "listbox" : "combobox";
    if (el.isContentEditable && !el.parentElement?.isContentEditable) return "textbox";
    return TAG_ROLES[tag] ?? "generic";
  };
  const textOf = (el) => {
    const text = el.innerText ?? el.textContent ?? "";
    if (text.trim()) return text;
    const named = el.querySelector?.("[alt],[aria-label],[title],svg title");
    return named ? named.getAttribute("alt") || named.getAttribute("aria-label") || named.getAttribute("title") || named.textContent || "" : "";
  };
  const nameOf = (el, role) => {
    const by = el.getAttribute("aria-labelledby");
    if (by) {
      const text = by.split(/\s+/).map((id) => el.getRootNode().getElementById?.(id)?.textContent ?? "").join(" ");
      if (text.trim()) return squash(text, 120);
    }
    const label = el.getAttribute("aria-label");
    if (label && label.trim()) return squash(label, 120);
    const tag = el.tagName;
    if (tag === "INPUT" || tag === "SELECT" || tag === "TEXTAREA" || tag === "METER" || tag === "PROGRESS") {
      if (tag === "INPUT" && ["submit", "reset", "button"].includes(el.type)) return squash(el.value || el.type, 120);
      if (tag === "INPUT" && el.type === "image") return squash(el.alt || "submit", 120);
      for (const one of el.labels ?? []) {
        const text = one.textContent.trim();
        if (text) return squash(text, 120);
      }
      return squash(el.getAttribute("title") || el.getAttribute("placeholder") || "", 120);
    }
    if (tag === "IMG" || tag === "AREA") return squash(el.alt || el.title || "", 120);
    if (tag === "IFRAME") return squash(el.title || el.name || "", 120);
    if (WIDGETS.has(role) || role === "heading" || role === "label" || tag === "A") {
      const text = squash(textOf(el), 120);
      if (text) return text;
    }
    return squash(el.getAttribute("title") || el.getAttribute("alt") || "", 120);
  };
  const statesOf = (el) => {
    const states = [];
    if (el.checked === true || el.getAttribute("aria-checked") === "true") states.push("checked");
    if (el.disabled === true || el.getAttribute("aria-disabled") === "true" || el.matches(":disabled")) states.push("disabled");
    if (el.readOnly === true && el.hasAttribute("readonly")) states.push("readonly");
    if (el.required === true) states.push("required");
    const expanded = el.getAttribute("aria-expanded");
    if (expanded === "true" || (el.tagName === "DETAILS" && el.open)) states.push("expanded");
    else if (expanded === "false") states.push("collapsed");
    if (el.getAttribute("aria-selected") === "true") states.push("selected");
    if (el.getAttribute("aria-pressed") === "true") states.push("pressed");
    if (el.getAttribute("aria-invalid") === "true" || (el.willValidate && el.validity && !el.validity.valid)) states.push("invalid");
    if (el.draggable === true && el.getAttribute("draggable") === "true") states.push("draggable");
    return states;
  };
  // Libraries that listen once at the root and pass events on keep notes on the elements, as their developer tools read
  // them: React its properties, jQuery the selectors of delegated handlers, Solid and Svelte the handlers themselves.
  const REACT = /^__reactProps\$|^__reactEventHandlers\$/, JQUERY = /^jQuery\d+/, HANDLER = /^(?:\$\$|__)([a-z]+)$/;
  // Where React listens, for all events that there are and for nobody in particular.
  const isReactRoot = (el) => el.nodeType === 1 && Object.keys(el).some((key) => key.startsWith("_reactListening"));
  const handedOn = new WeakMap();
  const handOn = (root, events) => {
    for (const type in events) {
      for (const { selector } of events[type]) {
        if (!selector || !root.querySelectorAll) continue;
        let found = [];
        try { found = root.querySelectorAll(selector); } catch { /* a selector of the library's own */ }
        for (const el of [...found].slice(0, 200)) {
          let types = handedOn.get(el);
          if (!types) handedOn.set(el, (types = new Set()));
          types.add(type);
        }
      }
    }
  };
  const libraries = (el, types) => {
    for (const key of Object.keys(el)) {
      if (REACT.test(key)) {
        for (const name in el[key]) if (/^on[A-Z]/.test(name) && typeof el[key][name] === "function") types.add(name === "onDoubleClick" ? "dblclick" : name.slice(2).toLowerCase());
      } else if (JQUERY.test(key)) {
        const events = el[key]?.events;
        if (!events) continue;
        for (const type in events) if (events[type].some?.((one) => !one.selector)) types.add(type);
        handOn(el, events);
      } else if (HANDLER.test(key) && typeof el[key] === "function") types.add(HANDLER.exec(key)[1]);
    }
    for (const type of handedOn.get(el) ?? []) types.add(type);
  };
  const listenersOf = (el, names) => {
    const types = new Set();
    const known = isReactRoot(el) ? null : heardAnywhere(el);
    if (known) for (const type of known) types.add(type);
    for (const name of names) if (el[name]) types.add(name.slice(2));
    try { libraries(el, types); } catch { /* notes of another shape */ }
    return [...types].filter((type) => ACTED_ON.has(type));
  };
  const PASSED_DOWN = new Set(["click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup", "contextmenu"]);
  const apiOf = (view) => {
    if (view === window) return api;
    const box = {};
    try { view.dispatchEvent(new view.CustomEvent(KEY, { detail: box })); } catch { return null; }
    return box.api ?? null;
  };
  const heardAnywhere = (target) => {
    const view = target.ownerDocument?.defaultView ?? (target.document ? target : target.defaultView);
    return (view && apiOf(view)?.heard(target)) || null;
  };
  const NATIVE_TAGS = new Set(["BUTTON", "SELECT", "TEXTAREA", "SUMMARY"]);
  const affordances = (el, role, cursor, above) => {
    const why = [];
    const tag = el.tagName;
    if (NATIVE_TAGS.has(tag) || (tag === "INPUT" && el.type !== "hidden") || ((tag === "A" || tag === "AREA") && el.hasAttribute("href")) ||
      ((tag === "VIDEO" || tag === "AUDIO") && el.controls)) why.push("native");
    if (el.hasAttribute("role") && WIDGETS.has(role)) why.push("role");
    if (el.isContentEditable && !el.parentElement?.isContentEditable) why.push("editable");
    if (cursor === "pointer" && above !== "pointer") why.push("cursor");
    if (el.tabIndex >= 0 && el.hasAttribute("tabindex")) why.push("tabindex");
    if (el.getAttribute("draggable") === "true") why.push("draggable");
    return why;
  };
  const stepOf = (el) => {
    const tag = el.localName;
    let nth = 1, twins = false;
    for (let sibling = el.previousElementSibling; sibling; sibling = sibling.previousElementSibling) if (sibling.localName === tag) nth++;
    for (let sibling = el.nextElementSibling; sibling && !twins; sibling = sibling.nextElementSibling) twins = sibling.localName === tag;
    return CSS.escape(tag) + (nth > 1 || twins ? `:nth-of-type(${nth})` : "");
  };
  const selectorOf = (el) => {
    const root = el.getRootNode();
    const steps = [];
    for (let at = el; at && at.nodeType === 1; at = at.parentElement) {
      if (at.id && root.getElementById?.(at.id) === at) { steps.unshift("#" + CSS.escape(at.id)); break; }
      steps.unshift(stepOf(at));
    }
    const path = steps.join(" > ");
    if (root.host) return selectorOf(root.host) + " >>> " + path;
    const frame = root.defaultView?.frameElement;
    return frame && root !== document ? selectorOf(frame) + " |> " + path : path;
  };
  const fieldOf = (el) => {
    const tag = el.tagName;
    if (tag === "INPUT") {
      const field = { kind: el.type };
      for (const name of ["placeholder", "min", "max", "step", "pattern", "accept", "name", "autocomplete"]) if (el.getAttribute(name)) field[name] = el.getAttribute(name);
      if (el.id) field.id = el.id;
      if (el.maxLength >= 0) field.max_length = el.maxLength;
      if (el.list) field.options = [...el.list.options].slice(0, 20).map((o) => ({ value: o.value, text: squash(o.text, 60) }));
      return field;
    }
    if (tag === "TEXTAREA") return { kind: "textarea", placeholder: el.placeholder || undefined, name: el.name || undefined, id: el.id || undefined, max_length: el.maxLength >= 0 ? el.maxLength : undefined };
    if (tag === "SELECT") return { kind: el.multiple ? "select-multiple" : "select", name: el.name || undefined, id: el.id || undefined,
      options: [...el.options].slice(0, 40).map((o) => ({ value: o.value, text: squash(o.text, 60), disabled: o.disabled || undefined })) };
    return el.isContentEditable ? { kind: "editable" } : undefined;
  };
  const valueOf = (el) => {
    const tag = el.tagName;
    if (tag === "INPUT") return TEXT_INPUTS.has(el.type) ? el.value : undefined;
    if (tag === "TEXTAREA") return el.value;
    if (tag === "SELECT") return [...el.selectedOptions].map((o) => o.value).join(",");
    if (tag === "PROGRESS" || tag === "METER") return String(el.value);
    return el.isContentEditable && !el.parentElement?.isContentEditable ? squash(el.textContent, 200) : undefined;
  };

  const lookAt = (limit) => {
    const nodes = [];
    let left = 0;
    // What is handed down: the pointer's shape above, and the events that an ancestor listens for in its children's stead.
    // Nothing outside a modal dialog, or inside what is marked inert, can be acted on.
    const modal = [...document.querySelectorAll("dialog:modal")].pop();
    let inert = Boolean(modal);
    const visit = (el, ...handed) => {
      const before = inert;
      inert = el !== modal && (inert || el.inert === true);
      visitHere(el, ...handed);
      inert = before;
    };
    const visitHere = (el, parent, dx, dy, above, passed) => {
      if (SKIP.has(el.tagName)) return;
      const style = el.ownerDocument.defaultView.getComputedStyle(el);
      // It has no box of its own, and what is in it is shown all the same.
      const boxless = style.display === "contents";
      if (!boxless && !el.checkVisibility()) { hides(el, parent); return; }
      if (nodes.length >= limit) { left++; return; }
      const cursor = boxless ? above : style.cursor;
      const tag = el.tagName.toUpperCase();
      let index = parent;
      let handed = passed;
      if (boxless) {
        const heard = inert ? [] : listenersOf(el, HANDLERS).filter((type) => PASSED_DOWN.has(type));
        if (heard.length) handed = heard;
      } else if (style.visibility === "visible") {
        index = emit(el, tag, cursor, parent, dx, dy, above, passed);
        const own = index >= 0 && index !== parent ? nodes[index] : null;
        if (own?.why && !own.why.includes("delegated")) {
          // A control of its own ends what was handed down; a mere container hands its own events on.
          const heard = NATIVE_TAGS.has(tag) || tag === "A" || tag === "INPUT" || tag === "LABEL" ? [] : (own.listeners ?? []).filter((type) => PASSED_DOWN.has(type));
          handed = heard.length && el.childElementCount ? heard : [];
        }
      } else hides(el, parent);
      if (tag === "SELECT" || tag === "CANVAS" || tag === "TEXTAREA" || tag === "VIDEO" || tag === "AUDIO") return;
      if (el.shadowRoot) for (const child of el.shadowRoot.children) visit(child, index, dx, dy, cursor, handed);
      if (tag === "IFRAME" || tag === "FRAME") { visitFrame(el, index, dx, dy); return; }
      for (const child of el.children) visit(child, index, dx, dy, cursor, handed);
    };
    // Something to act on that is not shown: a menu that opens under the pointer, perhaps.
    const hides = (el, parent) => {
      if (parent < 0 || nodes[parent].reveals) return;
      if (el.matches("a,button,[role=button],[role=menuitem]") || el.querySelector("a,button,[role=button],[role=menuitem]") || heardAnywhere(el)?.has("click")) nodes[parent].reveals = true;
    };
    const visitFrame = (el, index, dx, dy) => {
      let inner = null;
      try { inner = el.contentDocument; } catch { return; }
      if (!inner?.body) return;
      const box = el.getBoundingClientRect();
      visit(inner.body, index, dx + box.x + el.clientLeft, dy + box.y + el.clientTop, "auto", []);
    };
    const emit = (el, tag, cursor, parent, dx, dy, above, passed) => {
      const role = roleOf(el);
      const why = inert ? [] : affordances(el, role, cursor, above);
      const page = tag === "BODY";
      const listeners = page || inert ? [] : listenersOf(el, HANDLERS);
      if (listeners.length) why.push("listener");
      else if (!why.length && passed.length && !page && !inert) { why.push("delegated"); listeners.push(...passed); }
      let text = "";
      for (const child of el.childNodes) if (child.nodeType === 3) text += child.data;
      text = text.trim() ? squash(text, 200) : "";
      const disabled = why.length && (el.disabled === true);
      if (!why.length && !text && !SEMANTIC.has(role) && tag !== "LI") return parent;
      const box = el.getBoundingClientRect();
      const node = { ref: api.ref(el), role, tag: el.localName, rect: [box.x + dx, box.y + dy, box.width, box.height] };
      if (parent >= 0) node.parent = parent;
      const name = nameOf(el, role);
      if (name) node.name = name;
      if (text && text !== name) node.text = text;
      if (why.length || WIDGETS.has(role)) {
        if (!disabled && why.length) node.why = why;
        if (listeners.length) node.listeners = listeners;
        node.selector = selectorOf(el);
        const field = fieldOf(el);
        if (field) node.field = field;
        if (tag === "A" && el.hasAttribute("href")) node.href = el.getAttribute("href");
        const hint = typeof el.className === "string" ? squash((el.id || "") + " " + el.className, 80) : "";
        if (hint) node.hint = hint;
        const form = el.form ?? el.closest("form");
        if (form) node.form = api.ref(form);
        if (el.popover || el.tagName === "DIALOG") node.hint = "dialog";
      } else if (role === "canvas" || role === "iframe" || role === "dialog" || role === "listitem") node.selector = selectorOf(el);
      const value = valueOf(el);
      if (value !== undefined && value !== "") node.value = value;
      const states = why.length || WIDGETS.has(role) ? statesOf(el) : [];
      if (el.getRootNode().activeElement === el && !page) states.push("focused");
      if (states.length) node.states = states;
      nodes.push(node);
      return nodes.length - 1;
    };
    for (const root of [document, document.documentElement, document.body]) if (root) try { libraries(root, new Set()); } catch { /* as above */ }
    if (document.body) visit(document.body, -1, 0, 0, "auto", []);
    return { nodes, left };
  };

  // ---- the page as HTML, its dynamic state written into the copy only --------------------------------------------------
  const VOID = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]);
  const escapeText = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const escapeValue = (text) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/\u00a0/g, "&nbsp;");
  const HTML_NS = "http://www.w3.org/1999/xhtml";
  let sample = null;
  const canvasHash = (canvas) => {
    if (!canvas.width || !canvas.height) return null;
    try {
      sample ??= new OffscreenCanvas(32, 32).getContext("2d", { willReadFrequently: true });
      sample.clearRect(0, 0, 32, 32);
      sample.drawImage(canvas, 0, 0, 32, 32);
      const { data } = sample.getImageData(0, 0, 32, 32);
      let hash = 0x811c9dc5;
      for (let i = 0; i < data.length; i++) hash = Math.imul(hash ^ (data[i] >> 3), 0x01000193);
      return (hash >>> 0).toString(16).padStart(8, "0");
    } catch { sample = null; return null; }
  };
  const serialise = () => {
    const out = [];
    const attributes = (el) => { for (const a of el.attributes) out.push(" ", a.name, '="', escapeValue(a.value), '"'); };
    const dynamic = (el, tag) => {
      if (tag === "input") {
        if (el.type === "checkbox" || el.type === "radio") out.push(` data-webeval-checked="${el.checked}"`);
        else if (el.type !== "file" && el.type !== "hidden") out.push(` data-webeval-value="${escapeValue(el.value)}"`);
      } else if (tag === "textarea") out.push(` data-webeval-value="${escapeValue(el.value)}"`);
      else if (tag === "option") out.push(` data-webeval-selected="${el.selected}"`);
      else if (tag === "canvas") { const hash = canvasHash(el); if (hash) out.push(` data-webeval-canvas="${hash}"`); }
    };
    const element = (el) => {
      const html = el.namespaceURI === HTML_NS;
      const tag = html ? el.localName : el.tagName;
      out.push("<", tag);
      attributes(el);
      if (html) dynamic(el, tag);
      out.push(">");
      if (html && VOID.has(tag)) return;
      if (el.shadowRoot) { out.push('<template shadowrootmode="open">'); children(el.shadowRoot, ""); out.push("</template>"); }
      if (html && tag === "iframe") frame(el);
      else if (html && tag === "script") { /* the page's source is not part of its state, and its counters would be in it */ }
      else if (html && tag === "template") children(el.content, tag);
      else children(el, html ? tag : "");
      out.push("</", tag, ">");
    };
    const frame = (el) => {
      let inner = null;
      try { inner = el.contentDocument; } catch { /* another origin */ }
      if (!inner?.documentElement) return;
      out.push("<template data-webeval-frame>");
      element(inner.documentElement);
      out.push("</template>");
    };
    const RAW = new Set(["style", "xmp", "noembed", "noframes", "plaintext", "noscript"]);
    const children = (parent, tag) => {
      for (let child = parent.firstChild; child; child = child.nextSibling) {
        if (child.nodeType === 1) element(child);
        else if (child.nodeType === 3) out.push(RAW.has(tag) ? child.data : escapeText(child.data));
        else if (child.nodeType === 8) out.push("<!--", child.data, "-->");
      }
    };
    if (document.doctype) out.push("<!DOCTYPE html>");
    if (document.documentElement) element(document.documentElement);
    return out.join("");
  };

  const frames = (view, visit) => {
    for (let i = 0; i < view.length; i++) {
      let inner = null;
      try { inner = view[i]; void inner.document; } catch { continue; }
      const one = apiOf(inner);
      if (one) visit(one);
      frames(inner, visit);
    }
  };
  // Frames of the app's own code whose sandbox makes them strangers to the page.
  const sealed = () => {
    const found = [];
    for (const frame of document.querySelectorAll("iframe[sandbox]")) {
      let inner = null, own = frame.hasAttribute("srcdoc");
      try { inner = frame.contentDocument; } catch { /* a stranger */ }
      try { own ||= /^(blob|data):/.test(frame.src) || new URL(frame.src).origin === location.origin; } catch { /* no address */ }
      if (!inner && own && found.length < 4) found.push(selectorOf(frame));
    }
    return found;
  };
  const pageListeners = () => {
    const types = new Set();
    for (const target of [window, document, document.body, document.documentElement]) {
      if (target) for (const type of listenersOf(target, PAGE_HANDLERS)) types.add(type);
    }
    for (const target of [window, document]) for (const type of api.heard(target) ?? []) if (!type.startsWith(KEY)) types.add(type);
    return [...types].filter((type) => !["DOMContentLoaded", "load", "readystatechange", "error", "unhandledrejection"].includes(type)).sort();
  };
  api.look = async ({ settle, limit, html }) => {
    const asked = () => { let sum = api.asked; frames(window, (one) => { sum += one.asked; }); return sum; };
    const before = asked();
    const settled = await api.settle(settle);
    // A dialog has ended the call that this is the answer to: what was counted is left for the next.
    if (asked() !== before) return null;
    const start = real();
    // A page that comes back from the cache may be shown before the one before it has said its last.
    api.takeUp();
    const lost = api.lost, deltas = [], dialogs = [], rejections = [];
    api.lost = [];
    const gather = (one) => {
      lost.push(...one.lost);
      one.lost = [];
      const delta = one.count();
      if (delta) deltas.push(delta);
      dialogs.push(...one.dialogs.splice(0));
      rejections.push(...one.rejections.splice(0));
    };
    gather(api);
    frames(window, gather);
    const collected = real();
    const tree = lookAt(limit);
    const looked = real();
    const root = document.scrollingElement ?? document.documentElement;
    const answer = {
      url: location.href, title: document.title, document: origin, viewport: [innerWidth, innerHeight],
      scroll: root ? [root.scrollLeft, root.scrollTop, root.scrollWidth - innerWidth, root.scrollHeight - innerHeight] : [0, 0, 0, 0],
      nodes: tree.nodes, left: tree.left, listeners: pageListeners(), lost, deltas, dialogs, rejections, scripts: document.scripts.length, sealed: sealed(), workers: api.workers, downloads: api.downloads(), due: api.due(), moves: api.moves(), html: html ? (clock ? clock.tidy(serialise()) : serialise()) : null,
      spent: [settled, collected - start, looked - collected, 0],
    };
    answer.spent[3] = real() - looked;
    return JSON.stringify(answer);
  };

  // ---- aiming -----------------------------------------------------------------------------------------------------------
  const find = (target) => {
    const known = target.ref && api.element(target.ref);
    if (known?.isConnected) return known;
    if (known || !target.selector) return null;
    let root = document;
    let found = null;
    for (const part of target.selector.split(/( >>> | \|> )/)) {
      if (part === " >>> ") root = found?.shadowRoot;
      else if (part === " |> ") { try { root = found?.contentDocument; } catch { root = null; } }
      else { if (!root) return null; try { found = root.querySelector(part); } catch { return null; } }
    }
    return found;
  };
  api.find = find;
  const offsetOf = (el) => {
    let x = 0, y = 0;
    for (let view = el.ownerDocument.defaultView; view && view !== window; view = view.parent) {
      const frame = view.frameElement;
      if (!frame) break;
      const box = frame.getBoundingClientRect();
      x += box.x + frame.clientLeft;
      y += box.y + frame.clientTop;
    }
    return [x, y];
  };
  const hit = (x, y) => {
    let root = document, found = null;
    for (;;) {
      const next = root.elementFromPoint(x, y);
      if (!next || next === found) return found;
      found = next;
      if (found.shadowRoot) { root = found.shadowRoot; continue; }
      if (found.tagName === "IFRAME") {
        let inner = null;
        try { inner = found.contentDocument; } catch { /* another origin */ }
        if (!inner) return found;
        const box = found.getBoundingClientRect();
        x -= box.x + found.clientLeft;
        y -= box.y + found.clientTop;
        root = inner;
        continue;
      }
      return found;
    }
  };
  const within = (node, ancestor) => {
    for (let at = node; at; at = at.parentNode ?? at.host ?? at.defaultView?.frameElement) if (at === ancestor) return true;
    return false;
  };
  const takes = (found, el) => {
    if (!found) return false;
    if (within(found, el)) return true;
    for (const label of el.labels ?? []) if (within(found, label)) return true;
    return false;
  };
  const describe = (el) => {
    if (!el) return "nothing";
    const role = roleOf(el);
    const name = nameOf(el, role) || squash(el.textContent ?? "", 40);
    const id = el.id ? "#" + el.id : typeof el.className === "string" && el.className.trim() ? "." + el.className.trim().split(/\s+/)[0] : "";
    return el.localName + id + (name ? ` "${name}"` : "");
  };
  api.describe = describe;
  const boxOf = (el) => {
    let [dx, dy] = offsetOf(el);
    let shown = el;
    let box = el.getBoundingClientRect();
    if ((box.width < 1 || box.height < 1) && el.labels?.length) { shown = el.labels[0]; box = shown.getBoundingClientRect(); }
    if (box.width < 1 || box.height < 1) for (const child of el.children) { const inner = child.getBoundingClientRect(); if (inner.width >= 1 && inner.height >= 1) { box = inner; break; } }
    return { shown, x: box.x + dx, y: box.y + dy, width: box.width, height: box.height };
  };
  // Scrolls to an element as far as a user could: what is cut off by hidden overflow stays where it is.
  const reveal = (el) => {
    const fixed = [];
    const view = el.ownerDocument.defaultView;
    for (let at = el; at; at = at.parentElement ?? at.getRootNode().host) {
      const style = view.getComputedStyle(at);
      if (/hidden|clip/.test(style.overflowY + style.overflowX)) fixed.push([at, at.scrollLeft, at.scrollTop, style.overflowX, style.overflowY]);
    }
    const x = view.scrollX, y = view.scrollY;
    el.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    for (const [at, left, top, overflowX, overflowY] of fixed) {
      if (/hidden|clip/.test(overflowX)) at.scrollLeft = left;
      if (/hidden|clip/.test(overflowY)) at.scrollTop = top;
    }
    // The overflow of the root, or else of the body, is that of the viewport.
    const html = view.getComputedStyle(el.ownerDocument.documentElement);
    const page = html.overflowY === "visible" && html.overflowX === "visible" ? view.getComputedStyle(el.ownerDocument.body) : html;
    const stuckX = /hidden|clip/.test(page.overflowX), stuckY = /hidden|clip/.test(page.overflowY);
    if (stuckX || stuckY) view.scrollTo({ left: stuckX ? x : view.scrollX, top: stuckY ? y : view.scrollY, behavior: "instant" });
  };
  api.aim = (target, at, scroll) => {
    const el = find(target);
    if (!el) return { stale: true };
    let box = boxOf(el);
    const centre = () => (at ? [at.x, at.y] : [box.x + box.width / 2, box.y + box.height / 2]);
    let [x, y] = centre();
    if (scroll && !at && (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight || box.y < 0 && box.height < innerHeight)) {
      reveal(box.shown);
      box = boxOf(el);
      [x, y] = centre();
    }
    const answer = { rect: [box.x, box.y, box.width, box.height], tag: el.localName, type: el.type ?? "", frame: el.ownerDocument !== document, checked: el.checked === true || el.getAttribute("aria-checked") === "true" };
    if (el.disabled === true || el.matches?.(":disabled")) answer.disabled = true;
    if (box.width < 1 || box.height < 1) return { ...answer, blocked: "it has no size" };
    const points = at ? [[x, y]] : [[x, y], ...[[0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.9], [0.1, 0.9], [0.9, 0.1]].map(([a, b]) => [box.x + box.width * a, box.y + box.height * b])];
    const inside = points.filter(([px, py]) => px >= 0 && py >= 0 && px < innerWidth && py < innerHeight);
    if (!inside.length) return { ...answer, blocked: "it lies outside the viewport" };
    for (const [px, py] of inside) {
      const found = hit(px, py);
      if (takes(found, el)) return { ...answer, x: px, y: py };
    }
    // What is out of reach itself may be used by its label.
    for (const label of at ? [] : el.labels ?? []) {
      const around = boxOf(label);
      const px = around.x + around.width / 2, py = around.y + around.height / 2;
      if (around.width >= 1 && around.height >= 1 && px >= 0 && py >= 0 && px < innerWidth && py < innerHeight && within(hit(px, py), label)) return { ...answer, x: px, y: py };
    }
    return { ...answer, x: inside[0][0], y: inside[0][1], blocked: "covered by " + describe(hit(...inside[0])) };
  };
  api.focus = (target, select) => {
    const el = find(target);
    if (!el) return false;
    if (el.ownerDocument.activeElement !== el) el.focus({ preventScroll: true });
    if (select && el.select && el.value) el.select();
    else if (select && el.isContentEditable) el.ownerDocument.defaultView.getSelection().selectAllChildren(el);
    return el.getRootNode().activeElement === el || el.ownerDocument.activeElement === el;
  };

  const tell = (el, ...types) => { for (const type of types) el.dispatchEvent(new Event(type, { bubbles: true, composed: true })); };
  // As a picker does it: through the native setter, so that frameworks which shadow it on the element notice.
  api.pick = (target, value) => {
    const el = find(target);
    if (!el || el.disabled) return false;
    el.focus({ preventScroll: true });
    const view = el.ownerDocument.defaultView;
    Object.getOwnPropertyDescriptor(view.HTMLInputElement.prototype, "value").set.call(el, value);
    tell(el, "input", "change");
    return value === "" || el.value !== "";
  };
  api.choose = (target, values) => {
    const el = find(target);
    if (!el || el.tagName !== "SELECT" || el.disabled) return false;
    const wanted = [...el.options].filter((option) => values.includes(option.value) && !option.disabled);
    if (!wanted.length && values.length) return false;
    el.focus({ preventScroll: true });
    if (el.multiple) for (const option of el.options) option.selected = wanted.includes(option);
    else wanted[0].selected = true;
    tell(el, "input", "change");
    return true;
  };

  // ---- why an element is in the tree, or not ------------------------------------------------------------------------------
  const OPAQUE = new Set(["SELECT", "CANVAS", "TEXTAREA", "VIDEO", "AUDIO"]);
  const upwards = (el) => el.parentElement ?? el.getRootNode().host ?? el.ownerDocument.defaultView?.frameElement ?? null;
  const unseen = (el) => {
    for (let at = el; at; at = upwards(at)) {
      if (SKIP.has(at.tagName)) return `${at === el ? "it is" : "it lies in"} a ${at.localName} element, which shows nothing`;
      if (at !== el && OPAQUE.has(at.tagName.toUpperCase())) return `it lies in ${describe(at)}, which is told as a whole`;
      const style = at.ownerDocument.defaultView.getComputedStyle(at);
      const where = at === el ? "it has" : `${describe(at)}, which it lies in, has`;
      if (style.display === "none") return `${where} display: none`;
      if (at !== el && style.contentVisibility === "hidden") return `${where} content-visibility: hidden`;
      if (at.tagName === "DETAILS" && !at.open && at !== el && !at.querySelector(":scope > summary")?.contains(el)) return `${describe(at)}, which it lies in, is closed`;
    }
    const style = el.ownerDocument.defaultView.getComputedStyle(el);
    if (style.display === "contents") return "it has display: contents, so that only what is in it has a place";
    if (style.visibility !== "visible") return `its visibility is ${style.visibility}`;
    return el.checkVisibility() ? null : "the browser does not render it";
  };
  const elsewhere = (selector) => {
    const hosts = [];
    let closed = 0, foreign = 0;
    const search = (root, path) => {
      for (const el of root.querySelectorAll("*")) {
        if (el.shadowRoot) {
          const inside = `${path}${selectorOf(el).split(/ >>> | \|> /).pop()} >>> `;
          if (el.shadowRoot.querySelector(selector)) hosts.push(inside + selector);
          search(el.shadowRoot, inside);
        } else if (el.localName.includes("-") && customElements.get(el.localName)) closed++;
        if (el.tagName === "IFRAME") {
          let inner = null;
          try { inner = el.contentDocument; } catch { /* another origin */ }
          if (!inner) { foreign++; continue; }
          const inside = `${path}${selectorOf(el).split(/ >>> | \|> /).pop()} |> `;
          if (inner.querySelector(selector)) hosts.push(inside + selector);
          search(inner, inside);
        }
      }
    };
    search(document, "");
    const reasons = ["no element of the page matches it"];
    for (const host of hosts.slice(0, 3)) reasons.push(`write ${host} to get to it`);
    if (!hosts.length && foreign) reasons.push(`${foreign} frame(s) of another origin cannot be looked into`);
    if (!hosts.length && closed) reasons.push(`${closed} custom element(s) may have closed shadow roots, which cannot be looked into`);
    return reasons;
  };
  api.explain = (selector, limit) => {
    const answer = { selector, shown: false, actionable: false, reference: null, reasons: [] };
    const last = selector.split(/ >>> | \|> /).pop();
    try { document.querySelector(last); } catch { return { ...answer, reasons: ["it is no valid CSS selector"] }; }
    const el = find({ selector });
    if (!el) return { ...answer, reasons: selector === last ? elsewhere(selector) : ["no element of the page matches it"] };
    const hidden = unseen(el);
    if (hidden) return { ...answer, reasons: [hidden] };
    const { nodes, left } = lookAt(limit);
    const ref = api.ref(el);
    const node = nodes.find((one) => one.ref === ref);
    if (!node) {
      const reasons = [left ? `the tree ends at ${limit} elements, ${left} are left out` : "it has no text of its own, no role that says anything, and nothing to act on: what it holds stands in its place"];
      return { ...answer, reasons };
    }
    const found = { ...answer, shown: true, reference: ref, actionable: Boolean(node.why) };
    if (node.why) found.reasons.push(`it can be acted on: ${node.why.join(", ")}`);
    else if (el.disabled === true) found.reasons.push("it cannot be acted on: it is disabled");
    else if (document.querySelector("dialog:modal") || el.closest("[inert]")) found.reasons.push("it cannot be acted on: it is inert, or outside an open modal dialog");
    else found.reasons.push("it cannot be acted on: no native control, no widget role, no listener for input, no hand cursor");
    const aim = api.aim({ ref }, null, false);
    if (aim.blocked) found.reasons.push(aim.blocked);
    return found;
  };
