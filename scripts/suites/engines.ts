/**
 * Tests of the engines in Lua and Go with the vectors and against each other, and of the vectors with mutants of the
 * engine.
 */
import type { Counts } from '../tasks/task.ts';
import { sharing } from './go.ts';
import { counted, inImage, node, program, type Suite } from './suite.ts';

/** The last line of a Lua test runner. */
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
  inLua('lua', 'testing the Lua engine with the vectors', 'module/lua/t/vectors.lua'),
  inLua('lua-prefilter', 'comparing the Lua prefilter with the engine', 'module/lua/t/prefilter.lua'),
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
    fix: 'fix the errors above',
  }),
  program({
    name: 'differential',
    tier: 'full',
    does: 'comparing the engines in TypeScript, Go and Lua on 20,000 generated requests',
    needs: ['native', 'image-light', 'go'],
    command: [node, 'contract/differential/compare.ts', '--count', '20000'],
    options: { env: sharing },
    fix: 'make the engines agree on the requests above; `npm run differential` repeats them',
  }),
  program({
    name: 'mutants',
    tier: 'full',
    does: 'checking that the vectors detect every mutant of the engine',
    needs: ['native'],
    command: [node, 'contract/mutants/run.ts'],
    fix: 'add a vector for each mutant named above; `npm run mutants` repeats this',
  }),
];
