// Turns what instrument-speed measured into a table; with ISTANBUL=1 it measures istanbul-lib-instrument and swc with
// swc-plugin-coverage-instrument on the same files.
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { createRequire } from 'node:module';

const modules = process.argv[2];
const require = createRequire(path.join(modules, 'x.js'));
const keys = ['ours', 'oursMap', 'theirs', 'theirsMap', 'parse', 'semantic', 'codegen', 'write'];
const total = Object.fromEntries([...keys, 'bytes', 'oursSize', 'theirsSize', 'istanbul', 'swc'].map((key) => [key, 0]));

function istanbul(file) {
  const { createInstrumenter } = require('istanbul-lib-instrument');
  const source = fs.readFileSync(path.join(modules, file), 'utf8');
  const parserPlugins = [...(/tsx?$/.test(file) ? ['typescript'] : []), ...(/ts$/.test(file) ? [] : ['jsx']), 'classProperties', 'classPrivateProperties', 'classPrivateMethods'];
  for (const esModules of [true, false]) {
    const start = process.cpuUsage();
    try { createInstrumenter({ esModules, autoWrap: true, compact: true, parserPlugins }).instrumentSync(source, file); } catch { continue; }
    const used = process.cpuUsage(start);
    return (used.user + used.system) / 1e6;
  }
  return NaN;
}

/** Seconds of processor time, all threads together, that swc takes to parse, instrument and print a file. */
function swc(file) {
  const plugin = path.join(modules, 'swc-plugin-coverage-instrument/target/wasm32-wasip1/release/swc_plugin_coverage.wasm');
  const source = fs.readFileSync(path.join(modules, file), 'utf8');
  const parser = /tsx?$/.test(file) ? { syntax: 'typescript', tsx: file.endsWith('x') } : { syntax: 'ecmascript' };
  const options = { filename: file, swcrc: false, jsc: { parser, target: 'es2022', experimental: { plugins: [[plugin, {}]] } } };
  const { transformSync } = require('@swc/core');
  // The first use compiles the plugin.
  transformSync('1', options);
  const start = process.cpuUsage();
  try { transformSync(source, options); } catch { return NaN; }
  const used = process.cpuUsage(start);
  return (used.user + used.system) / 1e6;
}

const line = (name, row) => {
  const rate = (key) => (row.bytes / 1e6 / row[key]).toFixed(1);
  console.log(name.padEnd(32), keys.map((key) => `${key} ${rate(key)}`).join('  '), ' MB/s |',
    `x${(row.theirs / row.ours).toFixed(2)}, with map x${(row.theirsMap / row.oursMap).toFixed(2)}, of parse ${(row.parse / row.ours).toFixed(2)},`,
    `size ${(row.oursSize / row.bytes).toFixed(2)} to ${(row.theirsSize / row.bytes).toFixed(2)}`,
    row.istanbul ? `| istanbul ${rate('istanbul')} MB/s, x${(row.istanbul / row.ours).toFixed(0)}, swc ${rate('swc')} MB/s, x${(row.swc / row.ours).toFixed(0)}` : '');
};
let threads;
for await (const text of readline.createInterface({ input: process.stdin })) {
  const row = JSON.parse(text);
  if (row.threads) {
    threads = row;
    continue;
  }
  if (process.env.ISTANBUL) Object.assign(row, { istanbul: istanbul(row.path), swc: swc(row.path) });
  for (const key of Object.keys(total)) total[key] += row[key] || 0;
  line(path.basename(row.path), row);
}
line('TOTAL', total);
if (threads) console.log(`${threads.files} files: ${threads.threads.map((seconds) => seconds.toFixed(3)).join(' s on one thread, ')} s on two, x${(threads.threads[0] / threads.threads[1]).toFixed(2)}`);
