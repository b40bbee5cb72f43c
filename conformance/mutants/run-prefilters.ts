/**
 * Proves that the tests of the Go and Lua engines detect every mutant in `prefilters`: `npm run mutants`. Prints the
 * mutants that survive. The exit status is 1 when a mutant survives or when the unchanged sources fail.
 */
import { type ExecFileException, execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { apply, type Mutant } from './mutant.ts';
import { goPrefilters, luaPrefilters } from './prefilters.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const luajit = join(root, 'scripts/test-image/bin/luajit');

interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** Working directory, relative to the copy. */
  readonly cwd: string;
}

/** The Go tests that can detect a mutant of a prefilter, among them all vectors. */
const goTests = 'Prefilter|Vectors|Verdict|Line|XML|Scan|Steps|Pluses|Programs';

/** For each file the tests that detect most of its mutants. They run first. */
const firstTests: Readonly<Record<string, string>> = {
  'module/engine/value_prefilter.go': 'ValuePrefilter',
  'module/engine/body.go': 'ValuePrefilter',
  'module/engine/interpreted/target_prefilter.go': 'TargetPrefilter',
  'module/engine/target_literals.go': 'TargetPrefilter',
  'module/engine/interpreted/prefilter.go': 'Scan|Steps',
  'module/engine/interpreted/scan.go': 'Scan|Pluses',
  'module/engine/interpreted/search.go': 'Scan|Steps',
  'module/engine/interpreted/program.go': 'Programs',
  'module/engine/interpreted/classes.go': 'Programs',
  'module/engine/interpreted/parallel_search.go': 'Programs',
  'module/engine/interpreted/places.go': 'Programs',
  'module/engine/interpreted/readings.go': 'Steps|Several',
  'module/engine/interpreted/byte_steps.go': 'Steps',
  'module/engine/interpreted/segment_steps.go': 'Steps',
  'module/engine/interpreted/body_values.go': 'Scan',
  'module/engine/interpreted/words.go': 'Scan',
  'module/engine/interpreted/xml_values.go': 'XML',
  'module/engine/interpreted/xml_joined.go': 'XML',
  'module/engine/body_scan.go': 'Scan',
  'module/engine/inspect.go': 'Scan',
};

/** After which a mutant that does not end counts as detected: several times what the tests take. */
const mostSeconds = 240;

/** `go vet` is a separate job. */
const goTest = (of: string, tests: string): Command => ({
  file: 'go',
  args: ['test', '-vet=off', '-failfast', `-timeout=${mostSeconds}s`, '-run', tests, of],
  cwd: 'module',
});

/** Links one program of tests instead of three. Its tests detect most mutants of the package. */
const packageOf = ({ file }: Mutant): string =>
  file.startsWith('module/engine/interpreted/') ? './engine/interpreted' : './engine/...';

/** The test commands, fastest first. A mutant is detected when one of them fails. */
function goCommands(_copy: string, mutant?: Mutant): Command[] {
  const first = mutant && firstTests[mutant.file];
  return [
    mutant === undefined || first === undefined ? goTest('./engine/match', goTests) : goTest(packageOf(mutant), first),
    goTest('./engine/...', goTests),
  ];
}

const luaCommands = (copy: string): Command[] =>
  ['prefilter', 'vectors'].map((name) => ({
    file: luajit,
    args: [join(copy, `module/lua/t/${name}.lua`), '--fail-fast'],
    cwd: '.',
  }));

type CommandsOf = (copy: string, mutant?: Mutant) => readonly Command[];

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

/** Whether a test failed. @throws Error when the tests did not run: a mutant that does not compile proves nothing. */
function fails(folder: string, { file, args, cwd }: Command): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const ended = (error: ExecFileException | null, printed: string): void => {
      const hasRun = error === null || (error.code === 1 && !printed.includes('[build failed]'));
      if (hasRun) resolve(error !== null);
      else reject(new Error(`${file} ${args.join(' ')} did not run: ${printed}`, { cause: error }));
    };
    execFile(file, args, { cwd: join(folder, cwd), maxBuffer: Number.POSITIVE_INFINITY }, ended);
  });
}

async function isNoticed(folder: string, commandsOf: CommandsOf, mutant?: Mutant): Promise<boolean> {
  for (const command of commandsOf(folder, mutant)) if (await fails(folder, command)) return true;
  return false;
}

async function survives(mutant: Mutant, folder: string, commandsOf: CommandsOf): Promise<boolean> {
  apply(mutant, folder);
  try {
    return !(await isNoticed(folder, commandsOf, mutant));
  } catch (cause) {
    throw new Error(`mutant "${mutant.name}" of ${mutant.file}`, { cause });
  } finally {
    cpSync(join(root, mutant.file), join(folder, mutant.file));
  }
}

/** Uses one copy for each processor, so that Go compiles the unchanged packages once. */
async function survivors(
  mutants: readonly Mutant[],
  copies: readonly string[],
  commandsOf: CommandsOf,
): Promise<Mutant[]> {
  if (await isNoticed(copies[0] as string, commandsOf)) throw new Error('the unchanged engine fails its tests');
  const alive: Mutant[] = [];
  const queue = mutants.values();
  const lane = async (copy: string) => {
    for (const mutant of queue) {
      if (!(await survives(mutant, copy, commandsOf))) continue;
      process.stdout.write(`survives: ${mutant.name} (${mutant.file})\n`);
      alive.push(mutant);
    }
  };
  await Promise.all(copies.map(lane));
  return alive;
}

const home = createHome();
try {
  const copies = Array.from({ length: availableParallelism() }, (_, index) => copyTo(join(home, String(index))));
  const alive = [
    ...(await survivors(goPrefilters, copies, goCommands)),
    ...(await survivors(luaPrefilters, copies, luaCommands)),
  ];
  const count = goPrefilters.length + luaPrefilters.length;
  process.stdout.write(`${count - alive.length} of ${count} mutants of prefilters are noticed\n`);
  if (alive.length > 0) process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
