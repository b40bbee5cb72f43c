/**
 * The borders of the source tree: which folder may import which, and which package only some files may import.
 * Biome's `noRestrictedImports` cannot hold this table: each of its overrides replaces the one before it, so that every
 * row would have to repeat all others.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, matchesGlob } from 'node:path';
import { packageRoot } from '../platform/assets.ts';

interface Border {
  /** The folder whose folders are ranked; '' is the root. */
  readonly below: string;
  /** From what the others rest on to what rests on them: a folder imports earlier rows, never its own row or a later one. */
  readonly ranks: readonly (readonly string[])[];
}

export const borders: readonly Border[] = [
  {
    below: '',
    ranks: [
      ['contract', 'platform'],
      ['module', 'daemon', 'sandbox-images'],
      ['cli'],
      ['scripts'],
      ['e2e', 'bench', 'fuzz', 'packaging'],
    ],
  },
  {
    below: 'daemon',
    ranks: [
      ['time', 'process', 'geo', 'inspectors', 'stats'],
      ['plane'],
      ['address'],
      ['audit', 'proxy-protocol'],
      ['bans'],
      ['feed', 'failures'],
      ['admission', 'intake'],
      ['session', 'api'],
      ['listen'],
      ['workers'],
      ['app'],
      ['testing'],
    ],
  },
];

interface PackageRule {
  readonly packages: readonly string[];
  /** Where the rule holds; absent: everywhere. */
  readonly within?: string;
  /** Globs of the files that may import the packages all the same. */
  readonly except: readonly string[];
  readonly why: string;
}

const builtIn = builtinModules.map((name) => `node:${name.replace('node:', '')}`);

export const packageRules: readonly PackageRule[] = [
  {
    packages: ['dockerode'],
    except: ['cli/sandbox/docker.ts'],
    why: 'one file holds the client of the container runtime; import the port in cli/sandbox/containers.ts',
  },
  {
    packages: ['ink', 'react'],
    except: ['cli/views/**', 'cli/program/{output,command}.ts'],
    why: 'only views draw: return a result from the command and give it a view',
  },
  {
    packages: builtIn,
    within: 'contract/**',
    except: ['contract/{generate,differential,mutants}/**', 'contract/load/fuzz.ts', '**/*.test.ts'],
    why: 'the contract is pure: pass bytes and values in; files, clocks and sockets belong to the callers',
  },
];

interface Import {
  readonly file: string;
  /** A path from the root, or the name of a package. */
  readonly target: string;
}

/** Imports as Biome formats them: the specifier in single quotes behind `from`, `import` or `import(`. */
const specifier = /(?:^|[\s}])(?:from|import) '([^']+)'|\bimport\('([^']+)'\)/gm;

/** Every import of a source text; `file` is its path from the root. */
function importsOf(file: string, text: string): Import[] {
  return [...text.matchAll(specifier)].map(([, fixed, dynamic]) => {
    const name = (fixed ?? dynamic) as string;
    return { file, target: name.startsWith('.') ? join(dirname(file), name) : name };
  });
}

const isTest = (file: string): boolean => matchesGlob(file, '**/*.test.{ts,tsx}');

interface Place {
  readonly folder: string;
  readonly rank: number;
}

/** Undefined: the path does not lie in a folder below that of the border. */
function placeOf({ below, ranks }: Border, path: string): Place | undefined {
  if (below !== '' && !path.startsWith(`${below}/`)) return undefined;
  const [folder, ...rest] = path.slice(below === '' ? 0 : below.length + 1).split('/') as [string, ...string[]];
  if (rest.length === 0) return undefined;
  return { folder, rank: ranks.findIndex((row) => row.includes(folder)) };
}

/** Tests of the daemon start all of it, and every test may use the platform. */
const isExempt = ({ below }: Border, { file, target }: Import): boolean =>
  isTest(file) && (below !== '' || target.startsWith('platform/'));

function crossing(border: Border, found: Import): string | undefined {
  const [from, to] = [placeOf(border, found.file), placeOf(border, found.target)];
  if (!from || !to || from.folder === to.folder || isExempt(border, found)) return undefined;
  if (from.rank < 0 || to.rank < 0) return 'one of the two folders has no rank in the table of borders';
  return from.rank > to.rank ? undefined : `${to.folder} does not lie below ${from.folder}`;
}

const refuses = ({ packages, within = '**', except }: PackageRule, { file, target }: Import): boolean =>
  packages.includes(target) && matchesGlob(file, within) && !except.some((glob) => matchesGlob(file, glob));

/** What is wrong with the imports of one file, a line each. */
export function violations(file: string, text: string): string[] {
  return importsOf(file, text).flatMap((found) => {
    const isInside = found.target.includes('/') && existsSync(join(packageRoot, found.target));
    const crossed = isInside ? borders.map((border) => crossing(border, found)) : [];
    const refused = packageRules.filter((rule) => refuses(rule, found)).map(({ why }) => why);
    const reasons = [...crossed.filter((reason) => reason !== undefined), ...refused];
    return reasons.map((reason) => `${file} imports ${found.target}: ${reason}`);
  });
}

/** All TypeScript sources that git tracks, as paths from the root. */
export function sources(): string[] {
  return execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { cwd: packageRoot, encoding: 'utf8' }).trim().split('\n');
}
