// Time of a delta reading in Chromium: 20,000 counters, 50 of them changed since the last reading.
// usage: node scripts/instrument-delta.mjs INSTRUMENT_TREE COLLECT_EXPRESSION [CHROMIUM]   (two built examples)
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { execFileSync } from 'node:child_process';

const [tree, collect, chromium = 'chromium'] = process.argv.slice(2);
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'instrument-delta-'));
// A function, a statement, an `if` with two arms and a statement in it: five counters and more a line.
const parts = Array.from({ length: 3400 }, (_, i) => `function f${i}(a) { if (a) return ${i}; return a || g(); }`);
const source = `function g() { return 1 }\n${parts.join('\n')}\nvar all = [${parts.map((_, i) => 'f' + i)}];\n`;
fs.mkdirSync(path.join(work, 'in'));
fs.writeFileSync(path.join(work, 'in/app.js'), source);
execFileSync(tree, [path.join(work, 'in'), path.join(work, 'out')]);
const expression = execFileSync(collect, { encoding: 'utf8' });
fs.writeFileSync(path.join(work, 'page.html'), `<!DOCTYPE html><pre id=r></pre><script src="out/app.js"></script><script>
const expression = ${JSON.stringify(expression)}, times = [], sizes = [];
(0, eval)(expression);
for (let round = 0; round < 60; round++) {
  for (let i = 0; i < 10; i++) all[(round * 50 + i) % 3400](i % 2);
  const start = performance.now();
  const read = (0, eval)(expression);
  times.push(performance.now() - start);
  sizes.push(Object.values(JSON.parse(read))[0].i.length);
}
const sorted = times.slice(10).sort((a, b) => a - b), cov = Object.values(__coverage__)[0];
const counters = Object.keys(cov.s).length + Object.keys(cov.f).length + Object.values(cov.b).flat().length;
r.textContent = JSON.stringify({ counters, changed: sizes.at(-1), first: times[0], median: sorted[25], most: sorted.at(-1) });
</script>`);
const dom = execFileSync(chromium, ['--headless', '--no-sandbox', '--disable-gpu', '--allow-file-access-from-files', '--virtual-time-budget=20000', '--dump-dom', `--user-data-dir=${work}/profile`, `file://${work}/page.html`], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
console.log(/<pre id="r">(.*?)<\/pre>/.exec(dom)?.[1] ?? dom);
fs.rmSync(work, { recursive: true, force: true });
