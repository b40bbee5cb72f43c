/**
 * Proves that the tests of the Go and Lua engines detect every mutant in `prefilters`: `npm run mutants`. Prints the
 * mutants that survive. The exit status is 1 when a mutant survives or when the unchanged sources fail.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { addMutants, compileTests, goCommands } from './go-tests.ts';
import { apply, type Mutant } from './mutant.ts';
import { goPrefilters, luaPrefilters } from './prefilters.ts';
import { type Command, countSurvivors, isDetected } from './tests.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const luajit = join(root, 'scripts/test-image/bin/luajit');

const luaCommands = (copy: string): Command[] =>
  ['prefilter', 'vectors'].map((name) => ({
    file: luajit,
    args: [join(copy, `module/lua/t/${name}.lua`), '--fail-fast'],
    cwd: copy,
  }));

/** Creates the folder that the container of the test image mounts. */
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

async function requireThatPasses(commands: readonly Command[]): Promise<void> {
  if (await isDetected(commands)) throw new Error('the unchanged engine fails its tests');
}

/** Tests a copy that has this mutant alone, and then restores the copy. */
async function survivesAlone(
  mutant: Mutant,
  copy: string,
  commandsOf: (copy: string, mutant: Mutant) => readonly Command[],
): Promise<boolean> {
  apply(mutant, copy);
  try {
    return !(await isDetected(commandsOf(copy, mutant)));
  } catch (cause) {
    throw new Error(`mutant "${mutant.name}" of ${mutant.file}`, { cause });
  } finally {
    cpSync(join(root, mutant.file), join(copy, mutant.file));
  }
}

/** Tests most mutants in one program, and compiles one for each mutant outside of a function. */
async function countGoSurvivors(together: string, copies: readonly string[]): Promise<number> {
  const numbers = new Map(goPrefilters.map((mutant, index) => [mutant, index + 1]));
  const left = addMutants(together, numbers);
  compileTests(together);
  await requireThatPasses(goCommands(together));
  const added = goPrefilters.filter((mutant) => !left.includes(mutant));
  const survives = async (mutant: Mutant) => !(await isDetected(goCommands(together, mutant, numbers.get(mutant))));
  const compiled = (copy: string, mutant: Mutant) => {
    compileTests(copy);
    return goCommands(copy, mutant);
  };
  const alive = await countSurvivors(added, copies, survives);
  return alive + (await countSurvivors(left, copies, (mutant, copy) => survivesAlone(mutant, copy, compiled)));
}

const home = createHome();
try {
  const copies = Array.from({ length: availableParallelism() }, (_, index) => copyTo(join(home, String(index))));
  await requireThatPasses(luaCommands(copies[0] as string));
  const alive =
    (await countGoSurvivors(copyTo(join(home, 'together')), copies)) +
    (await countSurvivors(luaPrefilters, copies, (mutant, copy) => survivesAlone(mutant, copy, luaCommands)));
  const count = goPrefilters.length + luaPrefilters.length;
  process.stdout.write(`${count - alive} of ${count} mutants of prefilters are noticed\n`);
  if (alive > 0) process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
