// Turns what instrument-speed measured into a table; with ISTANBUL=1 it measures istanbul-lib-instrument on the same files.
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { createRequire } from 'node:module';

const modules = process.argv[2];
const require = createRequire(path.join(modules, 'x.js'));
const keys = ['ours', 'oursMap', 'theirs', 'theirsMap', 'parse', 'semantic', 'codegen', 'write'];
const total = Object.fromEntries([...keys, 'bytes', 'oursSize', 'theirsSize', 'istanbul'].map((key) => [key, 0]));

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

const line = (name, row) => {
  const rate = (key) => (row.bytes / 1e6 / row[key]).toFixed(1);
  console.log(name.padEnd(32), keys.map((key) => `${key} ${rate(key)}`).join('  '), ' MB/s |',
    `x${(row.theirs / row.ours).toFixed(2)}, with map x${(row.theirsMap / row.oursMap).toFixed(2)}, of parse ${(row.parse / row.ours).toFixed(2)},`,
    `size ${(row.oursSize / row.bytes).toFixed(2)} to ${(row.theirsSize / row.bytes).toFixed(2)}`,
    row.istanbul ? `| istanbul ${rate('istanbul')} MB/s, x${(row.istanbul / row.ours).toFixed(0)}` : '');
};
for await (const text of readline.createInterface({ input: process.stdin })) {
  const row = JSON.parse(text);
  if (process.env.ISTANBUL) row.istanbul = istanbul(row.path);
  for (const key of Object.keys(total)) total[key] += row[key] || 0;
  line(path.basename(row.path), row);
}
line('TOTAL', total);
