/**
 * Proves that the tests of the engines in Go and Lua notice every mutant of their prefilters, whose faults would skip the
 * inspection: `npm run mutants`. Prints the survivors; status 1 when there is one, or when unchanged sources fail.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
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
  /** Below the copy. */
  readonly cwd: string;
}

/** The commands that a mutant has to fail, fastest first. */
const lua = (copy: string): Command[] =>
  ['prefilter', 'vectors'].map((name) => ({ file: luajit, args: [join(copy, `module/lua/t/${name}.lua`)], cwd: '.' }));
const go = (): Command[] => [
  { file: 'go', args: ['test', '-failfast', '-run', 'Prefilter|Vectors|Verdict', './engine/...'], cwd: 'module' },
];

/** The container of the test image mounts this folder. */
function createHome(): string {
  const cache = join(root, '.cache');
  mkdirSync(cache, { recursive: true });
  return mkdtempSync(join(cache, 'mutants-'));
}

function copyTo(folder: string): void {
  cpSync(join(root, 'module'), join(folder, 'module'), { recursive: true });
  symlinkSync(join(root, 'contract'), join(folder, 'contract'));
}

const fails = (folder: string, { file, args, cwd }: Command): boolean =>
  spawnSync(file, args, { cwd: join(folder, cwd), stdio: 'ignore' }).status !== 0;

const isNoticed = (folder: string, commands: (copy: string) => readonly Command[]): boolean =>
  commands(folder).some((command) => fails(folder, command));

/** Works on one copy, so that Go compiles the unchanged packages once. */
function survivors(
  mutants: readonly Mutant[],
  folder: string,
  commands: (copy: string) => readonly Command[],
): Mutant[] {
  if (isNoticed(folder, commands)) throw new Error('the unchanged engine fails its tests');
  return mutants.filter((mutant) => {
    apply(mutant, folder);
    const isAlive = !isNoticed(folder, commands);
    if (isAlive) process.stdout.write(`survives: ${mutant.name} (${mutant.file})\n`);
    cpSync(join(root, mutant.file), join(folder, mutant.file));
    return isAlive;
  });
}

const home = createHome();
try {
  copyTo(home);
  const alive = [...survivors(goPrefilters, home, go), ...survivors(luaPrefilters, home, lua)];
  const count = goPrefilters.length + luaPrefilters.length;
  process.stdout.write(`${count - alive.length} of ${count} mutants of prefilters are noticed\n`);
  if (alive.length > 0) process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
