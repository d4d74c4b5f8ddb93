// Runs test262 programs as written and instrumented; lists those that pass as written and do not pass instrumented.
// usage: node scripts/instrument-test262.mjs TEST262 INSTRUMENT_TREE [FOLDER] [JOBS]
//   TEST262          a checkout of github.com/tc39/test262
//   INSTRUMENT_TREE  the built example `instrument_tree`
//   FOLDER           the part of the suite to run, `test/language` by default
//   JOBS             processes at a time, 2 by default
// A test without a flag about it runs twice: as it is, and with "use strict" before it, instrumented as such. Programs that must not parse
// must not parse instrumented either. The modules that a test imports are instrumented along with it. A test passes
// only if its counters are there afterwards. Exit code 1 if anything but the known observers of their own text or scope
// comes out otherwise.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import vm from 'node:vm';
import { fork, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// These count the look-ups of names through a `with` over a proxy, and see that of the counters' variable.
const OBSERVERS = [
  'test/language/expressions/assignment/destructuring/keyed-destructuring-property-reference-target-evaluation-order-with-bindings.js',
  'test/language/statements/with/has-binding-call-with-proxy-env.js',
  'test/language/statements/with/has-binding-idref-with-proxy-env.js',
];
const PATIENCE = 20_000; // milliseconds for one test
const TESTS_A_CHILD = 400; // realms are not given back soon enough for one process to run them all

const BEFORE = { sloppy: '', strict: '"use strict";\n' };

/** The flags, includes and expected error in the comment at a test's start. */
function describe(source) {
  const comment = /\/\*---([^]*?)---\*\//.exec(source)?.[1] ?? '';
  const list = (key) => {
    const inline = new RegExp(`^${key}:\\s*\\[([^\\]]*)\\]`, 'm').exec(comment)?.[1].split(',');
    const lines = new RegExp(`^${key}:\\s*\\n((?:\\s+-.*\\n?)+)`, 'm').exec(comment)?.[1].split('\n');
    return (inline ?? lines ?? []).map((item) => item.replace(/^\s*-\s*/, '').trim()).filter(Boolean);
  };
  const expected = /^negative:\s*\n((?:[ \t]+.*\n?)+)/m.exec(comment)?.[1];
  const field = (key) => new RegExp(`${key}:\\s*(\\w+)`).exec(expected)?.[1];
  return { flags: list('flags'), includes: list('includes'), error: expected && { phase: field('phase'), type: field('type') } };
}

/** The ways in which a test is to be run. */
function modes({ flags }) {
  if (flags.includes('module') || flags.includes('raw') || flags.includes('noStrict')) return ['sloppy'];
  return flags.includes('onlyStrict') ? ['strict'] : ['sloppy', 'strict'];
}

// ---- in a child process: one test at a time

const harness = new Map();
const harnessScript = (root, filename) => harness.get(filename) ??
  harness.set(filename, new vm.Script(fs.readFileSync(path.join(root, 'harness', filename), 'utf8'), { filename })).get(filename);

function realm(printed) {
  const context = vm.createContext({ print: (text) => printed.push(String(text)), setTimeout, clearTimeout });
  context.$262 = {
    global: vm.runInContext('globalThis', context),
    evalScript: (code) => vm.runInContext(code, context),
    createRealm: () => realm(printed).$262,
    detachArrayBuffer: (buffer) => { structuredClone(buffer, { transfer: [buffer] }); },
    gc() {},
    agent: { start() {}, broadcast() {}, getReport: () => null, sleep() {}, monotonicNow: () => performance.now() },
  };
  return context;
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 1));

/** Runs a test in a realm of its own and says `pass` or why not. `read` gives the text of a module it imports. */
async function run(root, file, test, text, read, afterwards) {
  const printed = [], context = realm(printed), modules = new Map();
  const isModule = test.flags.includes('module'), isAsync = test.flags.includes('async');
  const options = (identifier) => ({ context, identifier, importModuleDynamically: dynamic });
  const load = (specifier, from, attributes) => {
    const target = path.resolve(path.dirname(from), String(specifier));
    if (!modules.has(target)) {
      const json = attributes?.type === 'json' && JSON.parse(fs.readFileSync(target, 'utf8'));
      const made = json
        ? new vm.SyntheticModule(['default'], function () { this.setExport('default', json); }, { context, identifier: target })
        : new vm.SourceTextModule(read(target), options(target));
      modules.set(target, made);
    }
    return modules.get(target);
  };
  const link = (specifier, from, { attributes }) => load(specifier, from.identifier, attributes);
  async function dynamic(specifier, from, attributes) {
    const made = load(specifier, from.identifier ?? file, attributes);
    if (made.status === 'unlinked') await made.link(link);
    while (made.status === 'linking') await pause();
    if (made.status === 'linked') await made.evaluate();
    return made;
  }
  try {
    const includes = test.flags.includes('raw') ? [] : ['assert.js', 'sta.js', ...(isAsync ? ['doneprintHandle.js'] : []), ...test.includes];
    for (const name of includes) harnessScript(root, name).runInContext(context);
    if (isModule) {
      const made = new vm.SourceTextModule(text, options(file));
      modules.set(file, made);
      await made.link(link);
      await made.evaluate({ timeout: 5000 });
    } else {
      new vm.Script(text, { filename: file, importModuleDynamically: dynamic }).runInContext(context, { timeout: 5000 });
    }
    const ended = () => printed.find((line) => line.startsWith('Test262:AsyncTest'));
    for (const start = Date.now(); isAsync && !ended() && Date.now() - start < 3000;) await pause();
    if (isAsync && ended() !== 'Test262:AsyncTestComplete') return `async: ${printed.join(' ').slice(0, 200) || 'never ended'}`;
    if (test.error) return `no ${test.error.type} was thrown`;
  } catch (error) {
    const name = error?.name ?? error?.constructor?.name;
    if (name !== test.error?.type) return `${name}: ${String(error?.message).slice(0, 200)}`;
  }
  try {
    return afterwards(context) ?? 'pass';
  } catch (error) {
    return `counters cannot be read: ${error?.message}`;
  }
}

async function compare({ root, instrumented, file, mode }) {
  const original = (name) => fs.readFileSync(name, 'utf8');
  const source = BEFORE[mode] + original(file), test = describe(source);
  const counted = (name) => path.join(instrumented, mode, path.relative(root, name));
  if (await run(root, file, test, source, original, () => {}) !== 'pass') return { verdict: 'fails as written' };
  if (!fs.existsSync(counted(file))) return { verdict: 'without counters' };
  process.send({ second: true });
  const either = (name) => original(fs.existsSync(counted(name)) ? counted(name) : name);
  let ran = false;
  const reason = await run(root, file, test, either(file), either, (context) => {
    // A program that stops with an error, or does not begin, may have no counters to show.
    const own = Object.values(context.__coverage__ ?? {});
    if (own.length === 0) return test.error ? undefined : 'no counters afterwards';
    ran = own.some(({ s, f }) => [s, f].some((counts) => Object.values(counts).some((count) => count > 0)));
  });
  return reason === 'pass' ? { verdict: 'passes', ran } : { verdict: 'regressed', reason };
}

function child() {
  for (const event of ['unhandledRejection', 'uncaughtException']) process.on(event, () => {});
  process.on('message', async (message) => process.send(await compare(message)));
}

// ---- in the parent: hands out the tests; one that takes a child down or does not end costs that child alone

async function parent() {
  const [root, tree] = process.argv.slice(2, 4).map((argument) => path.resolve(argument));
  const folder = process.argv[4] ?? 'test/language', jobs = Number(process.argv[5] ?? 2);
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'instrument-test262-'));
  const instrumented = path.join(scratch, 'instrumented'), queue = [];
  for (const name of fs.readdirSync(path.join(root, folder), { recursive: true }).sort()) {
    const file = path.join(root, folder, name);
    if (!file.endsWith('.js')) continue;
    const source = fs.readFileSync(file, 'utf8'), test = describe(source), fixture = file.includes('_FIXTURE');
    // Those with `CanBlock` need another thread that can block.
    if (test.flags.some((flag) => flag.startsWith('CanBlock'))) continue;
    for (const mode of fixture ? ['sloppy'] : modes(test)) {
      const target = path.join(scratch, 'source', mode, folder, name);
      fs.mkdirSync(path.dirname(target), { recursive: true });
      fs.writeFileSync(target, BEFORE[mode] + source);
      if (!fixture) queue.push({ root, instrumented, file, mode, negative: Boolean(test.error), target });
    }
  }
  const made = spawnSync(tree, [path.join(scratch, 'source'), instrumented], { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (made.status !== 0) throw Error(made.stderr ?? made.error);
  const refused = new Map(made.stderr.split('\n').filter((line) => line.includes(': ')).map((line) => line.split(/: (.*)/)));
  const counts = { runs: queue.length, 'fails as written': 0, passes: 0, 'without counters': 0, regressed: 0, ran: 0, refused: 0 };
  const found = [];
  const settle = ({ file, mode, negative, target }, { verdict, reason, ran }) => {
    counts[verdict]++;
    if (ran) counts.ran++;
    const name = path.relative(root, file);
    if (verdict === 'regressed') found.push([name, mode, reason]);
    if (verdict === 'without counters' && refused.has(target) && !negative) {
      counts.refused++;
      found.push([name, mode, `not instrumented: ${refused.get(target)}`]);
    }
  };
  async function work() {
    let current, age = 0;
    for (let test; (test = queue.shift());) {
      if (current && ++age === TESTS_A_CHILD) { current.kill(); current = undefined; }
      if (!current) age = 0;
      current ??= fork(fileURLToPath(import.meta.url), ['--child'], { execArgv: ['--experimental-vm-modules', '--no-warnings'], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
      let second = false, timer;
      const answer = await new Promise((resolve) => {
        const give = (message) => {
          if (message.second) { second = true; return; }
          clearTimeout(timer);
          current.removeAllListeners();
          resolve(message);
        };
        timer = setTimeout(() => current.kill('SIGKILL'), PATIENCE);
        current.on('message', give);
        current.once('exit', () => {
          give(second ? { verdict: 'regressed', reason: 'crashed or hung' } : { verdict: 'fails as written' });
          current = undefined;
        });
        current.send(test);
      });
      settle(test, answer);
      if (queue.length % 500 === 0) process.stderr.write(`\r${counts.runs - queue.length}/${counts.runs}`);
    }
    current?.kill();
  }
  await Promise.all(Array.from({ length: jobs }, work));
  process.stderr.write('\n');
  fs.rmSync(scratch, { recursive: true });

  let faults = 0;
  for (const [name, mode, reason] of found.sort()) {
    const known = OBSERVERS.includes(name);
    if (!known) faults++;
    console.log(`${known ? 'observer' : 'REGRESSED'} ${name} (${mode}): ${reason}`);
  }
  console.log(`${counts.runs} runs: ${counts['fails as written']} do not pass as written, ${counts['without counters']} have nothing to count or do not parse (${counts.refused} could not be instrumented), ` +
    `${counts.passes} pass instrumented (in ${counts.ran} of them counters counted), ${counts.regressed} regressed, of which ${faults} are not known observers`);
  process.exit(faults ? 1 : 0);
}

if (process.argv[2] === '--child') child();
else if (process.argv.length < 4) { console.error('usage: node scripts/instrument-test262.mjs TEST262 INSTRUMENT_TREE [FOLDER] [JOBS]'); process.exit(2); }
else await parent();
