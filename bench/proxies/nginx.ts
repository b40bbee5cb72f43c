/**
 * Measures the cost of the guard in nginx. Honest requests are proxied, because nginx answers a POST to a file with
 * 405.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { freePort } from '../../platform/free-ports.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { type Row, rowsIn } from '../measure/row.ts';
import { type Budgets, rowsOfLoads } from './loads.ts';
import { type Running, sideBySide, start } from './side-by-side.ts';

const file = 'style.css';
const fileBytes = 4096;
export const modules = '/usr/lib/nginx/modules';
const lua = join(packageRoot, 'module/lua');

/** A policy as a Lua table. */
const policyWithAllInspections =
  '{ check_query = true, check_body = true, check_headers = { "X-Original-URL", "X-Rewrite-URL" } }';
const cases = [
  { label: 'nginx, clear path', policy: '{}', path: `/${file}`, floor: 0.87 },
  { label: 'nginx, all of a request', policy: policyWithAllInspections, path: `/${file}?v=3f2a`, floor: 0.87 },
] as const;

const budgets: Budgets = {
  ...{ path: 0.87, date: 0.87, query: 0.87, once: 0.87, plus: 0.87, escapes: 0.87 },
  ...{ json: { moreMicroseconds: 35 }, form: { moreMicroseconds: 35 } },
};

/** Directives in `location /`, in the `http` block, and before all blocks. */
export interface Content {
  readonly location: string;
  readonly load?: string;
  readonly upstream?: string;
}

const filesOfFolder: Content = { location: '' };
export const fixedResponse: Content = { location: 'return 200 ok;' };
export const proxyTo = ({ url }: Running): Content => ({
  location: 'proxy_pass http://backend; proxy_http_version 1.1; proxy_set_header Connection "";',
  upstream: `upstream backend { server ${new URL(url).host}; keepalive 16; }`,
});

const configuration = (
  folder: string,
  port: number,
  policy: string | undefined,
  { location, load = '', upstream = '' }: Content,
): string => `
load_module ${modules}/ndk_http_module.so;
load_module ${modules}/ngx_http_lua_module.so;
${load}
daemon off;
master_process off;
pid ${folder}/${port}.pid;
error_log stderr error;
events { worker_connections 1024; }
http {
  access_log off;
  client_max_body_size 1m;
  client_body_buffer_size 128k;
  keepalive_requests 1000000000;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
  lua_package_path "${lua}/?.lua;${lua}/?/init.lua;;";
  lua_regex_match_limit 100000;
  rewrite_by_lua_no_postpone on;
  ${policy === undefined ? '' : `init_by_lua_block { require("guard").init ${policy} }`}
  server {
    listen 127.0.0.1:${port};
    root ${folder};
    ${policy === undefined ? '' : 'rewrite_by_lua_block { require("guard").check() }'}
    location / { ${location} }
  }
  ${upstream}
}
`;

/** Starts nginx. @param policy a Lua table; absent: without a guard */
export async function startNginx(folder: string, policy?: string, content = filesOfFolder): Promise<Running> {
  const port = await freePort();
  const config = join(folder, `${port}.conf`);
  writeFileSync(config, configuration(folder, port, policy, content));
  return start(['/usr/sbin/nginx', '-e', 'stderr', '-p', folder, '-c', config], port, '', {});
}

export async function* benchNginx(): AsyncGenerator<Row> {
  const folder = scratchFolder('guard-bench-');
  writeFileSync(join(folder, file), 'a'.repeat(fileBytes));
  await using bare = await startNginx(folder);
  for (const { label, policy, path, floor } of cases) {
    await using guarded = await startNginx(folder, policy);
    const of = (nginx: Running): Running => ({ ...nginx, url: nginx.url + path });
    yield* rowsIn(label, () => sideBySide(label, floor, of(bare), of(guarded)));
  }
  await using backend = await startNginx(folder, undefined, fixedResponse);
  const content = proxyTo(backend);
  await using proxy = await startNginx(folder, undefined, content);
  const policy = policyWithAllInspections.replace('{', '{ methods = { "*" },');
  await using guarded = await startNginx(folder, policy, content);
  yield* rowsOfLoads(['nginx', proxy, guarded], budgets, folder);
}
