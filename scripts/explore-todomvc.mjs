#!/usr/bin/env node
// Says which of TodoMVC's six features were exercised on each implementation.
//
//   node scripts/explore-todomvc.mjs FILE.jsonl
//
// FILE is what scripts/explore-bench wrote with --out. A feature counts when its action was carried out: an item typed
// with Enter, an item's box ticked, an item clicked and a field other than the first then typed into, an item's button clicked, a
// filter's link clicked, and Clear completed clicked.
import { readFileSync } from 'node:fs';

const file = process.argv[2];
if (!file) {
  console.error('usage: node scripts/explore-todomvc.mjs FILE.jsonl');
  process.exit(2);
}
// The page's own controls have names of the specification; an item's have none, or the item's.
const isNew = (target) => /^(textbox|searchbox) "(What needs to be done\?|Enter a new todo\.?|New Todo Input|New todo)"/.test(target);
const features = {
  add: (step) => step.kind === 'type' && isNew(step.target) && step.text.trim() && step.text.endsWith('\n'),
  toggle: (step) => ['check', 'click'].includes(step.kind) && /^checkbox/.test(step.target) && !/^checkbox "Mark all/i.test(step.target),
  edit: (step, before) => step.kind === 'type' && !isNew(step.target) &&
    before.slice(-3).some((one) => /click/.test(one.kind) && !/^(button|link|checkbox)/.test(one.target)),
  delete: (step) => step.kind === 'click' && /^button/.test(step.target) && !/Clear completed/i.test(step.target),
  filter: (step) => step.kind === 'click' && /"(All|Active|Completed)"/.test(step.target),
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
