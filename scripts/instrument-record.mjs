// Records what istanbul-lib-instrument says of the fixtures, for tests that compare with it.
// usage: node scripts/instrument-record.mjs NODE_MODULES   (a folder with istanbul-lib-instrument@6.0.3 installed)
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { createRequire } from 'node:module';

const require = createRequire(path.join(path.resolve(process.argv[2]), 'x.js'));
const { createInstrumenter } = require('istanbul-lib-instrument');
const folder = new URL('../fixtures/instrument/istanbul/', import.meta.url).pathname;
const plugins = ['classProperties', 'classPrivateProperties', 'classPrivateMethods', 'topLevelAwait', 'importMeta'];

for (const name of fs.readdirSync(folder).filter((name) => /\.(m?js|tsx?)$/.test(name))) {
  const source = fs.readFileSync(path.join(folder, name), 'utf8');
  const types = /tsx?$/.test(name) ? ['typescript'] : [];
  const jsx = /tsx$/.test(name) ? ['jsx'] : [];
  const module = !name.endsWith('.js');
  for (const reportLogic of [false, true]) {
    const instrumenter = createInstrumenter({ esModules: module, compact: true, reportLogic, parserPlugins: [...plugins, ...types, ...jsx] });
    const code = instrumenter.instrumentSync(source, name);
    // The hash stands in the code only.
    const hash = /hash\s*=\s*"([0-9a-f]{40})"/.exec(code)[1];
    const record = { coverage: instrumenter.lastFileCoverage(), hash };
    if (name.endsWith('.js')) {
      const context = vm.createContext({});
      vm.runInContext(code, context);
      record.result = context.result;
      const { s, f, b, bT } = context.__coverage__[name];
      record.counts = { s, f, b, bT };
    }
    const target = name + (reportLogic ? '.logic.json' : '.json');
    fs.writeFileSync(path.join(folder, target), JSON.stringify(record) + '\n');
  }
}
