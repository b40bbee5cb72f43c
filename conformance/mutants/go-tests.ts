/** The tests of the Go engine, compiled with mutants. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { mutantVariable, numberFile, withMutants } from './go-functions.ts';
import type { Mutant } from './mutant.ts';
import type { Command } from './tests.ts';

/** The packages with mutants, relative to the copy. */
const packages = ['module/engine/match', 'module/engine', 'module/engine/interpreted'];

/** Tests that take fewer seconds share one command, because starting a program takes as long as most of them. */
const quickSeconds = 0.3;

/**
 * Tests of a package that run in one command: a slow test, or all quick ones. `seconds` is the time of the slow test
 * without a mutant, or `quickSeconds`.
 */
export interface GoTests {
  readonly folder: string;
  readonly names: readonly string[];
  readonly seconds: number;
}

/** For each file, a pattern of the names of the tests that detect most of its mutants. */
const likelyTests: Readonly<Record<string, RegExp>> = {
  'module/engine/value_prefilter.go': /ValuePrefilter/,
  'module/engine/body.go': /ValuePrefilter/,
  'module/engine/evaluate.go': /TargetPrefilter/,
  'module/engine/passed.go': /Kept|BehindAPlain/,
  'module/engine/query.go': /VerdictVectors/,
  'module/engine/lines.go': /OnePass|HeaderWithout|AnchoredLine/,
  'module/engine/exploits.go': /VerdictVectors/,
  'module/engine/exploit_parts.go': /AForm/,
  'module/engine/body_scan.go': /VerdictVectors|ScansCount|Overlooks/,
  'module/engine/match/prefilter.go': /RequiredLiterals|CandidateVectors|CleanTexts/,
  'module/engine/interpreted/target_prefilter.go': /TargetPrefilter/,
  'module/engine/interpreted/prefilter.go': /NoLine|LongTexts|VerdictVectors/,
  'module/engine/interpreted/scan.go': /SeveralValues|ScanRe|ScanIs/,
  'module/engine/interpreted/line_matches.go': /Pluses|ScanIs|ScanFinds|ScansDecide/,
  'module/engine/interpreted/search.go': /ScansDecide/,
  'module/engine/interpreted/program.go': /Programs/,
  'module/engine/interpreted/classes.go': /Programs/,
  'module/engine/interpreted/parallel_search.go': /Programs/,
  'module/engine/interpreted/places.go': /Programs/,
  'module/engine/interpreted/readings.go': /LongTexts|SeveralValues|StepsRead/,
  'module/engine/interpreted/byte_steps.go': /StepsRead/,
  'module/engine/interpreted/segment_steps.go': /LongTexts|SeveralValues/,
  'module/engine/interpreted/body_values.go': /ScansDecide|StepsFind/,
  'module/engine/interpreted/xml_values.go': /StepsFind/,
  'module/engine/interpreted/xml_texts.go': /ScansDecide|StepsFind/,
};

export const isLikely = ({ names }: GoTests, file: string): boolean =>
  names.some((name) => likelyTests[file]?.test(name));

const programOf = (copy: string, folder: string): string => join(copy, 'tests', `${basename(folder)}.test`);

/** Compiles the tests of a copy of the project. @throws Error when a mutant does not compile. */
export function compileTests(copy: string): void {
  mkdirSync(join(copy, 'tests'), { recursive: true });
  const paths = packages.map((folder) => folder.replace('module', '.'));
  execFileSync('go', ['test', '-vet=off', '-c', '-o', `${join(copy, 'tests')}/`, ...paths], {
    cwd: join(copy, 'module'),
    stdio: ['ignore', 'inherit', 'inherit'], // shows why a mutant does not compile
  });
}

/** Adds the mutants to the sources of a copy. Returns the mutants outside of functions, which are not added. */
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

/** Measures the tests of a package in a compiled copy without a mutant. @throws Error when one fails */
async function measuredTests(copy: string, folder: string): Promise<GoTests[]> {
  const options = { cwd: join(copy, folder), maxBuffer: Number.POSITIVE_INFINITY };
  const { stdout } = await promisify(execFile)(programOf(copy, folder), ['-test.v', '-test.run=^Test'], options);
  const tests = [...stdout.matchAll(/^--- PASS: (\w+) \((.+)s\)$/gm)].map(([, name = '', seconds]) => ({
    ...{ folder, names: [name], seconds: Number(seconds) },
  }));
  const quick = tests.filter(({ seconds }) => seconds < quickSeconds);
  const slow = tests.filter(({ seconds }) => seconds >= quickSeconds);
  return [{ folder, names: quick.flatMap(({ names }) => names), seconds: quickSeconds }, ...slow];
}

/** Returns all tests, the fastest first. @throws Error when one fails without a mutant */
export async function testsOf(copy: string): Promise<GoTests[]> {
  const tests = await Promise.all(packages.map((folder) => measuredTests(copy, folder)));
  return tests.flat().sort((a, b) => a.seconds - b.seconds);
}

/** The commands that run the tests in a compiled copy. `number` selects an added mutant. With 0 no mutant is active. */
export const goCommands = (copy: string, tests: readonly GoTests[], number = 0): Command[] =>
  tests.map(({ folder, names, seconds }) => ({
    file: programOf(copy, folder),
    // A mutant whose tests run much longer counts as detected.
    args: ['-test.failfast', `-test.timeout=${Math.ceil(10 + 20 * seconds)}s`, `-test.run=^(${names.join('|')})$`],
    cwd: join(copy, folder),
    env: { [mutantVariable]: String(number) },
  }));
