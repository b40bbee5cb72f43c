/**
 * Proves that the tests of the Go and Lua engines detect every mutant in `prefilters`, except for those with a proof that
 * holds. With `--all` no proof holds: `npm run mutants`. Prints the mutants that survive. The exit status is 1 when a
 * mutant survives or when the unchanged sources fail.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { addMutants, compileTests, goCommands, isLikely, testsOf } from './go-tests.ts';
import { type Mutant, withMutant } from './mutant.ts';
import { goPrefilters, luaPrefilters } from './prefilters.ts';
import { filesHash, Proofs } from './proofs.ts';
import { type Command, countSurvivors, createDetect, indexOfFailing, sumOf } from './tests.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const vectorFiles = 'conformance/vectors/*.json';
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

const goTest = 'the tests in Go';
const goProofs = new Proofs(
  'go',
  goPrefilters,
  new Map([[goTest, filesHash(['module/engine/**/*_test.go', 'module/internal/vectors/*.go', vectorFiles])]]),
);
const luaTest = 'the tests in Lua';
const luaProofs = new Proofs(
  'lua',
  luaPrefilters,
  new Map([[luaTest, filesHash(['module/lua/t/*.lua', vectorFiles])]]),
);

/** Tests most mutants in one program, and compiles one for each mutant outside of a function. */
async function countGoSurvivors(
  pending: readonly Mutant[],
  together: string,
  copies: readonly string[],
): Promise<number> {
  const numbers = new Map(pending.map((mutant, index) => [mutant, index + 1]));
  const left = addMutants(together, numbers);
  compileTests(together);
  const detect = createDetect(await testsOf(together), isLikely);
  const detectIn = (copy: string, mutant: Mutant, number?: number) =>
    detect(mutant, async (tests) => {
      const test = tests[await indexOfFailing(goCommands(copy, tests, number))];
      return test && { test, name: goTest };
    });
  const added = pending.filter((mutant) => !left.includes(mutant));
  const detectAlone = (mutant: Mutant, copy: string) =>
    withMutant(mutant, copy, () => {
      compileTests(copy);
      return detectIn(copy, mutant);
    });
  const detectAdded = (mutant: Mutant) => detectIn(together, mutant, numbers.get(mutant));
  const alive = await countSurvivors(added, copies, detectAdded, goProofs);
  return alive + (await countSurvivors(left, copies, detectAlone, goProofs));
}

const detectInLua = async (copy: string): Promise<string | undefined> =>
  (await indexOfFailing(luaCommands(copy))) < 0 ? undefined : luaTest;

async function countLuaSurvivors(pending: readonly Mutant[], copies: readonly string[]): Promise<number> {
  if ((await detectInLua(copies[0] as string)) !== undefined)
    throw new Error('the unchanged Lua engine fails its tests');
  const detect = (mutant: Mutant, copy: string) => withMutant(mutant, copy, () => detectInLua(copy));
  return countSurvivors(pending, copies, detect, luaProofs);
}

async function countAlive(home: string): Promise<number> {
  if (goPending.length + luaPending.length === 0) return 0;
  const copies = Array.from({ length: availableParallelism() }, (_, index) => copyTo(join(home, String(index))));
  const alive = luaPending.length === 0 ? 0 : await countLuaSurvivors(luaPending, copies);
  return (
    alive + (goPending.length === 0 ? 0 : await countGoSurvivors(goPending, copyTo(join(home, 'together')), copies))
  );
}

const [goPending, luaPending] = [goProofs.pending(), luaProofs.pending()];
const home = createHome();
try {
  const alive = await countAlive(home);
  const [all, pending] = [goPrefilters.length + luaPrefilters.length, goPending.length + luaPending.length];
  process.stdout.write(sumOf('prefilters', all, pending, alive));
  if (alive > 0) process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
