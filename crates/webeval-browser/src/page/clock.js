// The determinism kit. Chance comes from a seed, and the page's time moves only when it is given some (`pass`): timers,
// frames, idle callbacks, animations and everything that tells the time go by it. What takes its own time (requests,
// pictures, frames that the browser draws) is waited for before the clock moves on, so everything comes in the same order
// each time. An expression within bootstrap.js: gives the clock, or nothing where a document has to go by real time.
(() => {
  // A document that is opened anew (`document.open`) keeps its window, and with it what was put in place here.
  if (before.clock !== undefined) return before.clock;
  let clock = null;
  const { later, real, frame } = native;
  const proxy = (original, apply) => new Proxy(original, { apply });
  const replace = (owner, name, apply) => {
    if (typeof owner?.[name] === "function") owner[name] = proxy(owner[name], apply);
  };
  const replaceGetter = (owner, name, get) => {
    const known = owner && Object.getOwnPropertyDescriptor(owner, name);
    if (known?.get) Object.defineProperty(owner, name, { ...known, get: proxy(known.get, (original, self) => get(original, self)) });
  };

  // Frames of the page's origin share the clock of the page. Others (sandboxed ones) nobody could give time to.
  let outer = null;
  try { if (window.top !== window) outer = window.top.Date.now(KEY).clock; } catch { /* another origin */ }
  const free = window.top !== window && !outer;
  const world = outer?.world ?? { time: 0, timers: new Map(), frames: new Map(), views: [], waits: new Set(), line: [], next: 1,
    nest: 0, reads: 0, leaving: -1e9, fonts: null, observed: false, blobs: new Map(), tail: Promise.resolve() };
  const born = world.time, begun = real();
  // Code that waits in a loop for time to pass gets it: after many readings in one go, each moves the clock on.
  const read = () => {
    if (free) return real();
    if (++world.reads > 1000) world.time++;
    return world.time - born;
  };

  // ---- chance ----------------------------------------------------------------------------------------------------------
  const chance = (seed) => {
    let state = seed >>> 0;
    return () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  };
  replace(Math, "random", chance(KIT.seed));
  const byte = chance(KIT.seed ^ 0x5bd1e995);
  replace(Crypto.prototype, "getRandomValues", (original, self, args) => {
    const array = Reflect.apply(original, self, args);
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = byte() * 256;
    return array;
  });
  replace(Crypto.prototype, "randomUUID", () => {
    const hex = (count) => Array.from({ length: count }, () => (byte() * 16 | 0).toString(16)).join("");
    return `${hex(8)}-${hex(4)}-4${hex(3)}-${"89ab"[byte() * 4 | 0]}${hex(3)}-${hex(12)}`;
  });

  // ---- what tells the time -----------------------------------------------------------------------------------------------
  const NativeDate = Date;
  const time = () => KIT.start + Math.floor(read() + born);
  // Asked with our key it gives the clock: to frames, and to a second installation.
  NativeDate.now = proxy(NativeDate.now, (original, self, args) => (args[0] === KEY ? { clock, native } : time()));
  window.Date = new Proxy(NativeDate, {
    construct: (target, args, made) => Reflect.construct(target, args.length ? args : [time()], made),
    apply: () => new NativeDate(time()).toString(),
  });
  NativeDate.prototype.constructor = window.Date;
  for (const name of ["format", "formatToParts"]) {
    const at = (call, self, args) => Reflect.apply(call, self, args[0] === undefined ? [time(), ...args.slice(1)] : args);
    if (name === "format") replaceGetter(Intl.DateTimeFormat.prototype, name, (original, self) => proxy(Reflect.apply(original, self, []), at));
    else replace(Intl.DateTimeFormat.prototype, name, at);
  }
  if (window.Temporal) {
    const instant = () => Temporal.Instant.fromEpochMilliseconds(time());
    const zoned = (zone) => instant().toZonedDateTimeISO(zone ?? Temporal.Now.timeZoneId());
    replace(Temporal.Now, "instant", instant);
    replace(Temporal.Now, "zonedDateTimeISO", (original, self, args) => zoned(args[0]));
    for (const [name, part] of [["plainDateTimeISO", "toPlainDateTime"], ["plainDateISO", "toPlainDate"], ["plainTimeISO", "toPlainTime"]]) {
      replace(Temporal.Now, name, (original, self, args) => zoned(args[0])[part]());
    }
  }
  if (free) return clock;

  replace(Performance.prototype, "now", () => read());
  replaceGetter(Performance.prototype, "timeOrigin", () => KIT.start + born);
  const stamps = new WeakMap();
  replaceGetter(Event.prototype, "timeStamp", (original, self) => {
    Reflect.apply(original, self, []);
    if (!stamps.has(self)) stamps.set(self, world.time - born);
    return stamps.get(self);
  });
  const sounding = new WeakMap();
  replaceGetter(window.BaseAudioContext?.prototype, "currentTime", (original, self) => {
    Reflect.apply(original, self, []);
    if (self.state !== "running") return 0;
    if (!sounding.has(self)) sounding.set(self, world.time);
    return (world.time - sounding.get(self)) / 1000;
  });

  // ---- timers, frames, idle callbacks --------------------------------------------------------------------------------------
  const alive = () => document.defaultView !== null;
  const set = (timer) => {
    // As browsers do: what timers set again and again comes every four milliseconds at most.
    timer.time = world.time + Math.max(timer.wait, timer.level > 5 ? 4 : timer.repeat ? 1 : 0);
    world.timers.set(timer.id, timer);
    return timer.id;
  };
  const start = (repeat) => (original, self, args) => {
    if (!args.length) return Reflect.apply(original, self, args);
    const [handler, delay, ...rest] = args;
    const call = typeof handler === "function" ? () => Reflect.apply(handler, window, rest) : () => (0, window.eval)(String(handler));
    return set({ id: world.next++, call, wait: Math.max(0, Number(delay) | 0), level: world.nest + 1, repeat, alive });
  };
  replace(window, "setTimeout", start(false));
  replace(window, "setInterval", start(true));
  replace(window, "requestIdleCallback", (original, self, args) => {
    if (typeof args[0] !== "function") return Reflect.apply(original, self, args);
    let left = 50;
    const call = () => args[0].call(window, { didTimeout: false, timeRemaining: () => Math.max(0, left--) });
    return set({ id: world.next++, call, wait: 1, level: 1, repeat: false, alive });
  });
  for (const name of ["clearTimeout", "clearInterval", "cancelIdleCallback"]) replace(window, name, (original, self, args) => { world.timers.delete(Number(args[0])); });
  replace(window, "requestAnimationFrame", (original, self, args) => {
    if (typeof args[0] !== "function") return Reflect.apply(original, self, args);
    const id = world.next++;
    world.frames.set(id, { call: () => args[0].call(window, world.time - born), alive });
    return id;
  });
  replace(window, "cancelAnimationFrame", (original, self, args) => { world.frames.delete(Number(args[0])); });
  replace(AbortSignal, "timeout", (original, self, args) => {
    const controller = new AbortController();
    window.setTimeout(() => controller.abort(new DOMException("signal timed out", "TimeoutError")), args[0]);
    return controller.signal;
  });
  replace(window.Scheduler?.prototype, "postTask", (original, self, args) => {
    const { delay, ...options } = args[1] ?? {};
    if (!(delay > 0)) return Reflect.apply(original, self, args);
    return new Promise((done, failed) => window.setTimeout(() => Reflect.apply(original, self, [args[0], options]).then(done, failed), delay));
  });

  // ---- what takes its own time: it is waited for, but not for ever ---------------------------------------------------------
  const PATIENCE = 1500;
  const expect = (since = real()) => {
    const wait = { since };
    world.waits.add(wait);
    return wait;
  };
  const met = (wait) => world.waits.delete(wait);
  const listen = EventTarget.prototype.addEventListener;
  const expectEvent = (target, ...types) => {
    const wait = expect();
    for (const type of types) listen.call(target, type, () => met(wait), { once: true });
  };
  const expectPromise = (promise) => {
    const wait = expect();
    promise.then(() => met(wait), () => met(wait));
    return promise;
  };
  const pause = (ms) => new Promise((done) => later(done, ms));

  // Requests go out one after another: so their answers come in the same order each time.
  const queue = world.line;
  const next = () => {
    const { begin, wait } = queue[0];
    wait.since = real();
    const over = () => {
      if (!queue.length || queue[0].wait !== wait) return;
      met(wait);
      queue.shift();
      if (queue.length) next();
    };
    later(over, PATIENCE);
    return begin(over);
  };
  const inTurn = (begin) => {
    queue.push({ begin, wait: expect(Infinity) });
    return queue.length === 1 ? next() : undefined;
  };
  replace(window, "fetch", (original, self, args) => new Promise((done, failed) => {
    inTurn((over) => {
      Reflect.apply(original, self, args).then(async (response) => {
        // The answer is told when all of it is there.
        try { if (response.body) await Promise.race([response.clone().arrayBuffer(), pause(PATIENCE)]); } catch { /* the page will see */ }
        done(response);
        over();
      }, (error) => { failed(error); over(); });
    });
  }));
  if (window.XMLHttpRequest) {
    const blocking = new WeakSet(), dropped = new WeakSet();
    replace(XMLHttpRequest.prototype, "open", (original, self, args) => {
      if (args.length > 2 && !args[2]) blocking.add(self); else blocking.delete(self);
      return Reflect.apply(original, self, args);
    });
    replace(XMLHttpRequest.prototype, "abort", (original, self, args) => { dropped.add(self); return Reflect.apply(original, self, args); });
    replace(XMLHttpRequest.prototype, "send", (original, self, args) => {
      if (blocking.has(self) || self.readyState !== 1) return Reflect.apply(original, self, args);
      dropped.delete(self);
      inTurn((over) => {
        if (dropped.has(self)) return over();
        listen.call(self, "loadend", over, { once: true });
        Reflect.apply(original, self, args);
      });
    });
  }
  for (const [owner, names] of [
    [window.Response?.prototype, ["text", "json", "arrayBuffer", "blob", "formData", "bytes"]],
    [window.Blob?.prototype, ["text", "arrayBuffer", "bytes"]],
    [window.SubtleCrypto?.prototype, ["digest", "encrypt", "decrypt", "sign", "verify", "generateKey", "importKey", "exportKey", "deriveKey", "deriveBits"]],
    [window.WebAssembly, ["compile", "instantiate", "compileStreaming", "instantiateStreaming"]],
    [window.Clipboard?.prototype, ["readText", "writeText", "read", "write"]],
    [window.HTMLImageElement?.prototype, ["decode"]],
    [window.HTMLMediaElement?.prototype, ["play"]],
    [window.BaseAudioContext?.prototype, ["decodeAudioData"]],
    [window.AudioContext?.prototype, ["resume", "suspend", "close"]],
    [window.FontFace?.prototype, ["load"]],
    [window.FontFaceSet?.prototype, ["load"]],
    [window, ["createImageBitmap"]],
  ]) for (const name of names) replace(owner, name, (original, self, args) => expectPromise(Reflect.apply(original, self, args)));
  for (const [owner, names, types] of [
    [window.FileReader?.prototype, ["readAsText", "readAsDataURL", "readAsArrayBuffer", "readAsBinaryString"], ["loadend"]],
    [window.IDBFactory?.prototype, ["open", "deleteDatabase"], ["success", "error", "blocked"]],
    [window.IDBDatabase?.prototype, ["transaction"], ["complete", "abort"]],
  ]) for (const name of names) replace(owner, name, (original, self, args) => { const made = Reflect.apply(original, self, args); expectEvent(made ?? self, ...types); return made; });
  // Pictures that code asks for load as ever, but tell of it in their turn among the requests.
  const asked = new WeakMap();
  const inTurnPicture = (image) => {
    asked.get(image)?.();
    let turn = null, told = null;
    const begun = real();
    const hear = (event) => {
      if (turn) { end(); later(turn, 0); } else { told = event.type; event.stopImmediatePropagation(); }
    };
    for (const type of ["load", "error"]) listen.call(image, type, hear, { capture: true, once: true });
    const end = () => {
      asked.delete(image);
      for (const type of ["load", "error"]) image.removeEventListener(type, hear, { capture: true });
    };
    asked.set(image, () => { end(); told = null; if (turn) turn(); else turn = () => {}; });
    inTurn((over) => {
      const dropped = turn;
      turn = over;
      if (told) { end(); later(() => { image.dispatchEvent(new Event(told)); over(); }, 0); }
      else if (dropped || real() - begun > PATIENCE) over();
    });
  };
  const source = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, "src");
  Object.defineProperty(HTMLImageElement.prototype, "src", { ...source, set: proxy(source.set, (original, self, args) => {
    Reflect.apply(original, self, args);
    if (!self.complete && self.loading !== "lazy") inTurnPicture(self);
  }) });
  const LOADS = "img,iframe,script[src],link[rel=stylesheet]";
  const arrived = (el) => {
    if (el.localName === "img") {
      if (!el.complete && el.loading !== "lazy" && !asked.has(el)) inTurnPicture(el);
      return;
    }
    if (el.localName === "script" && el.type && !/module|javascript/.test(el.type)) return;
    expectEvent(el, "load", "error");
  };
  new MutationObserver((records) => {
    world.changed = true;
    // Before that, the document's own loading is waited for.
    if (document.readyState !== "complete") return;
    for (const { addedNodes } of records) for (const node of addedNodes) {
      if (node.nodeType !== 1) continue;
      if (node.matches(LOADS)) arrived(node);
      node.querySelectorAll(LOADS).forEach(arrived);
    }
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  for (const name of ["IntersectionObserver", "ResizeObserver"]) {
    if (window[name]) window[name] = new Proxy(window[name], { construct: (target, args, made) => { world.observed = true; return Reflect.construct(target, args, made); } });
  }
  // A document that is about to go does nothing more.
  if (window.top === window && window.navigation) {
    listen.call(navigation, "navigate", (event) => {
      if (event.destination.sameDocument || event.downloadRequest !== null) return;
      world.leaving = real();
      later(() => { if (event.defaultPrevented) world.leaving = -1e9; }, 0);
    });
    for (const type of ["navigatesuccess", "navigateerror"]) listen.call(navigation, type, () => { world.leaving = -1e9; });
  }
  // The names of blobs are chance as well; snapshots name them by their order.
  replace(URL, "createObjectURL", (original, self, args) => {
    const url = Reflect.apply(original, self, args);
    world.blobs.set(url.slice(-36), `00000000-0000-0000-0000-${String(world.blobs.size + 1).padStart(12, "0")}`);
    return url;
  });

  // ---- animations: the browser's own timeline stands still, so each is put where it belongs ------------------------------------
  const running = Document.prototype.getAnimations;
  world.views = world.views.filter((view) => view.alive());
  world.views.push({
    alive,
    loading: () => document.readyState !== "complete" && real() - begun < 5000,
    fonts: () => document.fonts?.status === "loading",
    animations: () => running.call(document).filter((one) => one.playState === "running" && one.timeline === document.timeline && one.effect && one.playbackRate && typeof one.currentTime === "number"),
  });
  if (outer) return (clock = outer);

  const views = () => world.views.filter((view) => view.alive());
  const animations = () => views().flatMap((view) => view.animations());
  const left = (one) => {
    const end = one.playbackRate > 0 ? one.effect.getComputedTiming().endTime : 0;
    return (end - one.currentTime) / one.playbackRate;
  };
  // Moves the clock; tells whether an animation came to its end.
  const move = (to) => {
    const by = to - world.time;
    let ended = false;
    if (by <= 0) return ended;
    for (const one of animations()) {
      try {
        const over = left(one) - by < 0.001;
        one.currentTime = over ? (one.playbackRate > 0 ? one.effect.getComputedTiming().endTime : 0) : one.currentTime + by * one.playbackRate;
        ended ||= over;
      } catch { /* gone meanwhile */ }
    }
    world.time = to;
    return ended;
  };

  // ---- giving time ----------------------------------------------------------------------------------------------------------
  // Each callback gets a task of its own, so that what it throws and promises is dealt with as ever.
  const channel = new MessageChannel(), jobs = [];
  channel.port1.onmessage = () => {
    const { run, done } = jobs.shift();
    world.reads = 0;
    try { run(); } finally { done(); }
  };
  const task = (run) => new Promise((done) => { jobs.push({ run, done }); channel.port2.postMessage(0); });
  const turn = () => task(() => {});
  const busy = () => {
    const at = real();
    for (const wait of world.waits) if (wait.since === Infinity || at - wait.since < PATIENCE) return true; else world.waits.delete(wait);
    if (at - world.leaving < 1000 || views().some((view) => view.loading())) return true;
    if (!views().some((view) => view.fonts())) { world.fonts = null; return false; }
    world.fonts ??= at;
    return at - world.fonts < PATIENCE;
  };
  const quiet = async () => {
    const limit = real() + 5000;
    if (!busy()) return;
    while (busy() && real() < limit) await pause(2);
    await turn();
    await turn();
  };
  // Lets the browser draw: observers are told, what has moved under the pointer hears of it, animations say that they ended.
  const draw = async () => {
    await quiet();
    for (let i = 0; i < 2 && !document.hidden; i++) await Promise.race([new Promise((done) => frame(done)), pause(500)]);
    await turn();
    await pause(0);
    await quiet();
  };
  const soonest = () => {
    let found = { time: Infinity };
    for (const timer of world.timers.values()) {
      if (!timer.alive()) world.timers.delete(timer.id);
      else if (timer.time < found.time) found = { time: timer.time, timer };
    }
    if (world.frames.size && !document.hidden) {
      const at = (Math.floor(world.time * 0.06 + 1e-6) + 1) / 0.06;
      if (at < found.time) found = { time: at, frame: true };
    }
    for (const one of animations()) {
      const at = world.time + Math.max(0, left(one));
      if (at < found.time) found = { time: at };
    }
    return found;
  };
  const fire = async ({ timer, frame }) => {
    if (timer) {
      world.timers.delete(timer.id);
      world.nest = timer.level;
      if (timer.repeat) { timer.level++; set(timer); }
      await task(timer.call);
      await turn();
      world.nest = 0;
    } else if (frame) {
      for (const [id, one] of [...world.frames]) if (world.frames.delete(id) && one.alive()) await task(one.call);
      await turn();
    }
  };
  // Lets so many milliseconds pass. Gives how many are left over where that takes the page too long.
  const pass = async (ms) => {
    const to = world.time + ms, limit = real() + 4000;
    world.reads = 0;
    for (;;) {
      await quiet();
      const found = soonest();
      if (found.time > to) break;
      if (real() > limit) return to - world.time;
      world.changed = false;
      const ended = move(found.time);
      await fire(found);
      if (ended || (world.observed && world.changed)) await draw();
    }
    if (move(to)) await draw();
    return 0;
  };
  // One after the other: a dialog can end a call from outside while what it began goes on.
  const inOrder = (work) => (world.tail = world.tail.then(work, work));

  clock = { native, world, now: () => world.time - born, draw, pass, inOrder, tidy: (text) => text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => world.blobs.get(id) ?? id) };
  return clock;
})()
