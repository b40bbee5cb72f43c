/**
 * Records which mutants are proven to be noticed, in `proven/`. A proof belongs to one mutated file. It holds while the
 * file, its mutants, and the tests that noticed them are unchanged. Without a proof that holds, the mutants run.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { packageRoot } from '../../platform/assets.ts';
import type { Mutant } from './mutant.ts';

/** The argument with which all mutants run, whatever the record says. */
const allArgument = '--all';
const provenFolder = join(packageRoot, 'conformance/mutants/proven');

interface Proof {
  readonly hash: string;
  /** Names of the tests that noticed the mutants. */
  readonly tests: readonly string[];
}

/** Hashes of tests, by name. */
export type Tests = ReadonlyMap<string, string>;

export const hashOf = (...texts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 24);

/** Returns the hash of all files that match the patterns, which are relative to the project. */
export const filesHash = (patterns: readonly string[]): string =>
  hashOf(
    ...globSync(patterns, { cwd: packageRoot })
      .sort()
      .flatMap((file) => [file, textOf(file)]),
  );

const textOf = (file: string): string => readFileSync(join(packageRoot, file), 'utf8');

export class Proofs {
  readonly #record: string;
  readonly #tests: Tests;
  readonly #byFile: ReadonlyMap<string, readonly Mutant[]>;
  /** Hashes of the mutated files and their mutants. A file that changes while its mutants run gets no proof that holds. */
  readonly #hashes: ReadonlyMap<string, string>;
  #proofs: Readonly<Record<string, Proof>>;
  readonly #noticed = new Map<Mutant, string>();

  /** @param name file below `proven/` @param mutants all mutants of the record @param tests all tests that can notice them */
  constructor(name: string, mutants: readonly Mutant[], tests: Tests, folder = provenFolder) {
    this.#record = join(folder, `${name}.json`);
    this.#tests = tests;
    this.#byFile = Map.groupBy(mutants, ({ file }) => file);
    this.#hashes = new Map(
      [...this.#byFile].map(([file, edits]) => [file, hashOf(textOf(file), JSON.stringify(edits))]),
    );
    const isRecorded = !process.argv.includes(allArgument) && existsSync(this.#record);
    this.#proofs = isRecorded ? (JSON.parse(readFileSync(this.#record, 'utf8')) as Record<string, Proof>) : {};
  }

  /** Returns the mutants of all files without a proof that holds. */
  pending(): Mutant[] {
    return [...this.#byFile].flatMap(([file, mutants]) => (this.#isProven(file) ? [] : mutants));
  }

  #isProven(file: string): boolean {
    const proof = this.#proofs[file];
    return proof?.tests.every((test) => this.#tests.has(test)) === true && proof.hash === this.#hash(file, proof.tests);
  }

  #hash(file: string, tests: readonly string[]): string {
    return hashOf(this.#hashes.get(file) ?? '', ...tests.map((test) => this.#tests.get(test) ?? ''));
  }

  /** Records that a test noticed a mutant. Writes the proof of the file when all of its mutants are noticed. */
  add(mutant: Mutant, test: string): void {
    this.#noticed.set(mutant, test);
    const { file } = mutant;
    const found = this.#byFile.get(file)?.map((one) => this.#noticed.get(one));
    if (!found?.every((name) => name !== undefined)) return;
    const tests = [...new Set(found)].sort();
    this.#proofs = { ...this.#proofs, [file]: { hash: this.#hash(file, tests), tests } };
    this.#write();
  }

  /** Writes one line for each mutated file. Proofs of files without mutants are dropped. */
  #write(): void {
    const lines = Object.keys(this.#proofs)
      .filter((file) => this.#byFile.has(file))
      .sort()
      .map((file) => `  ${JSON.stringify(file)}: ${JSON.stringify(this.#proofs[file])}`);
    mkdirSync(dirname(this.#record), { recursive: true });
    writeFileSync(this.#record, `{\n${lines.join(',\n')}\n}\n`);
  }
}
