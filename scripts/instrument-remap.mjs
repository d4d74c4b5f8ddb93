// Records what istanbul-lib-source-maps makes of a bundle's coverage, for the test that compares with it.
// usage: node scripts/instrument-remap.mjs NODE_MODULES  (with istanbul-lib-instrument@6.0.3, istanbul-lib-source-maps@5, esbuild@0.25)
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';

const require = createRequire(path.join(path.resolve(process.argv[2]), 'x.js'));
const { createInstrumenter } = require('istanbul-lib-instrument');
const { createSourceMapStore } = require('istanbul-lib-source-maps');
const { createCoverageMap } = require('istanbul-lib-coverage');
const esbuild = require('esbuild');

const fixtures = new URL('../fixtures/instrument/', import.meta.url).pathname;
const build = esbuild.buildSync({
  stdin: { contents: "import './classes.js'; import './branches.js'; import './view.tsx'", resolveDir: fixtures + 'istanbul', sourcefile: 'entry.js' },
  bundle: true, sourcemap: 'external', write: false, outfile: '/app/dist/bundle.js', external: ['react'], format: 'esm', jsx: 'transform', minify: true,
});
const map = JSON.parse(build.outputFiles.find((file) => file.path.endsWith('.map')).text);
map.sources = map.sources.map((source) => '../src/' + path.basename(source));
delete map.sourcesContent;
const instrumenter = createInstrumenter({ esModules: true });
instrumenter.instrumentSync(build.outputFiles.find((file) => file.path.endsWith('.js')).text, '/app/dist/bundle.js');
const coverage = instrumenter.lastFileCoverage();
// Counts that tell the counters apart.
Object.keys(coverage.s).forEach((id) => { coverage.s[id] = Number(id) + 1; });
Object.keys(coverage.f).forEach((id) => { coverage.f[id] = Number(id) * 2 + 1; });
Object.keys(coverage.b).forEach((id) => { coverage.b[id] = coverage.b[id].map((_, arm) => Number(id) + arm); });
fs.writeFileSync(fixtures + 'remap/before.json', JSON.stringify(coverage) + '\n');
fs.writeFileSync(fixtures + 'remap/bundle.js.map', JSON.stringify(map) + '\n');
const store = createSourceMapStore({});
store.registerMap('/app/dist/bundle.js', map);
const after = await store.transformCoverage(createCoverageMap({ '/app/dist/bundle.js': coverage }));
fs.writeFileSync(fixtures + 'remap/after.json', JSON.stringify(after) + '\n');
