/** The guard in Lua: its sources, its engine under LuaJIT, and all of it in a real nginx. */
import { packageRoot } from '../../platform/assets.ts';
import type { Counts, Task } from '../graph/task.ts';
import { check } from './checked.ts';
import { runNodeTests } from './node-tests.ts';

/** The last line of a runner. */
function countsOf(output: string): Counts {
  const [, passed, failed] = /^(\d+) passed, (\d+) failed\n?$/m.exec(output) ?? [];
  if (passed === undefined) throw new Error('the runner did not say how many passed');
  return { passed: Number(passed), failed: Number(failed), skipped: 0 };
}

const underLuajit = (name: string, does: string, file: string): Task => ({
  name,
  does,
  needs: ['luajit'],
  run: async ({ command }) => countsOf(await command('luajit', [file], { cwd: packageRoot })),
  mend: `run \`luajit ${file}\``,
});

export const luaParts: readonly Task[] = [
  underLuajit('lua', 'putting the vectors to the engine in Lua', 'module/lua/t/vectors.lua'),
  underLuajit(
    'lua-short-cut',
    'comparing the short cut of the engine in Lua with the engine',
    'module/lua/t/short_cut.lua',
  ),
  underLuajit('lua-events', 'testing security events in Lua', 'module/lua/t/events.lua'),
  {
    name: 'lua-nginx',
    does: 'sending requests to the guard in nginx',
    needs: ['build', 'nginx'],
    run: (context) => runNodeTests(context, { include: 'e2e/nginx-lua/**/*.test.js', concurrency: true }),
    mend: 'run `node --test` on the files named above, below dist/e2e/nginx-lua/',
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
