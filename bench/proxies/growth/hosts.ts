/** Starts the proxies with a site for each policy. Every site is at the host name `site-<index>`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildArtefact } from '../../../artefacts/build.ts';
import { compiledTraefik } from '../../../cli/build/cached.ts';
import { luaValue } from '../../../cli/generate/lua.ts';
import type { PolicyFile } from '../../../contract/policy/schema.ts';
import { snakeCaseKeys } from '../../../contract/values/keys.ts';
import { packageRoot } from '../../../platform/assets.ts';
import { freePort } from '../../../platform/free-ports.ts';
import { type Running, start } from '../side-by-side.ts';
import { addPlugin, configure, routes, routeToPing, startTraefik } from '../traefik.ts';
import { statusOf } from './client.ts';

/** Starts a proxy in a folder. Without policies it has no guard. */
export type StartHost = (folder: string, policies: readonly PolicyFile[]) => Promise<Running>;

export const siteOf = (index: number): string => `site-${index}`;

const startCaddy: StartHost = async (folder, policies) => {
  const port = await freePort();
  const answer = { handler: 'static_response', body: 'ok' };
  const sites = policies.map((policy, index) => ({
    match: [{ host: [siteOf(index)] }],
    handle: [{ handler: 'guard', ...(snakeCaseKeys(policy) as object) }, answer],
  }));
  const server = {
    listen: [`127.0.0.1:${port}`],
    automatic_https: { disable: true },
    routes: [...sites, { handle: [answer] }],
  };
  const config = { admin: { disabled: true }, apps: { http: { servers: { growth: server } } } };
  const file = join(folder, 'caddy.json');
  writeFileSync(file, JSON.stringify(config));
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  return start([await buildArtefact('caddy', {}), 'run', '--config', file], port, '/', { env });
};

const nginxServer = (port: number, site: string, check = ''): string => `
  server {
    listen 127.0.0.1:${port};
    server_name ${site};
    ${check}
    location / { return 200 ok; }
  }`;

const nginxConfig = (folder: string, guard: string, servers: readonly string[]): string => `
load_module /usr/lib/nginx/modules/ndk_http_module.so;
load_module /usr/lib/nginx/modules/ngx_http_lua_module.so;
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr error;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_buffer_size 128k;
  keepalive_requests 1000000000;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
  ${guard}
${servers.join('')}
}
`;

const nginxGuard = (folder: string): string => `
  lua_package_path "${packageRoot}/module/lua/?.lua;${packageRoot}/module/lua/?/init.lua;;";
  lua_regex_match_limit 100000;
  lua_regex_cache_max_entries 4096;
  rewrite_by_lua_no_postpone on;
  init_by_lua_file ${folder}/init.lua;`;

const startNginx: StartHost = async (folder, policies) => {
  const port = await freePort();
  const inits = policies.map((policy, index) => `guard.init(${luaValue(snakeCaseKeys(policy))}, "${siteOf(index)}")`);
  writeFileSync(join(folder, 'init.lua'), `local guard = require("guard")\n${inits.join('\n')}\n`);
  const servers = policies.map((_, index) =>
    nginxServer(port, siteOf(index), `rewrite_by_lua_block { require("guard").check("${siteOf(index)}") }`),
  );
  const file = join(folder, 'nginx.conf');
  const guard = policies.length > 0 ? nginxGuard(folder) : '';
  writeFileSync(file, nginxConfig(folder, guard, policies.length > 0 ? servers : [nginxServer(port, siteOf(0))]));
  return start(['/usr/sbin/nginx', '-e', 'stderr', '-p', folder, '-c', file], port, '/', {});
};

/** Each router of Traefik has an instance of its middleware. All have the first policy. */
const traefikWith =
  (binary: () => Promise<string>): StartHost =>
  async (folder, policies) => {
    addPlugin(folder);
    const [policy] = policies;
    const traefik = await startTraefik(await binary(), folder, 'growth', routeToPing, policy);
    const rules = Array.from({ length: Math.max(1, policies.length) }, (_, index) => `Host(\`${siteOf(index)}\`)`);
    configure(folder, 'growth', routes(routeToPing, policy, rules));
    while ((await statusOf(traefik.url, siteOf(rules.length - 1))) !== 200);
    return { ...traefik, url: `${traefik.url}/` };
  };

export const hosts = {
  caddy: startCaddy,
  nginx: startNginx,
  traefik: traefikWith(() => buildArtefact('traefik', {})),
  'compiled-traefik': traefikWith(compiledTraefik),
} as const satisfies Record<string, StartHost>;
export type HostName = keyof typeof hosts;
