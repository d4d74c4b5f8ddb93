// The app's own configuration of Vite, and a plugin after all others that has each of the app's modules given counters.
import { connect } from 'node:net';
import path from 'node:path';
import { loadConfigFromFile, mergeConfig } from 'vite';

const app = '@APP@';
const socket = '@SOCKET@';

const ask = (request) =>
  new Promise((done) => {
    const line = connect(socket);
    let answer = '';
    line.setEncoding('utf8');
    line.on('data', (text) => (answer += text));
    line.on('end', () => done(answer));
    line.on('error', () => done(''));
    line.end(JSON.stringify(request));
  });

const counters = {
  name: 'webeval-counters',
  enforce: 'post',
  apply: 'build',
  async transform(code, id, options) {
    const [file, query = ''] = id.split('?');
    const own = path.isAbsolute(file) && file.startsWith(`${app}/`) && !file.includes('/node_modules/');
    const script = /\.([cm]?[jt]sx?|vue|svelte|astro)$/.test(file) && !/type=style|\b(raw|url|worker|sharedworker|inline)\b/.test(query);
    // What runs on a server is no page's.
    if (options?.ssr || !own || !script) return null;
    const map = this.getCombinedSourcemap();
    const folder = path.dirname(file);
    const sources = map.sources.map((source) => path.relative(folder, path.resolve(folder, source ?? '')));
    const told = { version: 3, names: map.names, sources, mappings: map.mappings };
    const counted = await ask({ id: id.slice(app.length + 1), code, map: JSON.stringify(told) });
    return counted ? { code: counted, map: null } : null;
  },
};

export default async (env) => {
  const loaded = await loadConfigFromFile(env, undefined, process.cwd());
  return mergeConfig(loaded?.config ?? {}, { plugins: [counters] });
};
