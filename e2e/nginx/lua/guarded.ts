/** A real nginx with the guard. Requests choose their policy by name. */

import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { luaString, luaValue } from '../../../cli/generate/lua.ts';
import { snakeCaseKeys } from '../../../contract/values/keys.ts';
import { packageRoot } from '../../../platform/assets.ts';
import { freePort } from '../../../platform/free-ports.ts';
import { nginxFolder, startNginx } from '../process.ts';
import { exchangeBytes } from './respond/wire.ts';

export interface Setup {
  /** Policies by the name in `X-Policy`. Requests without this header use `default`. */
  readonly policies: Readonly<Record<string, object>>;
  readonly http?: string;
  readonly server?: string;
  /** Lua code that runs before the guard is loaded. */
  readonly lua?: string;
  /** Number of worker processes. Default: 1. */
  readonly workers?: number;
}

export interface Guarded {
  readonly port: number;
  /** Port for HTTP/2 without TLS. */
  readonly http2Port: number;
  readonly folder: string;
  readonly reload: () => void;
  /** Resolves when nginx has ended after its current requests. */
  readonly quit: () => Promise<void>;
  readonly events: () => Record<string, string>[];
  readonly log: () => string;
}

export const luaFolder = join(packageRoot, 'module/lua/');

/** Returns Lua code that initializes the guard with each policy. By default, all policies write events to one file. */
export function initialization(policies: Setup['policies'], eventFile: string): string {
  const calls = Object.entries(policies).map(([name, policy]) => {
    const written = luaValue(snakeCaseKeys({ securityLogFile: eventFile, ...policy }));
    return `guard.init(${written}${name === 'default' ? '' : `, ${luaString(name)}`})`;
  });
  return `local guard = require("guard")\n${calls.join('\n')}\n`;
}

const httpBlock = (setup: Setup, ports: readonly number[]): string => `
  lua_package_path "${luaFolder}?.lua;${luaFolder}?/init.lua;;";
  lua_shared_dict guard 1m;
  lua_regex_match_limit 100000;
  lua_regex_cache_max_entries 8192;
  rewrite_by_lua_no_postpone on;
  large_client_header_buffers 4 32k;
  client_max_body_size 2m;
  init_by_lua_file init.lua;
  rewrite_by_lua_block { require("guard").check(ngx.var.http_x_policy) }
  ${setup.http ?? ''}
  server {
    listen 127.0.0.1:${ports[0]};
    listen 127.0.0.1:${ports[1]} http2;
    location / { return 200 "passed\\n"; }
    ${setup.server ?? ''}
  }`;

export async function startGuarded(t: TestContext, setup: Setup): Promise<Guarded> {
  const [port, http2Port] = [await freePort(), await freePort()];
  const { folder, config } = nginxFolder({ http: httpBlock(setup, [port, http2Port]), workers: setup.workers ?? 1 });
  const eventFile = join(folder, 'events.jsonl');
  writeFileSync(join(folder, 'init.lua'), `${setup.lua ?? ''}\n${initialization(setup.policies, eventFile)}`);
  const { child, output } = await startNginx(t, { folder, config });
  const lines = () => (existsSync(eventFile) ? readFileSync(eventFile, 'utf8').split('\n').slice(0, -1) : []);
  return {
    port,
    http2Port,
    folder,
    reload: () => child.kill('SIGHUP'),
    quit: async () => {
      const ended = once(child, 'close');
      child.kill('SIGQUIT');
      await ended;
    },
    events: () => lines().map((line) => JSON.parse(line)),
    log: output,
  };
}

export interface Message {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: readonly (readonly [string, string])[];
  /** Body in Latin-1. */
  readonly body?: string;
  /** Name of the policy. Absent: the default policy. */
  readonly policy?: string;
  readonly host?: string;
}

/** Returns the bytes of a request in Latin-1. With `isLast`, the request asks the server to close the connection. */
export function bytesOf(message: Message, isLast = true): string {
  const { method = 'GET', target = '/', headers = [], body, policy, host = 'example.com' } = message;
  const lines = [`${method} ${target} HTTP/1.1`, `Host: ${host}`];
  if (policy !== undefined) lines.push(`X-Policy: ${policy}`);
  lines.push(...headers.map(([name, value]) => `${name}: ${value}`));
  if (body !== undefined) lines.push(`Content-Length: ${body.length}`);
  if (isLast) lines.push('Connection: close');
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

/** Returns the status of the response, or 0 without a response. */
export async function statusOf({ port }: Guarded, message: Message): Promise<number> {
  return Number(/^HTTP\/1\.1 (\d+)/.exec(await exchangeBytes(port, bytesOf(message)))?.[1] ?? 0);
}

/** Returns the status over HTTP/2, or 0 without a response. */
export async function statusOverHttp2(port: number, headers: Record<string, string>, body?: string): Promise<number> {
  const session = connect(`http://127.0.0.1:${port}`);
  const stream = session.request(headers, { endStream: body === undefined });
  let status = 0;
  stream.on('response', (answer) => (status = Number(answer[':status']))).on('error', () => {});
  stream.resume();
  if (body !== undefined) stream.end(body);
  await once(stream, 'close');
  session.close();
  return status;
}
