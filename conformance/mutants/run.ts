/**
 * Proves that the conformance data detects every mutant of the engine: `npm run mutants`. Prints the mutants that
 * survive. The exit status is 1 when a mutant survives or when the unchanged engine fails.
 */
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { mutants } from './index.ts';
import { apply, type Mutant } from './mutant.ts';
import { readVectors } from './vectors.ts';
import type { Job, Killer } from './worker.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Files that the engine does not import. */
const notImported = /\/(?:generate|daemon|load|hosts)$|\/engine\/warnings\.ts$|\.test\.ts$/;

/** Copies the engine into `folder` and applies `mutant`. */
function copyOf(mutant: Mutant | undefined, folder: string): string {
  for (const part of ['contract', 'engine'])
    cpSync(join(root, part), join(folder, part), { recursive: true, filter: (path) => !notImported.test(path) });
  if (mutant) apply(mutant, folder);
  return `${pathToFileURL(folder)}/`;
}

const { verdicts: groups, ...others } = readVectors();

type Group = (typeof groups)[number];

/** Mutants of one file follow each other, so the group that detected one often detects the next. */
function moveToFront(group: Group): void {
  groups.splice(groups.indexOf(group), 1);
  groups.unshift(group);
}

function killerOf(mutant: Mutant | undefined, folder: string): Promise<Killer> {
  const verdicts = [...groups];
  const workerData: Job = { root: copyOf(mutant, folder), vectors: { ...others, verdicts } };
  return new Promise<Killer>((resolve, reject) => {
    const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData });
    worker.once('message', resolve);
    worker.once('error', (cause) =>
      reject(new Error(`the engine does not run with ${mutant?.name ?? 'no mutant'}`, { cause })),
    );
  }).then((killer) => {
    if (killer?.group !== undefined) moveToFront(verdicts[killer.group] as Group);
    return killer;
  });
}

/** Creates a folder whose files are ES modules and resolve the packages of this project. */
function createHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'request-guard-mutants-'));
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'));
  writeFileSync(join(home, 'package.json'), '{"type": "module"}');
  return home;
}

/** Returns the mutants that no case detects. */
async function survivors(home: string): Promise<Mutant[]> {
  const alive: Mutant[] = [];
  const queue = mutants.entries();
  const lane = async () => {
    for (const [index, mutant] of queue) {
      const folder = join(home, String(index));
      if ((await killerOf(mutant, folder)) === undefined) alive.push(mutant);
      rmSync(folder, { recursive: true });
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return alive;
}

async function run(home: string): Promise<boolean> {
  const failing = await killerOf(undefined, join(home, 'unchanged'));
  if (failing !== undefined) {
    process.stderr.write(`the unchanged engine fails ${failing.id}; see the tests of engine/\n`);
    return false;
  }
  const alive = await survivors(home);
  for (const { name, file } of alive) process.stdout.write(`survives: ${name} (${file})\n`);
  process.stdout.write(`${mutants.length - alive.length} of ${mutants.length} mutants are noticed\n`);
  return alive.length === 0;
}

const home = createHome();
try {
  if (!(await run(home))) process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
