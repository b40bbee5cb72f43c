/** nginx with its Lua module, for the tests that start it without a container. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { type Task, Unavailable } from '../graph/task.ts';
import { canInstall, installDebian, isOnPath } from './debian.ts';

const module = '/usr/lib/nginx/modules/ngx_http_lua_module.so';

/** Debian asks this program before it starts a service that was installed; 101: it may not. */
const policy = '/usr/sbin/policy-rc.d';

/** Nobody asked for a web server on port 80: the package is installed, its service is not started. */
async function withoutStarting(install: () => Promise<void>): Promise<void> {
  if (existsSync(policy)) return install();
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await install();
  } finally {
    rmSync(policy);
  }
}

export const nginx: Task = {
  name: 'nginx',
  does: 'installing nginx with its Lua module, and LuaRocks',
  needs: ['luajit'],
  done: () => existsSync(module) && isOnPath('luarocks'),
  run: async (context) => {
    if (!canInstall()) throw new Unavailable('nginx with its Lua module, or LuaRocks, is not installed');
    await withoutStarting(() => installDebian('nginx', context));
    return undefined;
  },
  mend: 'install nginx with its Lua module, and LuaRocks, then run the same command again',
};
