/** A real nginx whose locations block every request, each with a separate policy. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { luaValue } from '../../../../cli/generate/lua.ts';
import { type Mode, type ModeRow, modes } from '../../../../contract/policy/modes.ts';
import { Policy, type PolicyFile } from '../../../../contract/policy/schema.ts';
import { snakeCaseKeys } from '../../../../contract/values/keys.ts';
import { packageRoot } from '../../../../platform/assets.ts';
import { freePort } from '../../../../platform/free-ports.ts';
import { scratchFolder } from '../../../../platform/scratch-folder.ts';
import { collectOutput, endChild, hasEnded } from '../../../../platform/testing/child.ts';
import { until } from '../../../../platform/testing/until.ts';

export interface Setup {
  /** Policies by the first segment of their paths. */
  readonly policies: Readonly<Record<string, PolicyFile>>;
  readonly http?: string;
  readonly locations?: string;
  readonly workers?: number;
  /** If true, workers share counters, as in the installed guard. */
  readonly isShared?: boolean;
}

export interface Nginx {
  readonly port: number;
  /** Port for HTTP/2 without TLS. */
  readonly http2Port: number;
  readonly folder: string;
  readonly master: ChildProcess;
  readonly errorLog: () => string;
}

const luaFolder = join(packageRoot, 'module/lua/');
const moduleFiles = ['ndk_http_module.so', 'ngx_http_lua_module.so'].map((name) => `/usr/lib/nginx/modules/${name}`);
const binary = ['/usr/sbin/nginx', '/usr/local/openresty/nginx/sbin/nginx'].find((path) => existsSync(path)) ?? 'nginx';

/** Returns a Lua table with the defaults of the mode, as the guard passes it to its response modes. */
function resolvedPolicy(file: PolicyFile): string {
  const { response, secret } = Policy.parse(file);
  const { statusCode, contentType }: ModeRow = modes[response.mode as Mode];
  const ofMode = { ...(statusCode !== null && { statusCode }), ...(contentType !== undefined && { contentType }) };
  return luaValue(snakeCaseKeys({ ...(secret !== undefined && { secret }), response: { ...ofMode, ...response } }));
}

const locationBlock = (name: string): string => `
    location /${name}/ {
      rewrite_by_lua_block {
        answers[${JSON.stringify(name)}]({
          reason = "block_pattern_match", rule = "env-file", pattern = "^/", client = ngx.var.remote_addr, host = ngx.var.host,
          path = ngx.var.uri,
        })
      }
    }`;

function configuration(setup: Setup, folder: string, port: number, http2Port: number): string {
  const { policies, http = '', locations = '', workers = 1, isShared = true } = setup;
  const answers = Object.entries(policies).map(
    ([name, file]) => `add(${JSON.stringify(name)}, ${resolvedPolicy(file)})`,
  );
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `  ${name}_temp_path ${folder}/${name};`,
  );
  return `
${moduleFiles
  .filter((file) => existsSync(file))
  .map((file) => `load_module ${file};`)
  .join('\n')}
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log info;
worker_processes ${workers};
events { worker_connections 1024; }
http {
  access_log off;
${temporary.join('\n')}
  lua_package_path "${luaFolder}?.lua;${luaFolder}?/init.lua;;";
  ${isShared ? 'lua_shared_dict guard 1m;' : ''}
  ${http}
  init_by_lua_block {
    answers, captchas = {}, {}
    local function add(name, policy)
      answers[name] = require("guard.respond").new(policy)
      captchas[name] = require("guard.respond.captcha").new(policy)
    end
    ${answers.join('\n    ')}
  }
  server {
    listen 127.0.0.1:${port};
    listen 127.0.0.1:${http2Port} http2;
    lua_check_client_abort on;
    location = /ready { return 204; }
    location = /held { content_by_lua_block { ngx.print(require("guard.held").total()) } }
    ${locations}
    ${Object.keys(policies).map(locationBlock).join('')}
  }
}
`;
}

export async function startNginx(t: TestContext, setup: Setup): Promise<Nginx> {
  const folder = scratchFolder('guard-nginx-');
  const [port, http2Port] = [await freePort(), await freePort()];
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configuration(setup, folder, port, http2Port));
  const master = spawn(binary, ['-p', folder, '-c', file, '-e', `${folder}/error.log`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collectOutput(master);
  const errorLog = () => (existsSync(`${folder}/error.log`) ? readFileSync(`${folder}/error.log`, 'utf8') : '');
  t.after(async () => {
    await endChild(master, 'SIGTERM');
    assert.doesNotMatch(errorLog(), /thread aborted|stack traceback|delayed events/);
  });
  await until(async () => {
    if (hasEnded(master)) throw new Error(`nginx did not start:\n${output()}${errorLog()}`);
    return (await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined))?.status === 204;
  }, 'nginx to serve');
  return { port, http2Port, folder, master, errorLog };
}
