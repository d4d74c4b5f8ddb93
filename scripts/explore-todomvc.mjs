#!/usr/bin/env node
// Says which of TodoMVC's six features were exercised on each implementation.
//
//   node scripts/explore-todomvc.mjs FILE.jsonl
//
// FILE is what scripts/explore-bench wrote with --out. A feature counts when its action was carried out: an item typed
// with Enter, a box in a list item ticked, an item's label clicked twice and its field then typed into, an item's button
// clicked, a filter's link clicked, and Clear completed clicked.
import { readFileSync } from 'node:fs';

const file = process.argv[2];
if (!file) {
  console.error('usage: node scripts/explore-todomvc.mjs FILE.jsonl');
  process.exit(2);
}
const inItem = /\bli(:nth-of-type\(\d+\))?( >|$| )|#todo-?list >|todo-item/;
const features = {
  add: (step) => step.kind === 'type' && step.text.endsWith('\n') && /textbox/.test(step.target) && !inItem.test(step.target),
  toggle: (step) => ['check', 'click'].includes(step.kind) && /^checkbox/.test(step.target) && inItem.test(step.target),
  edit: (step, before) => step.kind === 'type' && inItem.test(step.target) &&
    before.some((one) => one.kind === 'double_click' && inItem.test(one.target)),
  delete: (step) => step.kind === 'click' && /^button/.test(step.target) && inItem.test(step.target),
  filter: (step) => step.kind === 'click' && /^(link|generic) "(Active|Completed)"/.test(step.target),
  clear: (step) => step.kind === 'click' && /Clear completed/i.test(step.target),
};
let whole = 0, all = 0;
for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
  const run = JSON.parse(line);
  const steps = run.steps.map((text) => {
    const [, action, target, outcome] = text.match(/^\d+ (\{.*?\}) (.*?) (Outcome \{.*)$/) ?? [];
    return action && /status: Performed/.test(outcome) ? { text: '', ...JSON.parse(action), target } : null;
  }).filter(Boolean);
  const missing = Object.keys(features).filter((name) => !steps.some((step, at) => features[name](step, steps.slice(0, at))));
  all++;
  if (missing.length === 0) whole++;
  else console.log(`${run.app}: no ${missing.join(', ')}`);
}
console.log(`all six features exercised on ${whole} of ${all}`);
process.exit(whole === all ? 0 : 1);
