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
import { countSurvivors } from './tests.ts';
import { readVectors } from './vectors.ts';
import type { Job, Killer } from './worker.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Files that the engine does not import. */
const notImported = /\/(?:generate|daemon|load|hosts)$|\/engine\/warnings\.ts$|\.test\.ts$/;

/** Copies the engine into `folder`. */
function copyTo(folder: string): string {
  for (const part of ['contract', 'engine'])
    cpSync(join(root, part), join(folder, part), { recursive: true, filter: (path) => !notImported.test(path) });
  return folder;
}

const { verdicts: groups, ...others } = readVectors();

type Group = (typeof groups)[number];

/** Mutants of one file follow each other, so the group that detected one often detects the next. */
function moveToFront(group: Group): void {
  groups.splice(groups.indexOf(group), 1);
  groups.unshift(group);
}

/** Tests the copy in `folder`. Workers start faster on copies that were loaded before, from the cache of compiled sources. */
async function killerIn(folder: string, name: string): Promise<Killer> {
  const verdicts = [...groups];
  const workerData: Job = { root: `${pathToFileURL(folder)}/`, vectors: { ...others, verdicts } };
  const killer = await new Promise<Killer>((resolve, reject) => {
    const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData });
    worker.once('message', resolve);
    worker.once('error', (cause) => reject(new Error(`the engine does not run with ${name}`, { cause })));
  });
  if (killer?.group !== undefined) moveToFront(verdicts[killer.group] as Group);
  return killer;
}

/** Tests a copy with the mutant, and then restores the copy. */
async function survives(mutant: Mutant, folder: string): Promise<boolean> {
  apply(mutant, folder);
  try {
    return (await killerIn(folder, mutant.name)) === undefined;
  } finally {
    cpSync(join(root, mutant.file), join(folder, mutant.file));
  }
}

/** Creates a folder whose files are ES modules and resolve the packages of this project. */
function createHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'request-guard-mutants-'));
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'));
  writeFileSync(join(home, 'package.json'), '{"type": "module"}');
  return home;
}

async function run(home: string): Promise<boolean> {
  const copies = Array.from({ length: availableParallelism() }, (_, index) => copyTo(join(home, String(index))));
  const failing = await killerIn(copies[0] as string, 'no mutant');
  if (failing !== undefined) {
    process.stderr.write(`the unchanged engine fails ${failing.id}; see the tests of engine/\n`);
    return false;
  }
  const alive = await countSurvivors(mutants, copies, survives);
  process.stdout.write(`${mutants.length - alive} of ${mutants.length} mutants are noticed\n`);
  return alive === 0;
}

const home = createHome();
try {
  if (!(await run(home))) process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
