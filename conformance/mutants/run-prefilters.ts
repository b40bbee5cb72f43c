/**
 * Proves that the tests of the Go and Lua engines detect every mutant in `prefilters`: `npm run mutants`. Prints the
 * mutants that survive. The exit status is 1 when a mutant survives or when the unchanged sources fail.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { addMutants, compileTests, goCommands, isLikely, testsOf } from './go-tests.ts';
import { type Mutant, withMutant } from './mutant.ts';
import { goPrefilters, luaPrefilters } from './prefilters.ts';
import { type Command, countSurvivors, createSurvives, indexOfFailing } from './tests.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const luajit = join(root, 'scripts/test-image/bin/luajit');

const luaCommands = (copy: string): Command[] =>
  ['prefilter', 'vectors'].map((name) => ({
    file: luajit,
    args: [join(copy, `module/lua/t/${name}.lua`), '--fail-fast'],
    cwd: copy,
  }));

/** Creates a folder in the clone, because the container of the test image mounts the clone. */
function createHome(): string {
  const cache = join(root, '.cache');
  mkdirSync(cache, { recursive: true });
  return mkdtempSync(join(cache, 'mutants-'));
}

function copyTo(folder: string): string {
  cpSync(join(root, 'module'), join(folder, 'module'), { recursive: true });
  for (const data of ['contract', 'conformance']) symlinkSync(join(root, data), join(folder, data));
  return folder;
}

/** Tests most mutants in one program, and compiles one for each mutant outside of a function. */
async function countGoSurvivors(together: string, copies: readonly string[]): Promise<number> {
  const numbers = new Map(goPrefilters.map((mutant, index) => [mutant, index + 1]));
  const left = addMutants(together, numbers);
  compileTests(together);
  const survives = createSurvives(await testsOf(together), isLikely);
  const survivesIn = (copy: string, mutant: Mutant, number?: number) =>
    survives(mutant, (tests) => indexOfFailing(goCommands(copy, tests, number)));
  const added = goPrefilters.filter((mutant) => !left.includes(mutant));
  const survivesAlone = (mutant: Mutant, copy: string) =>
    withMutant(mutant, copy, () => {
      compileTests(copy);
      return survivesIn(copy, mutant);
    });
  const alive = await countSurvivors(added, copies, (mutant) => survivesIn(together, mutant, numbers.get(mutant)));
  return alive + (await countSurvivors(left, copies, survivesAlone));
}

const survivesLua = async (copy: string): Promise<boolean> => (await indexOfFailing(luaCommands(copy))) < 0;

const home = createHome();
try {
  const copies = Array.from({ length: availableParallelism() }, (_, index) => copyTo(join(home, String(index))));
  if (!(await survivesLua(copies[0] as string))) throw new Error('the unchanged Lua engine fails its tests');
  const alive =
    (await countGoSurvivors(copyTo(join(home, 'together')), copies)) +
    (await countSurvivors(luaPrefilters, copies, (mutant, copy) => withMutant(mutant, copy, () => survivesLua(copy))));
  const count = goPrefilters.length + luaPrefilters.length;
  process.stdout.write(`${count - alive} of ${count} mutants of prefilters are noticed\n`);
  if (alive > 0) process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
