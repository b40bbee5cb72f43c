/** LuaJIT, and what the tests of the Lua engine read and check with. */
import { spawnSync } from 'node:child_process';
import { type Task, Unavailable } from '../graph/task.ts';
import { canInstall, installDebian, isOnPath } from './debian.ts';

const hasJson = (): boolean => spawnSync('luajit', ['-e', 'require("cjson")']).status === 0;

export const luajit: Task = {
  name: 'luajit',
  does: 'installing LuaJIT, luacheck and the regex libraries of nginx',
  needs: [],
  done: () => ['luajit', 'luacheck'].every(isOnPath) && hasJson(),
  run: async (context) => {
    if (!canInstall()) throw new Unavailable('luajit and luacheck are not installed');
    await installDebian('lua', context);
    return undefined;
  },
  mend: 'install LuaJIT, luacheck, lua-cjson, PCRE and PCRE2, then run the same command again',
};
