// Brings a page to rest before it is captured: scrolled through once so that lazy content loads, fonts and pictures
// awaited, animations at their end (endless ones stopped), no caret. All within arguments[0] milliseconds.
const deadline = performance.now() + arguments[0];
const left = () => Math.max(0, deadline - performance.now());
const bounded = (promise) => Promise.race([promise, new Promise((done) => setTimeout(done, left()))]);
const frame = () => bounded(new Promise((done) => requestAnimationFrame(done)));
const notes = [];

async function scrollThrough() {
  const start = { left: scrollX, top: scrollY, behavior: "instant" };
  const page = () => document.scrollingElement ? document.scrollingElement.scrollHeight : 0;
  if (page() <= innerHeight + 1) return;
  for (let y = 0; y < page(); y += innerHeight) {
    if (left() === 0) {
      notes.push("page is too long to be scrolled through in time");
      break;
    }
    window.scrollTo({ left: 0, top: y, behavior: "instant" });
    await frame();
  }
  window.scrollTo(start);
  await frame();
}

function waiting() {
  return [...document.images].filter((image) => !image.complete && image.loading !== "lazy");
}

async function arrivals() {
  if (document.fonts && document.fonts.status !== "loaded") await bounded(document.fonts.ready);
  const loaded = (image) => new Promise((done) => ["load", "error"].forEach((event) => image.addEventListener(event, done, { once: true })));
  const pictures = waiting();
  if (pictures.length) await bounded(Promise.all(pictures.map(loaded)));
  const late = waiting().length;
  if (late) notes.push(`${late} ${late === 1 ? "picture" : "pictures"} had not arrived in time`);
}

function freeze() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("*, *::before, *::after { caret-color: transparent !important; transition: none !important }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  for (const animation of document.getAnimations ? document.getAnimations() : []) {
    try {
      const end = animation.effect && animation.effect.getComputedTiming().endTime;
      if (Number.isFinite(Number(end))) animation.finish();
      else animation.pause();
    } catch {
      // An animation without a timeline has nothing to be stopped.
    }
  }
}

await scrollThrough();
await arrivals();
freeze();
return JSON.stringify(notes);
