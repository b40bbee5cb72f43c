/** Runs the three proxies with the same policies, which the header X-Policy selects. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { buildArtefact } from '../../../artefacts/build.ts';
import { generateCaddy } from '../../../cli/generate/caddy.ts';
import { loadPolicy } from '../../../contract/load/policy.ts';
import type { PolicyFile } from '../../../contract/policy/schema.ts';
import { scratchFolder } from '../../../platform/scratch-folder.ts';
import { childrenOf, collectOutput, endChild, hasEnded } from '../../../platform/testing/child.ts';
import { startGuarded } from '../../nginx/lua/guarded.ts';
import { withoutNginx } from '../../nginx/process.ts';
import { freePort } from '../../support/guardcli.ts';
import { startTraefik, variants } from '../../traefik/process.ts';

export type Policies = Readonly<Record<string, PolicyFile>>;

export interface RunningProxy {
  readonly port: number;
  /** Port for HTTP/2 without TLS. */
  readonly http2Port: number;
  readonly output: () => string;
  /** Ids of the processes that must stay alive. */
  readonly pids: () => readonly number[];
  /** Returns undefined when the proxy has no goroutines. */
  readonly goroutines: () => Promise<number | undefined>;
}

export interface ProxyRow {
  /** The reason why the proxy cannot run here. */
  readonly without?: string | false;
  readonly start: (t: TestContext, policies: Policies, backend: string) => Promise<RunningProxy>;
}

/**
 * Counts goroutines by the profile, which begins `goroutine profile: total 31`. Caddy's admin API requires an Origin
 * header because `fetch` sends Sec-Fetch-Mode.
 */
async function countGoroutines(port: number): Promise<number> {
  const origin = `http://127.0.0.1:${port}`;
  const profile = await fetch(`${origin}/debug/pprof/goroutine?debug=1`, { headers: { Origin: origin } });
  const count = /total (\d+)/.exec(await profile.text())?.[1];
  if (count === undefined) throw new Error(`no profile: status ${profile.status}`);
  return Number(count);
}

const ownPid = (child: ChildProcess): readonly number[] =>
  child.pid === undefined || hasEnded(child) ? [] : [child.pid];

async function traefik(
  variant: keyof typeof variants,
  ...[t, policies, backend]: Parameters<ProxyRow['start']>
): Promise<RunningProxy> {
  const api = await freePort();
  const names = Object.keys(policies);
  const router = (name: string): object => {
    return { rule: `Header(\`X-Policy\`, \`${name}\`)`, entryPoints: ['web'], service: 'backend', middlewares: [name] };
  };
  const dynamic = {
    http: {
      routers: Object.fromEntries(names.map((name) => [name, router(name)])),
      services: { backend: { loadBalancer: { servers: [{ url: backend }] } } },
      middlewares: Object.fromEntries(names.map((name) => [name, { plugin: { guard: policies[name] } }])),
    },
  };
  const fixed = { api: { insecure: true, debug: true }, entryPoints: { traefik: { address: `127.0.0.1:${api}` } } };
  const { port, child, output } = await startTraefik(t, dynamic, fixed, variants[variant]);
  return { port, http2Port: port, output, pids: () => ownPid(child), goroutines: () => countGoroutines(api) };
}

function caddyfile(port: number, admin: number, policies: Policies, backend: string): string {
  const sites = Object.entries(policies).map(([name, file]) => {
    const loaded = loadPolicy(Buffer.from(JSON.stringify(file)), name);
    if (!loaded.ok) throw new Error(`policy ${name} is not valid`);
    const guard = generateCaddy(loaded.value);
    return `@${name} header X-Policy ${name}\nroute @${name} {\n${guard}\nreverse_proxy ${backend}\n}`;
  });
  const options = `admin 127.0.0.1:${admin}\npersist_config off\nauto_https off\nservers {\nprotocols h1 h2c\n}`;
  return `{\n${options}\n}\nhttp://:${port} {\nbind 127.0.0.1\n${sites.join('\n')}\n}\n`;
}

async function caddy(t: TestContext, policies: Policies, backend: string): Promise<RunningProxy> {
  const binary = await buildArtefact('caddy');
  const folder = scratchFolder('guard-caddy-');
  const [port, admin] = [await freePort(), await freePort()];
  writeFileSync(join(folder, 'Caddyfile'), caddyfile(port, admin, policies, backend));
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(binary, ['run', '--config', join(folder, 'Caddyfile')], { env });
  t.after(() => endChild(child));
  return {
    port,
    http2Port: port,
    output: collectOutput(child),
    pids: () => ownPid(child),
    goroutines: () => countGoroutines(admin),
  };
}

async function nginx(t: TestContext, policies: Policies, backend: string): Promise<RunningProxy> {
  const server = `location ~ . { proxy_pass ${backend}; proxy_http_version 1.1; proxy_set_header Connection ""; }`;
  const guarded = await startGuarded(t, { policies, server, http: 'lua_check_client_abort on;' });
  const pidFile = join(guarded.folder, 'pid');
  const pids = (): readonly number[] => {
    if (!existsSync(pidFile)) return [];
    const main = Number(readFileSync(pidFile, 'utf8'));
    return [main, ...childrenOf(main)];
  };
  return { ...guarded, output: guarded.log, pids, goroutines: async () => undefined };
}

export const proxies: Readonly<Record<string, ProxyRow>> = {
  traefik: { start: (...from) => traefik('plugin', ...from) },
  'compiled traefik': { start: (...from) => traefik('compiled', ...from) },
  caddy: { start: caddy },
  nginx: { without: withoutNginx, start: nginx },
};

export const descriptors = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + readdirSync(`/proc/${pid}/fd`).length, 0);
