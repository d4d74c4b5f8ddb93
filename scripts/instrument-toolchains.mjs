// Passes instrumented code through bundlers, minifiers and component compilers, runs what they make of it, and compares
// results and counts with those of the instrumented code as it is.
// usage: node scripts/instrument-toolchains.mjs NODE_MODULES INSTRUMENT_TREE   NODE_MODULES as filled by scripts/instrument-fetch.sh
import fs from 'node:fs';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';

const modules = path.resolve(process.argv[2]), tree = path.resolve(process.argv[3]);
const require = createRequire(path.join(modules, 'x.js'));
// Within the packages' folder, so that what the compilers make can import their runtimes.
const work = fs.mkdtempSync(path.join(path.dirname(modules), 'instrument-toolchains-'));
const write = (name, text) => { fs.mkdirSync(path.dirname(path.join(work, name)), { recursive: true }); fs.writeFileSync(path.join(work, name), text); };
const read = (name) => fs.readFileSync(path.join(work, name), 'utf8');

const SOURCES = {
  'main.mjs': `import { area, unused, Shape } from './shapes.mjs';
import pick, { early } from './pick.mjs';
const results = [area(2), area(2, 3), pick(0), pick(1), new Shape(4).size, new Shape().named.name, early];
for (const shape of [new Shape(1), null]) results.push(shape?.size ?? 'none');
label: while (true) { if (results.length > 8) break label; results.push('more'); }
try { unused && results.missing.field; } catch (error) { results.push(error.name); } finally { results.push('end'); }
console.log(JSON.stringify(results));
`,
  'shapes.mjs': `export function area(width, height = width) { return width && height ? width * height : 0; }
export function unused() { return 'never'; }
export class Shape {
  #edge; static made = 0; named = () => this.#edge;
  constructor(edge = 9) { this.#edge = edge; Shape.made += 1; }
  get size() { switch (this.#edge) { case 1: return 'one'; case 4: return 'four'; default: return 'many'; } }
}
const dead = false;
if (dead) { console.log('dead'); }
`,
  'pick.mjs': `import { area } from './shapes.mjs';
export const early = area(1) || 'nothing', later = () => early;
export default (index) => { const list = ['a', 'b']; if (index) return list[index]; else { return later() && list[0]; } };
`,
};
for (const [name, text] of Object.entries(SOURCES)) write(`plain/${name}`, text);
execFileSync(tree, [path.join(work, 'plain'), path.join(work, 'counted')], { stdio: ['ignore', 'ignore', 'inherit'] });

/** What a program prints, and its counts by file. */
function run(name) {
  const script = `import(${JSON.stringify(path.join(work, name))}).then(() => console.log(JSON.stringify(globalThis.__coverage__ ?? {})))`;
  const [printed, coverage] = execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }).trim().split('\n');
  const counts = Object.entries(JSON.parse(coverage)).map(([file, { s, f, b }]) => [path.basename(file), { s, f, b }]);
  return { printed, counts: JSON.stringify(counts.sort()) };
}

const esbuild = require('esbuild'), rollup = require('rollup'), terser = require('terser'), swc = require('@swc/core');
const each = async (folder, change) => { for (const name of Object.keys(SOURCES)) write(`${folder}/${name}`, await change(read(`counted/${name}`))); return `${folder}/main.mjs`; };
const bundled = async () => {
  const bundle = await rollup.rollup({ input: path.join(work, 'counted/main.mjs'), onwarn() {} });
  return (await bundle.generate({ format: 'es' })).output[0].code;
};
const terserOptions = { module: true, toplevel: true, compress: { passes: 3 }, mangle: { toplevel: true } };
const TOOLS = {
  'esbuild, each file minified': () => each('esbuild', async (code) => (await esbuild.transform(code, { minify: true, format: 'esm' })).code),
  'esbuild, bundled and minified': async () => {
    await esbuild.build({ entryPoints: [path.join(work, 'counted/main.mjs')], outfile: path.join(work, 'esbuild.mjs'), bundle: true, minify: true, format: 'esm', logLevel: 'error' });
    return 'esbuild.mjs';
  },
  'terser, each file': () => each('terser', async (code) => (await terser.minify(code, terserOptions)).code),
  'swc, each file minified': () => each('swc', async (code) => (await swc.minify(code, { module: true, compress: true, mangle: true })).code),
  'swc, compiled to ES2015': () => each('swc5', async (code) => (await swc.transform(code, { jsc: { target: 'es2015', parser: { syntax: 'ecmascript' } }, module: { type: 'es6' }, isModule: true })).code),
  'rollup': async () => { write('rollup.mjs', await bundled()); return 'rollup.mjs'; },
  'rollup and terser': async () => { write('terser.mjs', (await terser.minify(await bundled(), terserOptions)).code); return 'terser.mjs'; },
  'rollup and swc minify': async () => { write('swc.mjs', (await swc.minify(await bundled(), { module: true, compress: { passes: 3 }, mangle: { toplevel: true } })).code); return 'swc.mjs'; },
};

let faults = 0;
const say = (name, fault) => { if (fault) faults++; console.log(name.padEnd(32), fault || 'as it was'); };
const plain = run('plain/main.mjs'), counted = run('counted/main.mjs');
say('instrumented', counted.printed !== plain.printed ? `PRINTS ${counted.printed}` : counted.counts === '[]' ? 'NO COUNTS' : '');
for (const [name, tool] of Object.entries(TOOLS)) {
  const got = run(await tool());
  say(name, got.printed !== plain.printed ? `PRINTS ${got.printed}` : got.counts !== counted.counts ? `COUNTS ${got.counts}` : '');
}

// Components: their compilers look at initialisers, and move some of them.
const VUE = `<script setup lang="ts">
import { ref, computed } from 'vue';
const props = withDefaults(defineProps<{ label?: string; list?: string[] }>(), { label: 'none', list: () => ['a'] });
const emit = defineEmits<{ (name: 'done'): void }>();
defineOptions({ inheritAttrs: false });
const count = ref(props.label === 'none' ? 1 : 2);
const double = computed(() => count.value * 2);
function go() { emit('done'); }
</script>
<template><button @click="go">{{ props.label }} {{ double }} {{ props.list.length }}</button></template>
`;
const SVELTE = `<script module>
  export const prerender = true;
</script>
<script>
  let { label = 'none', value = $bindable(1) } = $props();
  let count = $state(value), double = $derived(count * 2);
  class Box { inner = $state(label || 'x'); empty = $state() }
  const box = new Box();
  $effect(() => { count; });
  function go() { count += 1; }
</script>
<button onclick={go}>{box.inner} {double}</button>
`;
const ASTRO = `---
export const prerender = true;
interface Props { label?: string }
const { label = 'none' } = Astro.props;
const list = label ? ['a'] : [];
---
<p>{label} {list.length}</p>
`;
for (const [name, text] of Object.entries({ 'C.vue': VUE, 'C.svelte': SVELTE, 'C.astro': ASTRO })) write(`components/${name}`, text);
execFileSync(tree, [path.join(work, 'components'), path.join(work, 'compiled')], { stdio: ['ignore', 'ignore', 'inherit'] });

/** Renders a compiled component on the server and gives its HTML and how many statements ran of how many. */
function render(code) {
  write('compiled/run.mjs', code);
  const [html, share] = execFileSync(process.execPath, [path.join(work, 'compiled/run.mjs')], { encoding: 'utf8' }).trim().split('\n');
  return `${html} ${share}`;
}
const SHARE = `for (const { s } of Object.values(globalThis.__coverage__)) console.log(Object.values(s).filter((n) => n > 0).length + ' of ' + Object.keys(s).length);`;

const vue = require('vue/compiler-sfc');
const { descriptor, errors } = vue.parse(read('compiled/C.vue'), { filename: 'C.vue' });
if (errors.length) throw errors[0];
const script = vue.compileScript(descriptor, { id: 'c', inlineTemplate: true, templateOptions: { ssr: true, ssrCssVars: [] } });
write('compiled/C.vue.mjs', (await esbuild.transform(script.content, { loader: 'ts' })).code);
// Of eight statements only that of `go` does not run.
const vueGot = render(`import { createSSRApp } from 'vue'; import { renderToString } from '@vue/server-renderer'; import C from './C.vue.mjs';
console.log(await renderToString(createSSRApp(C))); ${SHARE}`);
say('vue', vueGot === '<button>none 2 1</button> 7 of 8' ? '' : `GIVES ${vueGot}`);

const svelte = require('svelte/compiler');
for (const generate of ['client', 'server']) write(`compiled/C.${generate}.mjs`, svelte.compile(read('compiled/C.svelte'), { generate, runes: true, filename: 'C.svelte' }).js.code);
const svelteGot = render(`import { render } from 'svelte/server'; import C from './C.server.mjs';
console.log((await render(C, { props: {} })).body.replace(/<!--.*?-->/g, '')); ${SHARE}`);
say('svelte', svelteGot === '<button>none 2</button> 8 of 10' ? '' : `GIVES ${svelteGot}`);

const astro = await import(require.resolve('@astrojs/compiler'));
const compiled = await astro.transform(read('compiled/C.astro'), { filename: 'C.astro' });
const faulty = compiled.diagnostics.filter(({ severity }) => severity === 1);
say('astro', faulty.length ? `SAYS ${faulty[0].text}` : /export const prerender = true/.test(compiled.code) && /\+\+cov_\w+\[/.test(compiled.code) ? '' : 'LOST its counters');

fs.rmSync(work, { recursive: true });
process.exit(faults ? 1 : 0);
