#!/usr/bin/env node
// Checks the number of functions that scripts/explore-bench divides by, against Istanbul's own.
//
//   node scripts/explore-denominator.mjs NODE_MODULES FILE.jsonl …
//
// NODE_MODULES holds istanbul-lib-instrument. Every script that was counted is read anew, inline scripts by a pattern of
// this script's own, and Istanbul's fnMap is counted.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [modules, ...files] = process.argv.slice(2);
if (!modules || files.length === 0) {
  console.error('usage: node scripts/explore-denominator.mjs NODE_MODULES FILE.jsonl …');
  process.exit(2);
}
const { createInstrumenter } = createRequire(join(resolve(modules), 'x.js'))('istanbul-lib-instrument');

function functions(source, name) {
  for (const esModules of [false, true]) {
    const instrumenter = createInstrumenter({ esModules, parserPlugins: ['topLevelAwait', 'importMeta'] });
    try {
      instrumenter.instrumentSync(source, name);
      return Object.keys(instrumenter.lastFileCoverage().fnMap).length;
    } catch { /* the other kind, perhaps */ }
  }
  return 0;
}

/** Inline scripts that are JavaScript, by their text. */
function inline(page) {
  const found = page.replace(/<!--[^]*?-->/g, '').matchAll(/<script\b([^>]*)>([^]*?)<\/script/gi);
  const counts = (attributes) => !/\bsrc\s*=/i.test(attributes) &&
    /^$|^(module|text\/javascript|application\/javascript)$/i.test(attributes.match(/\btype\s*=\s*["']?([^"'\s>]*)/i)?.[1] ?? '');
  return [...found].filter(([, attributes]) => counts(attributes)).map(([, , text]) => text);
}

let checked = 0, same = 0;
for (const line of files.flatMap((file) => readFileSync(file, 'utf8').split('\n').filter(Boolean))) {
  const run = JSON.parse(line);
  for (const [path, ours] of Object.entries(run.files ?? {})) {
    const text = readFileSync(path, 'utf8');
    const theirs = path.endsWith('.html')
      ? inline(text).reduce((sum, source) => sum + functions(source, path), 0)
      : functions(text, path);
    checked++;
    if (theirs === ours) same++;
    else console.log(`${path}: ${ours}, by Istanbul ${theirs}`);
  }
}
console.log(`${same} of ${checked} files have Istanbul's number of functions`);
process.exit(same === checked ? 0 : 1);
