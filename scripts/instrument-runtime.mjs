// How much slower programs run with counters: this project's against Istanbul's, on the same kernels in one run.
// usage: node scripts/instrument-runtime.mjs NODE_MODULES INSTRUMENT_TREE [ROUNDS]
//   NODE_MODULES     a folder with istanbul-lib-instrument@6.0.3, lodash@4.18.1 and d3@7.9.2 installed
//   INSTRUMENT_TREE  the built example `instrument_tree`
// For each kernel: milliseconds plain, under Istanbul and under ours (the fastest round of each, in turn, each in a
// process of its own), and ours over Istanbul's in what they add. The last line is the median of that.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';

const modules = path.resolve(process.argv[2]), tree = path.resolve(process.argv[3]), rounds = Number(process.argv[4] || 3);
const require = createRequire(path.join(modules, 'x.js'));
const { createInstrumenter } = require('istanbul-lib-instrument');
const kernels = new URL('../fixtures/instrument/kernels/', import.meta.url).pathname;
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'instrument-runtime-'));
const names = fs.readdirSync(kernels).filter((name) => name.endsWith('.js'));
const libraries = { lodash: require.resolve('lodash'), d3: path.join(modules, 'd3/dist/d3.js') };

// plain
fs.cpSync(kernels, path.join(work, 'plain'), { recursive: true });
for (const [name, file] of Object.entries(libraries)) {
  fs.mkdirSync(path.join(work, 'plain/node_modules', name), { recursive: true });
  fs.copyFileSync(file, path.join(work, 'plain/node_modules', name, 'index.js'));
}
// ours
execFileSync(tree, [path.join(work, 'plain'), path.join(work, 'ours')], { stdio: 'inherit' });
// Istanbul's
for (const file of fs.readdirSync(path.join(work, 'plain'), { recursive: true }).filter((file) => file.endsWith('.js'))) {
  const source = fs.readFileSync(path.join(work, 'plain', file), 'utf8');
  const target = path.join(work, 'istanbul', file);
  fs.mkdirSync(path.dirname(target), { recursive: true });
  fs.writeFileSync(target, createInstrumenter({ esModules: false, compact: false }).instrumentSync(source, target));
}
const time = (variant, name) => Number(execFileSync(process.execPath, ['-e', `
  const { run } = require(${JSON.stringify(path.join(work, variant, name))});
  for (let i = 0; i < 12; i++) run();
  let best = Infinity;
  for (let i = 0; i < 15; i++) { const start = process.cpuUsage(); run(); const used = process.cpuUsage(start); best = Math.min(best, used.user + used.system); }
  console.log(best / 1000)`]));
const ratios = [];
for (const name of names) {
  const best = { plain: Infinity, istanbul: Infinity, ours: Infinity };
  for (let round = 0; round < rounds; round++) for (const variant of Object.keys(best)) best[variant] = Math.min(best[variant], time(variant, name));
  const ratio = (best.ours - best.plain) / (best.istanbul - best.plain);
  ratios.push(ratio);
  console.log(name.padEnd(12), `plain ${best.plain.toFixed(2)} ms  istanbul ${best.istanbul.toFixed(2)}  ours ${best.ours.toFixed(2)}  ours/istanbul overhead ${ratio.toFixed(2)}`);
}
ratios.sort((a, b) => a - b);
console.log('median', ratios[ratios.length >> 1].toFixed(2));
fs.rmSync(work, { recursive: true });
