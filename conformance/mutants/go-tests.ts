/** The tests of the Go engine, compiled with mutants. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { mutantVariable, numberFile, withMutants } from './go-functions.ts';
import type { Mutant } from './mutant.ts';
import type { Command } from './tests.ts';

/** The packages with mutants, relative to the copy. */
const interpretedPackage = 'module/engine/interpreted';
const packages = ['module/engine/match', 'module/engine', interpretedPackage];

/** The tests that can detect a mutant of a prefilter, among them all vectors. */
const prefilterTests = 'Prefilter|Vectors|Verdict|Line|XML|Scan|Steps|Pluses|Programs|Batches';

/** For each file the tests that detect most of its mutants, and their package, if it is another one. They run first. */
const firstTests: Readonly<Record<string, readonly [tests: string, folder?: string]>> = {
  'module/engine/value_prefilter.go': ['ValuePrefilter'],
  'module/engine/body.go': ['ValuePrefilter'],
  'module/engine/evaluate.go': ['TargetPrefilter'],
  'module/engine/body_scan.go': ['Scan|Batches', interpretedPackage],
  'module/engine/inspect.go': ['Scan', interpretedPackage],
  'module/engine/match/prefilter.go': ['Examples|Plain|Pattern'],
  'module/engine/interpreted/target_prefilter.go': ['TargetPrefilter'],
  'module/engine/interpreted/prefilter.go': ['Scan|Steps'],
  'module/engine/interpreted/scan.go': ['Scan|Pluses'],
  'module/engine/interpreted/search.go': ['Scan|Steps'],
  'module/engine/interpreted/program.go': ['Programs'],
  'module/engine/interpreted/classes.go': ['Programs'],
  'module/engine/interpreted/parallel_search.go': ['Programs'],
  'module/engine/interpreted/places.go': ['Programs'],
  'module/engine/interpreted/readings.go': ['Steps|Several'],
  'module/engine/interpreted/byte_steps.go': ['Steps'],
  'module/engine/interpreted/segment_steps.go': ['Steps'],
  'module/engine/interpreted/body_values.go': ['Scan'],
  'module/engine/interpreted/words.go': ['Scan'],
  'module/engine/interpreted/xml_values.go': ['XML'],
  'module/engine/interpreted/xml_texts.go': ['XML'],
};

/** A mutant whose tests run longer counts as detected. Unchanged, the tests take a fraction of this time. */
const mostSeconds = 240;

const programOf = (copy: string, folder: string): string => join(copy, 'tests', `${basename(folder)}.test`);

/** Compiles the tests of a copy of the project. @throws Error when a mutant does not compile. */
export function compileTests(copy: string): void {
  mkdirSync(join(copy, 'tests'), { recursive: true });
  const paths = packages.map((folder) => folder.replace('module', '.'));
  execFileSync('go', ['test', '-vet=off', '-c', '-o', `${join(copy, 'tests')}/`, ...paths], {
    cwd: join(copy, 'module'),
  });
}

/** Adds the mutants to the sources of a copy. Returns those that lie outside of functions, which are not added. */
export function addMutants(copy: string, numbers: ReadonlyMap<Mutant, number>): Mutant[] {
  for (const folder of packages) writeFileSync(join(copy, folder, 'mutant.go'), numberFile(basename(folder)));
  const files = Map.groupBy(numbers, ([{ file }]) => file);
  return [...files].flatMap(([file, its]) => {
    const path = join(copy, file);
    const { text, left } = withMutants(readFileSync(path, 'utf8'), its);
    writeFileSync(path, text);
    return left;
  });
}

/** The commands that test a compiled copy, the fastest first. `number` is that of an added mutant. */
export function goCommands(copy: string, mutant?: Mutant, number = 0): Command[] {
  const test = (folder: string, tests: string): Command => ({
    file: programOf(copy, folder),
    args: ['-test.failfast', `-test.timeout=${mostSeconds}s`, `-test.run=${tests}`],
    cwd: join(copy, folder),
    env: { [mutantVariable]: String(number) },
  });
  const all = packages.map((folder) => test(folder, prefilterTests));
  const first = mutant && firstTests[mutant.file];
  if (mutant === undefined || first === undefined) return all;
  const [tests, folder = dirname(mutant.file)] = first;
  return [test(folder, tests), test('module/engine', 'Vectors'), ...all];
}
