/**
 * Proves that the conformance data detects every mutant of the engine, except for those with a proof that holds. With
 * `--all` no proof holds: `npm run mutants`. Prints the mutants that survive. The exit status is 1 when a mutant survives
 * or when the unchanged engine fails.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { packageRoot } from '../../platform/assets.ts';
import { mutants } from './index.ts';
import { type Mutant, mutated } from './mutant.ts';
import { Proofs } from './proofs.ts';
import { countSurvivors, createDetect, sumOf } from './tests.ts';
import { type Group, readGroups, vectorTests } from './vectors.ts';
import type { Report } from './worker.ts';

/** Returns the bundled worker and engine, with the mutant if one is given. */
async function programWith(mutant?: Mutant): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('worker.ts', import.meta.url))],
    ...{ bundle: true, write: false, format: 'cjs', platform: 'node', target: 'esnext' },
    define: { 'import.meta.url': JSON.stringify(import.meta.url) }, // the engine requires re2 from there
    plugins: [
      {
        name: 'mutant',
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.ts$/ }, ({ path }) =>
            mutant !== undefined && path === join(packageRoot, mutant.file)
              ? { contents: mutated(mutant, readFileSync(path, 'utf8')), loader: 'ts' }
              : undefined,
          ),
      },
    ],
  });
  return outputFiles[0]?.text ?? '';
}

/**
 * Serializes a group for all workers. Copying all groups for each mutant would take longer than testing most mutants.
 */
function shared(group: Group): SharedArrayBuffer {
  const bytes = serialize(group);
  const buffer = new SharedArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

const reportOf = (program: string, groups: readonly SharedArrayBuffer[]): Promise<Report> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(program, { eval: true, workerData: groups });
    worker.once('message', resolve);
    worker.once('error', reject);
  });

async function countAlive(all: readonly Group[], pending: readonly Mutant[], proofs: Proofs): Promise<number> {
  const groups = all.map(shared);
  const { failed, times } = await reportOf(await programWith(), groups);
  if (failed !== undefined) throw new Error(`the unchanged engine fails ${failed}; see the tests of engine/`);
  const timeOf = new Map(groups.map((group, index) => [group, times[index] as number]));
  const detect = createDetect(groups.toSorted((a, b) => (timeOf.get(a) as number) - (timeOf.get(b) as number)));
  const detectIn = async (mutant: Mutant): Promise<string | undefined> => {
    const program = await programWith(mutant);
    return detect(mutant, async (order) => {
      const { failed: name, times: ran } = await reportOf(program, order);
      return name === undefined ? undefined : { test: order[ran.length - 1] as SharedArrayBuffer, name };
    });
  };
  return countSurvivors(pending, [...Array(availableParallelism()).keys()], detectIn, proofs);
}

const groups = readGroups();
const proofs = new Proofs('engine', mutants, vectorTests(groups));
const pending = proofs.pending();
const alive = pending.length === 0 ? 0 : await countAlive(groups, pending, proofs);
process.stdout.write(sumOf('the engine', mutants.length, pending.length, alive));
if (alive > 0) process.exitCode = 1;
