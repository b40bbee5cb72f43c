/** The engines in Lua and Go against the vectors and against each other, and the vectors against mutants of the engine. */
import type { Counts } from '../tasks/task.ts';
import { sharing } from './go.ts';
import { counted, inImage, node, program, type Suite } from './suite.ts';

/** The last line of a runner in Lua. */
function countsOf(output: string): Counts {
  const [, passed, failed] = /^(\d+) passed, (\d+) failed\n?$/m.exec(output) ?? [];
  if (passed === undefined) throw new Error('the runner did not print how many passed');
  return { passed: Number(passed), failed: Number(failed), skipped: [] };
}

const inLua = (name: string, does: string, file: string): Suite => {
  const [tool, ...args] = [...inImage(), 'luajit', file];
  return counted({
    name,
    tier: 'test',
    does,
    needs: ['image-light'],
    run: async ({ command }) => countsOf(await command(tool as string, args)),
    fix: `run \`scripts/node scripts/in-test-image.ts -- luajit ${file}\``,
  });
};

export const engineSuites: readonly Suite[] = [
  inLua('lua', 'putting the vectors to the engine in Lua', 'module/lua/t/vectors.lua'),
  inLua('lua-prefilter', 'comparing the prefilter in Lua with the engine', 'module/lua/t/prefilter.lua'),
  inLua('lua-events', 'testing security events in Lua', 'module/lua/t/events.lua'),
  program({
    name: 'luacheck',
    tier: 'test',
    does: 'checking Lua sources',
    needs: ['image-light'],
    command: [
      ...inImage(),
      ...['luacheck', '--quiet', '--no-color', '--std', 'luajit+ngx_lua', '--no-max-line-length', 'module/lua'],
    ],
    fix: 'correct what is named above',
  }),
  program({
    name: 'differential',
    tier: 'full',
    does: 'putting 20,000 generated requests to the engines in TypeScript, Go and Lua',
    needs: ['native', 'image-light', 'go'],
    command: [node, 'contract/differential/compare.ts', '--count', '20000'],
    options: { env: sharing },
    fix: 'make the engines agree on the requests above; `npm run differential` repeats them',
  }),
  program({
    name: 'mutants',
    tier: 'full',
    does: 'checking that the vectors notice every mutant of the engine',
    needs: ['native'],
    command: [node, 'contract/mutants/run.ts'],
    fix: 'add a vector for each mutant named above; `npm run mutants` repeats this',
  }),
];
