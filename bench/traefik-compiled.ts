/**
 * Measures the cost of the guard that `guardcli build` compiles into Traefik, for clean traffic: paths, queries with and
 * without escapes, and small bodies. Also measures memory after that load, and the time to start.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compiledTraefik } from '../cli/build/cached.ts';
import { packageRoot } from '../platform/assets.ts';
import { buildArtefact } from '../sandbox-images/build.ts';
import { megabytes, residentBytes } from './measure.ts';
import { stop } from './process.ts';
import { type Row, rowsIn } from './row.ts';
import { type Running, sideBySide } from './side-by-side.ts';
import { disabledGuard, disabledRow, ping, pluginModule, proxied, startTraefik } from './traefik.ts';

interface Load {
  readonly kind: string;
  readonly path: string;
  readonly floor: number;
  /** Media type and text of a body. Absent: a GET request. */
  readonly body?: readonly [type: string, text: string];
}

/** Honest values, as an order or a comment has them: 32 characters. */
const value = (index: number): string => `value ${index} of an honest request.`.padEnd(32, 'x');
const values = (count: number): string[] => Array.from({ length: count }, (_, index) => value(index));

const json = JSON.stringify({ items: values(26) });
const form = values(14)
  .map((text, index) => `field${index}=${text.replaceAll(' ', '+')}`)
  .join('&');

const loads: readonly Load[] = [
  { kind: 'path', path: '/products/42', floor: 0.98 },
  { kind: 'query', path: '/search?q=hello&page=2&utm_source=news', floor: 0.97 },
  { kind: 'query with escapes', path: '/search?q=hello%20world&next=%2Faccount', floor: 0.97 },
  { kind: `${json.length} bytes of JSON`, path: '/orders', floor: 0.95, body: ['application/json', json] },
  {
    kind: `${form.length} bytes of a form`,
    path: '/comments',
    floor: 0.92,
    body: ['application/x-www-form-urlencoded', form],
  },
];

/** Writes the script of wrk for a load with a body. */
function scriptOf({ body }: Load, file: string): { readonly script?: string } {
  if (!body) return {};
  const [type, text] = body;
  const lines = ['wrk.method = "POST"', `wrk.headers["Content-Type"] = "${type}"`, `wrk.body = [==[${text}]==]`];
  writeFileSync(file, lines.join('\n'));
  return { script: file };
}

/** Memory that the guard may add: the tables of the rules, which Caddy has, too, and the interpreter of the plugin. */
const addedMegabytes = 40;

function memoryRow(bare: Running, guarded: Running): Row {
  const [without, withGuard] = [residentBytes(bare.pid), residentBytes(guarded.pid)];
  return {
    name: 'compiled Traefik, resident memory after the load',
    measured: megabytes(withGuard),
    against: `bare ${megabytes(without)}`,
    budget: `<= ${addedMegabytes} MB more`,
    holds: withGuard - without <= addedMegabytes * 1024 * 1024,
  };
}

export async function* benchCompiledTraefik(): AsyncGenerator<Row> {
  const [bareBinary, compiledBinary] = [await buildArtefact('traefik', {}), await compiledTraefik()];
  const folder = mkdtempSync(join(tmpdir(), 'guard-bench-'));
  const plugin = join(folder, 'plugins-local', 'src', pluginModule);
  mkdirSync(plugin, { recursive: true });
  cpSync(join(packageRoot, 'module/.traefik.yml'), join(plugin, '.traefik.yml'));
  const proxies: Running[] = [];
  try {
    const add = async (...options: Parameters<typeof startTraefik>) => {
      const proxy = await startTraefik(...options);
      proxies.push(proxy);
      return proxy;
    };
    const backend = await add(bareBinary, folder, 'backend', ping);
    const bare = await add(bareBinary, folder, 'bare', proxied(backend.url));
    const policy = { methods: ['*'], checkQuery: true, checkBody: true };
    const guarded = await add(compiledBinary, folder, 'guarded', proxied(backend.url), policy);
    const disabled = await add(compiledBinary, folder, 'disabled', proxied(backend.url), disabledGuard);
    yield* rowsIn('compiled Traefik', () => disabledRow('compiled Traefik', bare, disabled));
    for (const [index, load] of loads.entries()) {
      const script = scriptOf(load, join(folder, `${index}.lua`));
      const of = (proxy: Running): Running => ({ ...proxy, url: proxy.url + load.path, ...script });
      const label = `compiled Traefik, ${load.kind}`;
      yield* rowsIn(label, () => sideBySide(label, load.floor, of(bare), of(guarded)));
    }
    yield memoryRow(bare, guarded);
  } finally {
    for (const { child } of proxies) await stop(child);
    rmSync(folder, { recursive: true, force: true });
  }
}
