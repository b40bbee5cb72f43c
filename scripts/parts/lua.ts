/** The engine in Lua, under LuaJIT and without nginx. */
import { packageRoot } from '../../cli/assets.ts';
import type { Counts, Task } from '../graph/task.ts';
import { check } from './checked.ts';

/** The last line of the runner. */
function countsOf(output: string): Counts {
  const [, passed, failed] = /^(\d+) passed, (\d+) failed\n?$/m.exec(output) ?? [];
  if (passed === undefined) throw new Error('the runner of the vectors did not say how many passed');
  return { passed: Number(passed), failed: Number(failed), skipped: 0 };
}

export const luaParts: readonly Task[] = [
  {
    name: 'lua',
    does: 'putting the vectors to the engine in Lua',
    needs: ['luajit'],
    run: async ({ command }) => countsOf(await command('luajit', ['module/lua/t/vectors.lua'], { cwd: packageRoot })),
    mend: 'run `luajit module/lua/t/vectors.lua`',
  },
  check({
    name: 'luacheck',
    does: 'checking Lua sources',
    needs: ['luajit'],
    tool: 'luacheck',
    args: ['--quiet', '--no-color', '--std', 'luajit+ngx_lua', '--no-max-line-length', 'module/lua'],
    mend: 'mend what is named above',
  }),
];
