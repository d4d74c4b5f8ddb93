// Paint order at the middle of each text and at five points of each control, asked of the browser itself.
function stackAt(x, y) {
  let root = document;
  let stack = root.elementsFromPoint(x, y);
  // A host stands for what is in its shadow tree: descend where the topmost element has one.
  for (let depth = 0; depth < 8 && stack.length && stack[0].shadowRoot; depth++) {
    const inner = stack[0].shadowRoot.elementsFromPoint(x, y).filter((e) => stack[0].shadowRoot.contains(e));
    if (!inner.length) break;
    stack = inner.concat(stack);
  }
  return stack;
}

function related(a, b) {
  for (let e = a; e; e = e.parentNode || e.host) if (e === b) return true;
  for (let e = b; e; e = e.parentNode || e.host) if (e === a) return true;
  return false;
}

const OPAQUE = /^rgb\(/;
function hitText(node, element, x, y) {
  const stack = stackAt(x, y);
  const place = stack.indexOf(element);
  if (place < 0) return;
  const over = [];
  for (const e of stack.slice(0, place)) {
    const index = indexOf.get(e);
    if (index !== undefined && !related(e, element)) over.push(index);
  }
  const under = [];
  for (const e of stack.slice(place)) {
    const index = indexOf.get(e);
    if (index === undefined) continue;
    under.push(index);
    const media = nodes[index].media;
    if ((media && index !== indexOf.get(element)) || OPAQUE.test(styles[nodes[index].style].backgroundColor)) break;
  }
  if (over.length) node.text.over = over;
  node.text.under = under;
}

function hitControl(node, element, box, scroll) {
  const [left, top, width, height] = box;
  const points = [[0.5, 0.5], [0.2, 0.3], [0.8, 0.3], [0.2, 0.7], [0.8, 0.7]];
  let asked = 0;
  let missed = 0;
  let by = null;
  for (const [fx, fy] of points) {
    const x = left + width * fx - scroll.x;
    const y = top + height * fy - scroll.y;
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
    asked++;
    const top_ = stackAt(x, y)[0];
    if (!top_ || related(top_, element) || labels(top_, element)) continue;
    missed++;
    by = by || top_;
  }
  if (asked) node.control.asked = asked;
  if (missed) Object.assign(node.control, { missed, by: indexOf.get(by) });
}

function labels(top, element) {
  const label = top.closest && top.closest("label");
  return Boolean(label && label.control === element);
}

function inFrame(element) {
  return element.ownerDocument !== document;
}

function middleLine(text) {
  const [left, top, width, height] = text.lines[Math.floor(text.lines.length / 2)];
  return [left + Math.min(width / 2, 200), top + height / 2];
}

function targets(wanted) {
  const found = [];
  nodes.forEach((node, index) => {
    if (!node[wanted] || inFrame(elements[index])) return;
    if (node.opacity === 0 || styles[node.style].visibility !== "visible") return;
    const y = wanted === "text" ? middleLine(node.text)[1] : node.box[1] + node.box[3] / 2;
    found.push({ node, element: elements[index], y });
  });
  return found.sort((a, b) => a.y - b.y);
}

// Calls `ask` for each target that is in view; in page mode the page is scrolled to reach the others.
function inView(wanted, ask) {
  const height = innerHeight;
  let scroll = { x: scrollX, y: scrollY };
  for (const target of targets(wanted)) {
    if (options.hit === "page" && (target.y < scroll.y || target.y >= scroll.y + height)) {
      window.scrollTo({ left: scroll.x, top: Math.max(0, target.y - 80), behavior: "instant" });
      scroll = { x: scrollX, y: scrollY };
    }
    if (target.y >= scroll.y && target.y < scroll.y + height) ask(target.node, target.element, scroll);
  }
}

if (options.hit !== "none" && document.elementsFromPoint) {
  const start = { x: scrollX, y: scrollY };
  inView("control", (node, element, scroll) => hitControl(node, element, node.box, scroll));
  // Elements that let the pointer through are painted all the same. An adopted sheet is no mutation of the document.
  const all = new CSSStyleSheet();
  all.replaceSync("*, *::before, *::after { pointer-events: auto !important }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, all];
  try {
    inView("text", (node, element, scroll) => {
      const [x, y] = middleLine(node.text);
      hitText(node, element, x - scroll.x, y - scroll.y);
    });
  } finally {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== all);
    if (scrollX !== start.x || scrollY !== start.y) window.scrollTo({ left: start.x, top: start.y, behavior: "instant" });
  }
}
