// A clock that stands until it is moved on. Timers, frames of animation and idle times are due by it alone, so that two
// runs of a page do the same things in the same order however busy the machine is. Chance comes from a seed. Installed
// before the page's scripts and after those of the session, which keep the real clock.
(() => {
  "use strict";
  if (window.__clock) return;
  const START = 1718452800000;
  const real = { performance: window.performance, Date: window.Date, setTimeout: window.setTimeout.bind(window), frame: window.requestAnimationFrame.bind(window) };
  let now = 0, next = 1;
  const timers = new Map(), frames = new Map();

  const give = (name, value) => Object.defineProperty(window, name, { value, configurable: true, writable: true });
  real.Date.now = () => START + Math.floor(now);
  give("Date", new Proxy(real.Date, {
    construct: (target, args, made) => Reflect.construct(target, args.length ? args : [START + Math.floor(now)], made),
    apply: () => new real.Date(START + Math.floor(now)).toString(),
  }));
  real.Date.prototype.constructor = window.Date;
  const clock = new Proxy(real.performance, {
    get: (target, key) => {
      if (key === "now") return () => now;
      const value = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  give("performance", clock);

  let state = 1;
  const chance = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296;
  Math.random = chance;
  crypto.getRandomValues = (array) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let at = 0; at < bytes.length; at++) bytes[at] = chance() * 256;
    return array;
  };
  if (crypto.randomUUID) {
    crypto.randomUUID = () => {
      const digits = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
    };
  }

  const set = (callback, delay, rest, every) => {
    const id = next++;
    const wait = Math.max(Number(delay) || 0, every ? 4 : 0);
    const run = typeof callback === "function" ? () => callback.apply(window, rest) : () => (0, eval)(String(callback));
    timers.set(id, { due: now + wait, every: every ? wait : 0, run });
    return id;
  };
  const clear = (id) => { timers.delete(Number(id)); };
  give("setTimeout", (callback, delay, ...rest) => set(callback, delay, rest, false));
  give("setInterval", (callback, delay, ...rest) => set(callback, delay, rest, true));
  give("clearTimeout", clear);
  give("clearInterval", clear);
  give("requestAnimationFrame", (callback) => { frames.set(next, callback); return next++; });
  give("cancelAnimationFrame", (id) => { frames.delete(id); });
  give("requestIdleCallback", (callback) => set(() => callback({ didTimeout: false, timeRemaining: () => 50 }), 1, [], false));
  give("cancelIdleCallback", clear);

  // What a callback throws is the page's error, as it would be without us.
  const guarded = (run) => { try { run(); } catch (error) { window.reportError(error); } };
  const turn = () => new Promise((done) => real.setTimeout(done, 0));
  const inner = () => [...Array(window.frames.length).keys()].map((at) => {
    try { return window.frames[at].__clock; } catch { return undefined; }
  }).filter(Boolean);

  // One frame of sixteen milliseconds.
  const step = async () => {
    const until = now + 16;
    for (let ran = 0; ran < 200; ran++) {
      let first = null;
      for (const [id, timer] of timers) if (timer.due <= until && (!first || timer.due < first[1].due)) first = [id, timer];
      if (!first) break;
      const [id, timer] = first;
      now = Math.max(now, timer.due);
      if (timer.every) timer.due = now + timer.every; else timers.delete(id);
      guarded(timer.run);
      await Promise.resolve();
    }
    now = until;
    const due = [...frames.values()];
    frames.clear();
    for (const frame of due) guarded(() => frame(now));
    for (const frame of inner()) await frame.step();
    await turn();
  };
  // Finite animations are at their end, endless ones at their beginning.
  const still = () => {
    for (const animation of document.getAnimations?.() ?? []) {
      try {
        if (animation.effect?.getComputedTiming().endTime === Infinity) animation.cancel(); else animation.finish();
      } catch { animation.cancel(); }
    }
    for (const frame of inner()) frame.still();
  };
  const advance = async (steps) => {
    for (let at = 0; at < steps; at++) {
      await step();
      if (at % 10 === 9) still();
    }
    still();
    await turn();
    still();
    const arrived = [document.fonts?.ready, ...[...document.images].filter((image) => !image.complete).map((image) => image.decode())];
    await Promise.race([Promise.allSettled(arrived), new Promise((done) => real.setTimeout(done, 3000))]);
    await new Promise((done) => { real.frame(() => real.frame(done)); real.setTimeout(done, 1000); });
  };
  Object.defineProperty(window, "__clock", { value: { advance, step, still } });

  const quiet = () => {
    const style = document.createElement("style");
    style.textContent = "*, *::before, *::after { caret-color: transparent !important; scroll-behavior: auto !important }";
    (document.head ?? document.documentElement).append(style);
  };
  document.addEventListener("DOMContentLoaded", quiet, { once: true });
})();
