/** Reads a suite file with its includes and policies. Collects the problems of all these files into one error. */
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { suiteBounds } from '../../contract/cases/bounds.ts';
import { loadSuite } from '../../contract/cases/load.ts';
import type { Suite } from '../../contract/cases/schema.ts';
import type { LoadedFile } from '../../contract/load/problem.ts';
import { limits } from '../../contract/policy/limits.ts';
import { ConfigError, type FileProblem, GuardError, UsageError } from '../../platform/errors.ts';
import { policyFor } from '../evaluate/policy.ts';
import { checkNamedFile } from '../input/named-file.ts';
import { readPolicy } from '../input/policy.ts';
import { defaultFile, readSource, refuseStdinTwice, stdinName } from '../input/source.ts';
import type { Context } from '../program/context.ts';
import type { Case, LoadedSuite, SuitePolicy } from './case.ts';
import { expandCase, rowCount } from './expand.ts';

export interface SuiteSource {
  readonly file: string;
  /** The policy of the command line. It replaces those of the whole suite file, but not those of cases and includes. */
  readonly config: string | SuitePolicy | undefined;
}

type File = LoadedFile<Suite>;
type Path = readonly (string | number)[];

const pathFrom = (folder: string, entry: string): string => (isAbsolute(entry) ? entry : join(folder, entry));

class SuiteReader {
  readonly cases: Case[] = [];
  readonly problems: FileProblem[] = [];
  readonly #context: Context;
  /** Folders in which a suite may name files. */
  readonly #folders: readonly string[];
  readonly #touched: (path: string) => void;
  readonly #policies = new Map<string, SuitePolicy | undefined>();
  #files = 0;

  constructor(file: string, context: Context, touched: (path: string) => void) {
    this.#context = context;
    const { cwd } = context;
    this.#folders = file === stdinName ? [cwd] : [cwd, dirname(resolve(cwd, file))];
    this.#touched = touched;
  }

  /** Returns the policy of `config`. Without it, returns the policy of a command without `-c`. */
  async basePolicy(config: SuiteSource['config']): Promise<SuitePolicy> {
    if (typeof config === 'object') return config;
    const name = config ?? defaultFile;
    this.#touch(name);
    const cachedPolicy = this.#policies.get(this.#path(name));
    const policy = cachedPolicy ?? (await policyFor({ ...(config !== undefined && { config }) }, this.#context));
    if (policy.name !== null) this.#policies.set(this.#path(name), policy);
    return policy;
  }

  /**
   * Reads a file with its includes.
   * @param isFixed true when `policies` replace those of the whole file, but not those of its cases and includes
   * @param chain paths of the including files, outermost first
   */
  async read(
    name: string,
    policies: () => Promise<readonly SuitePolicy[]>,
    isFixed: boolean,
    chain: readonly string[],
  ): Promise<void> {
    this.#touch(name);
    this.#files += 1;
    const source = await readSource(name, this.#context);
    const loaded = loadSuite(source.bytes, source.name);
    if (!loaded.ok) {
      this.problems.push(...loaded.problems.map((problem) => ({ ...problem, file: loaded.name })));
      return;
    }
    const own = isFixed ? undefined : loaded.value.policies;
    const folder = name === stdinName ? '' : dirname(name);
    const applying = own ? () => this.#loadPolicies(loaded, folder, ['policies'], own) : policies;
    await this.#expand(loaded, folder, applying);
    for (const [index, entry] of loaded.value.include.entries()) {
      await this.#include(pathFrom(folder, entry), loaded, ['include', index], applying, [...chain, this.#path(name)]);
    }
  }

  async #include(
    name: string,
    from: File,
    path: Path,
    policies: () => Promise<readonly SuitePolicy[]>,
    chain: readonly string[],
  ): Promise<void> {
    const { depth, files } = suiteBounds;
    if (chain.includes(this.#path(name))) return this.#report(from, path, `${name} includes itself`);
    if (chain.length > depth) return this.#report(from, path, `includes are more than ${depth} levels deep`);
    if (this.#files >= files) return this.#report(from, path, `the suite has more than ${files} files`);
    await this.#withFileErrors(from, path, async () => {
      checkNamedFile(this.#path(name), name, this.#folders);
      await this.read(name, policies, false, chain);
    });
  }

  async #expand(file: File, folder: string, policies: () => Promise<readonly SuitePolicy[]>): Promise<void> {
    for (const [index, one] of file.value.cases.entries()) {
      const own = one.policies;
      const path = ['cases', index, 'policies'];
      const applying = own ? await this.#loadPolicies(file, folder, path, own) : await policies();
      if (this.cases.length + rowCount(one) * applying.length > suiteBounds.cases) {
        return this.#report(file, ['cases', index], `the suite has more than ${suiteBounds.cases} cases`);
      }
      for (const expanded of expandCase(file, index, applying)) this.cases.push(expanded);
    }
  }

  /** Returns the usable policies of the list. Reports each unusable policy once. */
  async #loadPolicies(
    file: File,
    folder: string,
    path: Path,
    names: readonly string[],
  ): Promise<readonly SuitePolicy[]> {
    const policies: SuitePolicy[] = [];
    for (const [index, entry] of names.entries()) {
      const name = pathFrom(folder, entry);
      const key = this.#path(name);
      if (!this.#policies.has(key)) {
        this.#policies.set(key, undefined);
        await this.#withFileErrors(file, [...path, index], async () => {
          checkNamedFile(key, name, this.#folders);
          this.#touch(name);
          if (this.#policies.size > suiteBounds.policies) {
            return this.#report(file, [...path, index], `the suite has more than ${suiteBounds.policies} policies`);
          }
          this.#policies.set(key, await readPolicy(name, this.#context));
        });
      }
      const policy = this.#policies.get(key);
      if (policy) policies.push(policy);
    }
    return policies;
  }

  /** Reports an error of a named file at the line that names it. Problems inside that file keep their positions. */
  async #withFileErrors(file: File, path: Path, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof ConfigError) {
        const { name, problems } = error.refusal;
        this.problems.push(...problems.map((problem) => ({ file: name, ...problem })));
      } else if (error instanceof GuardError) this.#report(file, path, error.message, error.hint);
      else throw error;
    }
  }

  #report(file: File, path: Path, message: string, hint?: string): void {
    const place = file.place(path);
    this.problems.push({
      ...{ kind: 'bad_value', file: file.name, path: '', ...place, message },
      ...(hint !== undefined && { hint }),
    });
  }

  #path(name: string): string {
    return resolve(this.#context.cwd, name);
  }

  #touch(name: string): void {
    if (name !== stdinName) this.#touched(this.#path(name));
  }
}

/**
 * @param touched receives the path of each file before it is read
 * @throws UsageError when the file cannot be read or has no cases, ConfigError with the problems of all files
 */
export async function readSuite(
  { file, config }: SuiteSource,
  context: Context,
  touched: (path: string) => void = () => {},
): Promise<LoadedSuite> {
  refuseStdinTwice(
    [file, typeof config === 'string' ? config : undefined],
    'standard input can be the suite or the policy: pass a file for the other',
  );
  const reader = new SuiteReader(file, context, touched);
  let base: Promise<SuitePolicy> | undefined;
  const policies = async () => {
    base ??= reader.basePolicy(config);
    return [await base];
  };
  await reader.read(file, policies, config !== undefined, []);
  const name = file === stdinName ? '<stdin>' : file;
  const { problems, cases } = reader;
  if (problems.length > 0) {
    const shown = problems.slice(0, limits.fileProblems);
    throw new ConfigError({ name, problems: shown, omitted: problems.length - shown.length });
  }
  if (cases.length > 0) return { name, cases };
  throw new UsageError(`${name} has no cases`, {
    code: 'no_cases',
    hint: 'add one below cases: with request and expect',
  });
}
