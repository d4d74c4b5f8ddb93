#!/usr/bin/env node
// Runs `webeval run` on many apps and says how many complete, how long they take, and whether instrumentation makes a
// page log an error that it does not log as it is.
//
//   node scripts/corpus.mjs --out DIR [--webeval BIN] [--steps N] [--jobs N] [--timeout SECONDS] [--errors] APP…
//
// APP is an .html file or a folder. With --errors each app is also loaded plain (served by this script, as a black box)
// and the errors of both loads are compared. Writes DIR/results.json and one run directory an app.
import { spawn } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, dirname, extname, join, normalize, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values: options, positionals: apps } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    webeval: { type: 'string', default: 'target/release/webeval' },
    steps: { type: 'string', default: '100' },
    jobs: { type: 'string', default: '2' },
    timeout: { type: 'string', default: '600' },
    errors: { type: 'boolean', default: false },
  },
});
if (!options.out || apps.length === 0) {
  console.error('usage: node scripts/corpus.mjs --out DIR [--errors] APP…');
  process.exit(2);
}
mkdirSync(options.out, { recursive: true });

const TYPES = {
  '.html': 'text/html', '.htm': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css',
  '.json': 'application/json', '.svg': 'image/svg+xml', '.png': 'image/png', '.jpg': 'image/jpeg', '.gif': 'image/gif',
  '.wasm': 'application/wasm', '.ico': 'image/x-icon', '.woff2': 'font/woff2', '.mp3': 'audio/mpeg',
};

/** Serves a folder as it is. */
function servePlain(root) {
  const server = createServer((request, response) => {
    let path = join(root, normalize(decodeURIComponent(request.url.split('?')[0])));
    if (existsSync(path) && statSync(path).isDirectory()) path = join(path, 'index.html');
    if (!existsSync(path)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream', 'cache-control': 'no-store' });
    createReadStream(path).pipe(response);
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

/** Runs the command to its end, or kills it after the time-out. */
function webeval(args) {
  return new Promise((done) => {
    const child = spawn(options.webeval, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let stdout = '', stderr = '', timedOut = false;
    child.stdout.on('data', (text) => { stdout += text; });
    child.stderr.on('data', (text) => { stderr += text; });
    const timer = setTimeout(() => { timedOut = true; process.kill(-child.pid, 'SIGKILL'); }, Number(options.timeout) * 1000);
    child.on('close', (code) => { clearTimeout(timer); done({ code, stdout, stderr, timedOut }); });
  });
}

function steps(run) {
  const lines = readFileSync(join(run, 'trace.jsonl'), 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
  return lines.filter((line) => line.type === 'step');
}

/** The errors of the first load, without what differs from run to run. */
function loadErrors(run) {
  const first = steps(run)[0];
  const plain = (text) => text.replace(/127\.0\.0\.1:\d+|localhost:\d+|app:/g, 'APP').replace(/:\d+:\d+/g, '').replace(/ \d+:\d+ /g, ' ');
  return [
    ...(first.errors ?? []).map((error) => plain(error.message)),
    ...(first.console ?? []).filter((message) => message.level === 'error').map((message) => plain(message.text)),
  ];
}

async function evaluate(app) {
  const name = basename(dirname(resolve(app))) + '+' + basename(app);
  const out = join(options.out, name);
  rmSync(out, { recursive: true, force: true });
  const started = Date.now();
  const { code, stdout, stderr, timedOut } = await webeval(['run', app, '--out', out, '--steps', options.steps, '--json']);
  const result = { app, code, timedOut, seconds: (Date.now() - started) / 1000, report: existsSync(join(out, 'report.html')) };
  try { result.summary = JSON.parse(stdout); } catch { result.stderr = stderr.trim().slice(-500); }
  if (options.errors && result.report) {
    const folder = statSync(app).isDirectory();
    const server = await servePlain(resolve(folder ? app : dirname(app)));
    const plain = `${out}.plain`;
    rmSync(plain, { recursive: true, force: true });
    const entry = folder ? '' : encodeURIComponent(basename(app));
    await webeval(['run', `http://127.0.0.1:${server.address().port}/${entry}`, '--out', plain, '--steps', '1', '--json']);
    server.close();
    server.closeAllConnections();
    if (!existsSync(join(plain, 'trace.jsonl'))) return { ...result, newErrors: ['the plain page could not be loaded'] };
    const before = loadErrors(plain);
    result.newErrors = loadErrors(out).filter((error) => {
      const at = before.indexOf(error);
      if (at >= 0) before.splice(at, 1);
      return at < 0;
    });
    rmSync(plain, { recursive: true, force: true });
  }
  return result;
}

const results = [];
let next = 0;
async function worker() {
  while (next < apps.length) {
    const result = await evaluate(apps[next++]);
    results.push(result);
    const coverage = result.summary?.coverage;
    const functions = coverage ? `${coverage.functions.covered}/${coverage.functions.total} functions` : 'no coverage';
    const verdict = result.code === 0 && result.report ? 'ok  ' : result.timedOut ? 'HUNG' : 'FAIL';
    console.log(`${verdict} ${result.seconds.toFixed(1).padStart(6)} s  ${functions.padEnd(20)} ${result.app} ${result.stderr ?? ''}${result.newErrors?.length ? ' NEW ERRORS ' + JSON.stringify(result.newErrors) : ''}`);
    writeFileSync(join(options.out, 'results.json'), JSON.stringify(results, null, 1));
  }
}
await Promise.all(Array.from({ length: Number(options.jobs) }, worker));

const complete = results.filter((result) => result.code === 0 && result.report).length;
console.log(`${complete}/${results.length} completed with a report, ${results.filter((r) => r.timedOut).length} hung`);
if (options.errors) console.log(`${results.filter((r) => r.newErrors?.length).length} pages log errors that they do not log uninstrumented`);
const share = results.map((r) => r.summary?.coverage?.functions).filter((f) => f?.total > 0).map((f) => f.covered / f.total).sort((a, b) => a - b);
if (share.length > 0) console.log(`function coverage: median ${share[share.length >> 1].toFixed(3)} of ${share.length} apps, ${share.filter((s) => s < 0.9).length} below .90`);
