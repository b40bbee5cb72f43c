/**
 * Measures the cost of the interpreted guard in Traefik for clean traffic: a path that the prefilter passes, a path
 * that was evaluated in advance, a path that is evaluated for each request, a query, and many headers.
 */
import { cpSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildArtefact } from '../../artefacts/build.ts';
import { pluginModule } from '../../cli/generate/traefik.ts';
import type { PolicyFile } from '../../contract/policy/schema.ts';
import { packageRoot } from '../../platform/assets.ts';
import { freePort } from '../../platform/free-ports.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { type Row, rowsIn } from '../measure/row.ts';
import { headersRow } from './headers.ts';
import { type Running, sideBySide, start } from './side-by-side.ts';

const paths = [
  { kind: 'clear path', path: '/assets/style.css', floor: 0.82 },
  { kind: 'usual path', path: '/robots.txt', floor: 0.82 },
  { kind: 'evaluated path', path: '/docs/config.json', floor: 0.75 },
  { kind: 'query', path: '/assets/style.css?v=3f2a', floor: 0.82 },
] as const;

const omittedFolders = /\/module\/(?:caddy|cmd|internal|lua)(?:\/|$)/;

export const routeToPing = { router: 'ping@internal', services: {} };
export const routeToBackend = (url: string) => ({
  router: 'backend',
  services: { backend: { loadBalancer: { servers: [{ url }] } } },
});

interface To {
  readonly router: string;
  readonly services: object;
}

/** Returns the dynamic configuration: a router for each rule, all to one service. */
export function routes(to: To, policy?: PolicyFile, rules: readonly string[] = ['PathPrefix(`/`)']): object {
  const middlewares = policy ? ['guard'] : [];
  const routers = rules.map((rule, index) => [`router-${index}`, { rule, service: to.router, middlewares }]);
  const guard = { plugin: { guard: { enabled: true, ...policy } } };
  const services = Object.keys(to.services).length > 0 ? { services: to.services } : {};
  return { http: { routers: Object.fromEntries(routers), ...(policy && { middlewares: { guard } }), ...services } };
}

/** Replaces the dynamic configuration atomically. */
export function configure(folder: string, name: string, dynamic: object): void {
  writeFileSync(join(folder, `${name}.next`), JSON.stringify(dynamic));
  renameSync(join(folder, `${name}.next`), join(folder, `${name}.yml`));
}

/** Starts Traefik. The plugin is loaded only for a policy. */
export async function startTraefik(
  binary: string,
  folder: string,
  name: string,
  to: To,
  policy?: PolicyFile,
): Promise<Running> {
  const port = await freePort();
  configure(folder, name, routes(to, policy));
  const file = join(folder, name);
  const fixed = {
    global: { checkNewVersion: false, sendAnonymousUsage: false },
    log: { level: 'ERROR' },
    entryPoints: { web: { address: `127.0.0.1:${port}` } },
    ping: { manualRouting: true },
    providers: { providersThrottleDuration: '50ms', file: { filename: `${file}.yml`, watch: true } },
    ...(policy && { experimental: { localPlugins: { guard: { moduleName: pluginModule } } } }),
  };
  writeFileSync(`${file}.static.yml`, JSON.stringify(fixed));
  const started = await start([binary, `--configFile=${file}.static.yml`], port, '', { cwd: folder });
  await waitUntilServing(started);
  return started;
}

/** Waits until routes exist, because Traefik listens before it has loaded them. */
async function waitUntilServing({ url }: Running): Promise<void> {
  while (!(await fetch(`${url}/`)).ok);
}

export function addPlugin(folder: string): void {
  const sources = join(folder, 'plugins-local', 'src', pluginModule);
  mkdirSync(sources, { recursive: true });
  cpSync(join(packageRoot, 'module'), sources, { recursive: true, filter: (source) => !omittedFolders.test(source) });
}

/** Starts a Traefik with a guard. Traefik responds to every allowed request itself, without a backend. */
export async function startGuardedTraefik(folder: string, policy: PolicyFile): Promise<Running> {
  addPlugin(folder);
  return startTraefik(await buildArtefact('traefik', {}), folder, 'traefik', routeToPing, policy);
}

export async function* benchTraefik(): AsyncGenerator<Row> {
  const binary = await buildArtefact('traefik', {});
  const folder = scratchFolder('guard-bench-');
  addPlugin(folder);
  await using backend = await startTraefik(binary, folder, 'backend', routeToPing);
  const to = routeToBackend(backend.url);
  await using bare = await startTraefik(binary, folder, 'bare', to);
  await using guarded = await startTraefik(binary, folder, 'guarded', to, {});
  await using inspecting = await startTraefik(binary, folder, 'inspecting', to, {
    methods: ['*'],
    checkBody: true,
    checkHeaders: ['X-Original-URL', 'X-Rewrite-URL'],
  });
  yield await headersRow('Traefik', bare, inspecting);
  for (const { kind, path, floor } of paths) {
    const of = (proxy: Running): Running => ({ ...proxy, url: proxy.url + path });
    const label = `Traefik, ${kind}`;
    yield* rowsIn(label, () => sideBySide(label, floor, of(bare), of(guarded)));
  }
}
