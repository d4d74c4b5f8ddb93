// Installed before the scripts of every document and frame. Records what cannot be asked for afterwards: listeners,
// pending work, dialogs, the coverage of a page that goes away. Everything lives in this closure; the only way in is
// an event whose type nobody else knows.
(() => {
  "use strict";
  const KEY = "@KEY@";
  const probe = {};
  window.dispatchEvent(new CustomEvent(KEY, { detail: probe }));
  if (probe.api) return;

  // Reading sessionStorage throws in documents of opaque origin, so it is never taken along here.
  const { performance, WeakRef, console } = window;
  // What the browser itself offers, also where an earlier installation has put something in its place.
  const before = Date.now(KEY);
  const native = before?.native ?? { later: window.setTimeout.bind(window), real: performance.now.bind(performance),
    frame: window.requestAnimationFrame.bind(window), origin: performance.timeOrigin };
  const { later, real, origin } = native;

  const KIT = @KIT@;
  // Nothing without the determinism kit: then the page goes by real time.
  const clock = @CLOCK@;
  const now = clock ? clock.now : real;
  const debug = console.debug.bind(console);
  const listen = EventTarget.prototype.addEventListener;
  const api = { key: KEY };

  // A proxy of a native function keeps its name, length and `[native code]` text.
  const wrap = (owner, name, apply) => {
    try {
      const original = owner[name];
      if (typeof original === "function") owner[name] = new Proxy(original, { apply });
    } catch { /* frozen by someone: then it stays as it is */ }
  };

  // ---- listeners -------------------------------------------------------------------------------------------------
  const heard = new WeakMap();
  api.heard = (target) => heard.get(target);
  wrap(EventTarget.prototype, "addEventListener", (original, self, args) => {
    const target = self ?? window;
    if (args[1]) {
      let types = heard.get(target);
      if (!types) heard.set(target, (types = new Set()));
      types.add(String(args[0]));
    }
    return Reflect.apply(original, self, args);
  });

  // ---- pending work ----------------------------------------------------------------------------------------------
  const pending = { requests: 0, timers: new Map(), later: new Map(), ticking: new Set(), frameAt: -1e9, changedAt: 0, changes: 0 };
  api.pending = pending;
  const over = () => { pending.requests--; pending.changedAt = now(); };
  wrap(window, "fetch", (original, self, args) => {
    const answer = Reflect.apply(original, self, args);
    pending.requests++;
    answer.then(over, over);
    return answer;
  });
  if (window.XMLHttpRequest) {
    wrap(XMLHttpRequest.prototype, "send", (original, self, args) => {
      pending.requests++;
      listen.call(self, "loadend", over, { once: true });
      return Reflect.apply(original, self, args);
    });
  }
  // Only one-shot timers that fire soon are waited for, and not those that a timer set again and again.
  let depth = 0;
  wrap(window, "setTimeout", (original, self, args) => {
    const delay = Number(args[1]) || 0;
    const callback = args[0];
    if (depth > 4 || typeof callback !== "function") return Reflect.apply(original, self, args);
    const level = depth + 1;
    const rest = args.slice(2);
    const shelf = delay > @SOON@ ? pending.later : pending.timers;
    const id = Reflect.apply(original, self, [function () {
      shelf.delete(id);
      const outer = depth;
      depth = level;
      try { return Reflect.apply(callback, this, rest); } finally { depth = outer; }
    }, delay]);
    shelf.set(id, now() + delay);
    return id;
  });
  // An interval is of interest until it has fired once.
  wrap(window, "setInterval", (original, self, args) => {
    const callback = args[0];
    if (typeof callback !== "function") return Reflect.apply(original, self, args);
    const id = Reflect.apply(original, self, [function () {
      pending.later.delete(id);
      return Reflect.apply(callback, this, arguments);
    }, ...args.slice(1)]);
    const period = Number(args[1]) || 0;
    pending.later.set(id, now() + period);
    if (period <= 1000) pending.ticking.add(id);
    return id;
  });
  wrap(window, "requestAnimationFrame", (original, self, args) => {
    pending.frameAt = now();
    return Reflect.apply(original, self, args);
  });
  for (const name of ["clearTimeout", "clearInterval"]) {
    wrap(window, name, (original, self, args) => {
      pending.timers.delete(args[0]);
      pending.later.delete(args[0]);
      pending.ticking.delete(args[0]);
      return Reflect.apply(original, self, args);
    });
  }
  const observer = new MutationObserver((records) => { pending.changes += records.length; pending.changedAt = now(); });
  const watch = () => observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  watch();

  // ---- dialogs: what kind they were, the driver only tells their text -----------------------------------------------
  api.dialogs = [];
  api.asked = 0;
  for (const kind of ["alert", "confirm", "prompt"]) {
    wrap(window, kind, (original, self, args) => {
      const entry = { kind, message: args.length ? String(args[0]) : "" };
      api.asked++;
      if (api.dialogs.length < 100) api.dialogs.push(entry);
      return Reflect.apply(original, self, args);
    });
  }

  // ---- workers: their counters are asked for from outside, and come over a channel ----------------------------------
  api.workers = 0;
  const fromWorkers = [];
  let channel = null;
  for (const name of ["Worker", "SharedWorker"]) {
    const original = window[name];
    if (typeof original !== "function") continue;
    const proxy = new Proxy(original, {
      construct: (target, args, made) => {
        const worker = Reflect.construct(target, args, made === proxy ? target : made);
        api.workers++;
        if (!channel) {
          try {
            channel = new BroadcastChannel(KEY);
            channel.onmessage = (event) => fromWorkers.push(String(event.data));
          } catch { /* none in documents of opaque origin */ }
        }
        return worker;
      },
    });
    window[name] = proxy;
  }
  // What so many workers counted, as far as they answer in time: one that is busy answers later, with the next look.
  api.fromWorkers = async (count) => {
    const start = real();
    while (channel && fromWorkers.length < count && real() - start < 250) await pause(4);
    return fromWorkers.splice(0).filter(Boolean);
  };

  // ---- downloads that the page asks for: their files are waited for ------------------------------------------------
  let downloads = 0;
  api.downloads = () => { const asked = downloads; downloads = 0; return asked; };
  const downloading = (target) => { if (target?.closest?.("a[download],area[download]")) downloads++; };
  listen.call(window, "click", (event) => { if (event.isTrusted) downloading(event.composedPath()[0]); }, true);
  wrap(HTMLElement.prototype, "click", (original, self, args) => { downloading(self); return Reflect.apply(original, self, args); });

  // The driver's log tells an unhandled rejection as it tells a thrown error.
  api.rejections = [];
  listen.call(window, "unhandledrejection", (event) => {
    try { if (api.rejections.length < 100) api.rejections.push(String(event.reason)); } catch { /* a reason without words */ }
  });

  // ---- coverage: increments since the last reading ------------------------------------------------------------------
  const collect = () => { try { return (@COLLECT@) || null; } catch { return null; } };
  api.lost = [];
  // What documents that are gone left first, then what this one counted.
  api.collect = () => {
    const delta = collect();
    const all = delta ? [...api.lost, delta] : api.lost;
    api.lost = [];
    return all;
  };
  api.count = collect;
  const topApi = () => {
    try {
      if (window.top === window) return null;
      const box = {};
      window.top.dispatchEvent(new window.top.CustomEvent(KEY, { detail: box }));
      return box.api || null;
    } catch { return null; }
  };
  const storage = () => { try { return window.sessionStorage; } catch { return null; } };
  const takeUp = () => {
    try {
      const kept = storage();
      const rest = kept && kept.getItem(KEY);
      if (rest) { kept.removeItem(KEY); api.lost.push(...JSON.parse(rest)); }
    } catch { /* no storage here */ }
  };
  api.takeUp = takeUp;
  takeUp();
  // Two carriers. Console messages of `beforeunload` still reach the driver's log, those of `pagehide` do not; what runs
  // between the two travels in the session storage, where the next document takes it out before any script of its own.
  listen.call(window, "beforeunload", () => {
    const deltas = api.collect();
    // The mark tells a message that the browser repeats when a page comes back from its cache.
    if (deltas.length) debug(KEY + JSON.stringify([`${origin} ${real()}`, ...deltas]));
  });
  let leaving = false;
  const keep = () => {
    const deltas = api.collect();
    if (!deltas.length) return;
    const outer = topApi();
    if (outer) { outer.lost.push(...deltas); return; }
    try {
      const kept = storage();
      const before = kept.getItem(KEY);
      kept.setItem(KEY, JSON.stringify(before ? [...JSON.parse(before), ...deltas] : deltas));
    } catch { /* full, or none */ }
  };
  // The page's own listeners for `pagehide` run after this one; the document turns hidden after all of them.
  listen.call(window, "pagehide", () => { leaving = true; keep(); });
  listen.call(window, "visibilitychange", () => { if (leaving) keep(); });
  // A page that comes back as it was (Back, Forward) is no new document, and takes up what the page before left as well.
  listen.call(window, "pageshow", () => { leaving = false; takeUp(); });

  // ---- references ---------------------------------------------------------------------------------------------------
  const refs = new WeakMap();
  const byRef = new Map();
  let next = 1;
  api.ref = (element) => {
    let ref = refs.get(element);
    if (!ref) { ref = "e" + next++; refs.set(element, ref); byRef.set(ref, new WeakRef(element)); }
    return ref;
  };
  api.element = (ref) => byRef.get(ref)?.deref() ?? null;

  // ---- quiescence ---------------------------------------------------------------------------------------------------
  const pause = (ms) => new Promise((done) => later(done, ms));
  const finite = () => {
    const running = document.getAnimations ? document.getAnimations() : [];
    return running.some((animation) => {
      if (animation.playState !== "running" || !animation.effect) return false;
      const { endTime } = animation.effect.getComputedTiming();
      return endTime !== Infinity && endTime - (animation.currentTime ?? 0) <= @SOON@ && endTime <= 2000;
    });
  };
  // What is under way, from what is waited for longest to nothing.
  const busy = (time) => {
    if (document.readyState === "loading" || pending.requests > 0) return "load";
    for (const [id, due] of pending.timers) {
      if (due + 200 < time) pending.timers.delete(id); else return "timer";
    }
    return finite() ? "animation" : "";
  };
  // Resolves as soon as nothing is under way: at once, but for two turns of the event loop, on a static page. A page
  // that never rests (a game, a clock) is given up on soon, and the sooner the more often it was. Under the kit it is the
  // page's own time that is waited for, and each look gives it some.
  let restless = 0;
  const settle = async (limit) => {
    const begun = real();
    const start = now();
    const before = pending.changes;
    if (clock) {
      await clock.draw();
      await clock.pass(100);
    } else {
      await pause(0);
      await pause(0);
    }
    const waits = { load: limit, timer: Math.min(limit, @SOON@ + 200), animation: Math.min(limit, @SOON@ + 200) };
    let drawn = !clock;
    for (;;) {
      const time = now();
      const why = busy(time);
      const spent = time - start;
      if (why ? spent >= waits[why] >> restless : pending.changes === before || time - pending.changedAt >= 20 || spent >= 120 >> restless) {
        if (!drawn) {
          await clock.draw();
          drawn = true;
          continue;
        }
        const rested = !why && (pending.changes === before || time - pending.changedAt >= 20);
        restless = rested ? 0 : Math.min(restless + 1, 3);
        return real() - begun;
      }
      if (real() - begun > 6000) return real() - begun;
      drawn = !clock;
      await (clock ? clock.pass(8) : pause(8));
    }
  };
  api.settle = (limit) => (clock ? clock.inOrder(() => settle(limit)) : settle(limit));
  if (clock) {
    // Lets so many milliseconds of the page's own time pass; gives how many are left over.
    api.pass = (ms) => clock.inOrder(() => clock.pass(ms));
    // Waits until the page is out of sight, or in sight again.
    api.hidden = async (hidden) => {
      const start = real();
      while (document.hidden !== hidden && real() - start < 1000) await pause(4);
    };
    // Whether a caret blinks just now is a matter of real time.
    const bare = new CSSStyleSheet();
    bare.replaceSync("* { caret-color: transparent !important }");
    api.caret = (shown) => {
      const others = [...document.adoptedStyleSheets].filter((sheet) => sheet !== bare);
      document.adoptedStyleSheets = shown ? others : [...others, bare];
    };
  }

  // When the next of the longer timers is due, in milliseconds from now.
  api.due = () => {
    const time = now();
    let least = Infinity;
    for (const due of pending.later.values()) if (due > time && due < least) least = due;
    return least < Infinity ? Math.round(least - time) : null;
  };
  api.moves = () => restless > 0 || pending.ticking.size > 0 || now() - pending.frameAt < 120;

  @LOOK@

  listen.call(window, KEY, (event) => { if (event.detail) event.detail.api = api; });
})();
