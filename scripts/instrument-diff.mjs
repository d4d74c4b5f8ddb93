// Compares maps, and after running also counts, with istanbul-lib-instrument on real packages.
// usage: node scripts/instrument-diff.mjs NODE_MODULES INSTRUMENT_TREE [FILE…]   (files default to ten of the packages)
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import vm from 'node:vm';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

const modules = path.resolve(process.argv[2]), tree = path.resolve(process.argv[3]);
const require = createRequire(path.join(modules, 'x.js'));
const { createInstrumenter } = require('istanbul-lib-instrument');
const ten = ['lodash/lodash.js', 'd3/dist/d3.js', 'vue/dist/vue.global.js', 'react-dom/cjs/react-dom-client.development.js',
  'three/build/three.core.js', 'chart.js/dist/chart.umd.js', '@react-spectrum/s2/src/TableView.tsx', 'zod/src/v4/core/schemas.ts',
  'effect/src/internal/stream.ts', 'typescript/lib/typescript.js'];
const files = process.argv.length > 4 ? process.argv.slice(4) : ten.map((file) => path.join(modules, file));
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'instrument-diff-'));
const plugins = ['classProperties', 'classPrivateProperties', 'classPrivateMethods', 'topLevelAwait', 'importMeta', 'bigInt', 'decorators-legacy'];

function istanbul(source, file) {
  let failure;
  for (const esModules of [true, false]) {
    const types = /\.[mc]?tsx?$/.test(file) ? ['typescript'] : [], jsx = types.length && !file.endsWith('x') ? [] : ['jsx'];
    const instrumenter = createInstrumenter({ esModules, autoWrap: true, compact: true, parserPlugins: [...plugins, ...types, ...jsx] });
    try { const code = instrumenter.instrumentSync(source, file); return { code, coverage: instrumenter.lastFileCoverage() }; } catch (error) { failure = error; }
  }
  return { failure };
}

// What is done with a package once it is loaded, so that there is something to count.
const workloads = {
  'lodash.js': (_) => [_.groupBy(_.range(50), (i) => i % 3), _.cloneDeep({ a: [1, { b: 2 }] }), _.template('<%= a %>')({ a: 1 }), _.debounce(() => 1, 5).cancel(), _.merge({ a: 1 }, { b: { c: 1 } }), _.camelCase('a b'), _.isEqual([1], [1])],
  'd3.js': (d3) => [d3.scaleLinear([0, 1], [0, 9]).ticks(3), d3.line()([[0, 1], [2, 3]]), d3.csvParse('a,b\n1,2'), d3.hierarchy({ children: [{}] }).sum(() => 1).value, d3.format('.2f')(1.234), d3.geoPath()({ type: 'Point', coordinates: [1, 2] })],
  'chart.umd.js': (chart) => [chart && Object.keys(chart).length],
  'typescript.js': (ts) => [ts.transpileModule('enum A { B = 1 } const x: number = A.B ?? 2; class C<T> { #p = 1; m() { return <any>this.#p } }', { compilerOptions: { target: 1 } }).outputText],
};

function run(code, name) {
  const module = { exports: {} };
  const context = vm.createContext({ console, setTimeout, clearTimeout, module, exports: module.exports, require, process, performance, TextEncoder, URL, __filename: '/x.js', __dirname: '/' });
  vm.runInContext(`(function (module, exports) {${code}\n})`, context)(module, module.exports);
  const result = workloads[name](module.exports);
  const coverage = Object.values(vm.runInContext('__coverage__', context))[0];
  return JSON.stringify({ result, s: coverage.s, f: coverage.f, b: coverage.b });
}

let different = 0;
for (const file of files) {
  const source = fs.readFileSync(file, 'utf8'), name = path.basename(file), map = path.join(work, 'map.json');
  const theirs = istanbul(source, file);
  spawnSync(tree, [file, work, map], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ours = Object.values(JSON.parse(fs.readFileSync(map, 'utf8')))[0];
  if (!theirs.coverage || !ours) { console.log(name, 'not compared:', theirs.failure?.message ?? 'not instrumented'); different++; continue; }
  const plain = JSON.parse(JSON.stringify(theirs.coverage));
  const unequal = ['statementMap', 'fnMap', 'branchMap', 's', 'f', 'b'].filter((key) => JSON.stringify(plain[key]) !== JSON.stringify(ours[key]));
  const sizes = ['s', 'f', 'b'].map((key) => Object.keys(ours[key]).length).join('/');
  const hash = new RegExp('"?hash"?\\s*[:=]\\s*"' + ours.hash).test(theirs.code) ? 'hash equal' : 'HASH DIFFERS';
  let counts = 'not run';
  if (workloads[name]) counts = run(fs.readFileSync(path.join(work, name), 'utf8'), name) === run(theirs.code, name) ? 'counts equal' : 'COUNTS DIFFER';
  if (unequal.length || /[A-Z]{4}/.test(hash + counts)) different++;
  console.log(name, sizes, unequal.length ? 'MAPS DIFFER: ' + unequal : 'maps equal', hash, counts);
}
fs.rmSync(work, { recursive: true });
process.exit(different ? 1 : 0);
