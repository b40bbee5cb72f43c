/** nginx with its Lua module, for the tests that start it without a container. */
import { existsSync } from 'node:fs';
import { type Task, Unavailable } from '../graph/task.ts';
import { canInstall, installDebian, isOnPath } from './debian.ts';
import { withoutStarting } from './without-starting.ts';

const module = '/usr/lib/nginx/modules/ngx_http_lua_module.so';

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
