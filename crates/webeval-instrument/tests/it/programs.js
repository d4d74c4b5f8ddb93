// Runs the programs of `fixtures/instrument/programs` as written and instrumented. Reads from standard input what
// `programs.rs` made of them, and prints a line for each fault, then how many runs were as they have to be.
const fs = require('fs'), vm = require('vm'), path = require('path');

/** An error's message and the line of the program that it comes from. */
const told = (error, name) => `${error.message} at ${error.stack.split('\n').find((line) => line.includes(name)) ?? '?'}`.replace(/\s+/g, ' ');

const HARNESS = `
var checks = 0, waiting = [], is = Object.is, show = (value) => typeof value === 'string' ? JSON.stringify(value) : String(value);
function same(actual, expected) { checks++; if (!is(actual, expected)) throw new Error(show(actual) + ' is not ' + show(expected)) }
function throws(type, run) { checks++; try { run() } catch (error) { if (error.constructor === type) return; throw error } throw new Error(type.name + ' was not thrown') }
function later(promise) { waiting.push(promise) }`;

/** Runs a program in a realm of its own: its value, how many checks it made, and its counts. */
async function run(code, name, files) {
  const context = vm.createContext({});
  vm.runInContext(HARNESS, context);
  let value;
  if (files) {
    const modules = new Map(), options = (identifier) => ({ context, identifier, importModuleDynamically: dynamic });
    const load = (identifier) => modules.get(identifier) ?? modules.set(identifier, new vm.SourceTextModule(files[identifier], options(identifier))).get(identifier);
    const link = (specifier, from) => load(path.posix.join(path.posix.dirname(from.identifier), specifier));
    async function dynamic(specifier, from) {
      const found = link(specifier, from);
      // Only modules of the graph that is running are imported again.
      if (found.status === 'unlinked') throw new Error('not loaded before: ' + specifier);
      return found;
    }
    const main = load(name);
    await main.link(link);
    await main.evaluate();
  } else {
    value = vm.runInContext(code, context, { filename: name, timeout: 5000 });
  }
  await Promise.all(context.waiting);
  const counts = Object.values(context.__coverage__ ?? {}).map(({ s, f, b }) => JSON.parse(JSON.stringify({ s, f, b })));
  return { value: JSON.stringify(value) ?? 'undefined', checks: context.checks, counts };
}

(async () => {
  let right = 0;
  for (const { name, way, needs, source, code, sources, codes, value, bare } of JSON.parse(fs.readFileSync(0, 'utf8'))) {
    const said = [];
    try {
      if (needs) { try { new vm.Script(source) } catch { console.log(`skipped: ${name}: this Node does not know ${needs}`); continue } }
      const plain = await run(source, name, sources);
      if (value === undefined && plain.checks === 0) said.push('checks nothing');
      if (value !== undefined && plain.value !== value) said.push(`ends with ${plain.value} as written`);
      try {
        const counted = await run(code, name, codes);
        if (counted.value !== plain.value) said.push(`ends with ${counted.value}, as written with ${plain.value}`);
        if (counted.checks !== plain.checks) said.push(`makes ${counted.checks} checks, as written ${plain.checks}`);
        if (!bare && !counted.counts.some(({ s }) => Object.values(s).some((count) => count > 0))) said.push('nothing was counted');
      } catch (error) { said.push(`instrumented: ${told(error, name)}`) }
    } catch (error) { said.push(`as written: ${told(error, name)}`) }
    if (said.length) console.log(`FAULT ${name} (${way}): ${said.join('; ')}`); else right++;
  }
  console.log(right);
})();
