#!/usr/bin/env node
// Puts what scripts/explore-bench wrote into tables.
//
//   node scripts/explore-table.mjs FILE.jsonl                      the distribution, and the worst applications
//   node scripts/explore-table.mjs FILE.jsonl OTHER.jsonl …        beside it, the paired difference to each other file
//
// Where a file holds an application several times (other seeds), its median counts.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

const { values: options, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { worst: { type: 'string', default: '20' } },
});
if (files.length === 0) {
  console.error('usage: node scripts/explore-table.mjs FILE.jsonl [OTHER.jsonl …] [--worst N]');
  process.exit(2);
}

const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
const figure = (value) => value.toFixed(3).replace(/^0/, '');

/** Application → its runs, from one file. */
function read(file) {
  const runs = new Map();
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const run = JSON.parse(line);
    if (!runs.has(run.app)) runs.set(run.app, []);
    runs.get(run.app).push(run);
  }
  return new Map([...runs].map(([app, list]) => [app, {
    functions: median(list.map((run) => run.functions)),
    statements: median(list.map((run) => run.statements)),
    loaded: median(list.map((run) => run.loaded)),
    seconds: median(list.map((run) => run.seconds)),
    never: list[0].never,
    runs: list.length,
  }]));
}

/** SplitMix32, so that the intervals are the same every time. */
function chance(seed) {
  return () => {
    seed = (seed + 0x9e3779b9) | 0;
    let t = seed ^ (seed >>> 16);
    t = Math.imul(t, 0x21f0aaad);
    t ^= t >>> 15;
    t = Math.imul(t, 0x735a2d97);
    return ((t ^= t >>> 15) >>> 0) / 4294967296;
  };
}

/** 95 % percentile interval of a statistic of paired values. */
function interval(values, statistic) {
  const next = chance(1);
  const draws = Array.from({ length: 10_000 }, () =>
    statistic(values.map(() => values[Math.floor(next() * values.length)]))).sort((a, b) => a - b);
  return [draws[250], draws[9749]];
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const base = read(files[0]);
const shares = [...base.values()].map((one) => one.functions);
const quantile = (q) => [...shares].sort((a, b) => a - b)[Math.min(shares.length - 1, Math.floor(q * shares.length))];
const short = shares.filter((share) => share < 0.9).length;

console.log(`${basename(files[0])}: ${base.size} applications`);
console.log(`functions: median ${figure(median(shares))}, quartiles ${figure(quantile(0.25))} and ${figure(quantile(0.75))}, ` +
  `least ${figure(Math.min(...shares))}; ${short} (${((100 * short) / shares.length).toFixed(0)} %) below .90`);
console.log(`loading alone: median ${figure(median([...base.values()].map((one) => one.loaded)))}; ` +
  `statements: median ${figure(median([...base.values()].map((one) => one.statements)))}; ` +
  `median ${median([...base.values()].map((one) => one.seconds)).toFixed(1)} s`);

for (const file of files.slice(1)) {
  const other = read(file);
  const pairs = [...base].filter(([app]) => other.has(app)).map(([app, one]) => [app, one, other.get(app)]);
  if (pairs.length === 0) continue;
  console.log(`\nagainst ${basename(file)}, ${pairs.length} applications:`);
  for (const measure of ['functions', 'statements']) {
    const difference = pairs.map(([, one, two]) => one[measure] - two[measure]);
    const [low, high] = interval(difference, mean);
    // Less than half a unit of a rounded figure apart is the same.
    const lower = pairs.filter(([, one, two]) => one[measure] < two[measure] - 1e-9);
    const open = pairs.filter(([, , two]) => two[measure] < 0.95);
    const higher = open.filter(([, one, two]) => one[measure] > two[measure] + 1e-9).length;
    console.log(`  ${measure}: median ${figure(median(pairs.map(([, one]) => one[measure])))} against ${figure(median(pairs.map(([, , two]) => two[measure])))}; ` +
      `mean difference ${mean(difference).toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]; ` +
      `not lower on ${pairs.length - lower.length} (${((100 * (pairs.length - lower.length)) / pairs.length).toFixed(0)} %); ` +
      `higher on ${higher} of the ${open.length} where the other stays under .95`);
    for (const [app, one, two] of lower) console.log(`    lower on ${app}: ${figure(one[measure])} against ${figure(two[measure])}`);
  }
}

console.log(`\n| application | loading | functions | statements | never called |\n| --- | --- | --- | --- | --- |`);
const worst = [...base].sort((a, b) => a[1].functions - b[1].functions).slice(0, Number(options.worst));
for (const [app, one] of worst.filter(([, one]) => one.functions < 1)) {
  const never = one.never.slice(0, 8).join(', ') + (one.never.length > 8 ? `, ${one.never.length - 8} more` : '');
  console.log(`| ${app} | ${figure(one.loaded)} | ${figure(one.functions)} | ${figure(one.statements)} | ${never} |`);
}
