/**
 * Import rules of the source tree: which folder may import which, and which files may import certain packages. Biome's
 * `noRestrictedImports` cannot express them: each override replaces the previous one, so every row would have to repeat
 * all others.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, matchesGlob } from 'node:path';
import { packageRoot } from '../platform/assets.ts';

interface Border {
  /** The folder whose subfolders are ranked. '' is the root. */
  readonly below: string;
  /** From the lowest layer to the highest. A folder may import only earlier rows. */
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
  /** Scope of the rule. Absent: everywhere. */
  readonly within?: string;
  /** Globs of files that may import the packages despite the rule. */
  readonly except: readonly string[];
  readonly why: string;
}

const builtIn = builtinModules.map((name) => `node:${name.replace('node:', '')}`);

export const packageRules: readonly PackageRule[] = [
  {
    packages: ['dockerode'],
    except: ['cli/sandbox/docker.ts'],
    why: 'only one file uses the client of the container runtime; import the interface in cli/sandbox/containers.ts',
  },
  {
    packages: ['ink', 'react'],
    except: ['cli/views/**', 'cli/program/{output,command}.ts'],
    why: 'only views use Ink: return a result from the command and add a view',
  },
  {
    packages: ['d3-scale', 'd3-shape'],
    except: ['cli/dashboard/report/chart.ts'],
    why: 'one file draws charts; call it with the series to draw',
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

/** Imports as Biome formats them: the specifier is in single quotes after `from`, `import` or `import(`. */
const specifier = /(?:^|[\s}])(?:from|import) '([^']+)'|\bimport\('([^']+)'\)/gm;

/** Every import of a source text. `file` is its path from the root. */
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

/** Undefined: the path is not in a ranked folder. */
function placeOf({ below, ranks }: Border, path: string): Place | undefined {
  if (below !== '' && !path.startsWith(`${below}/`)) return undefined;
  const [folder, ...rest] = path.slice(below === '' ? 0 : below.length + 1).split('/') as [string, ...string[]];
  if (rest.length === 0) return undefined;
  return { folder, rank: ranks.findIndex((row) => row.includes(folder)) };
}

/** Tests of the daemon start the whole daemon, and every test may import the platform. */
const isExempt = ({ below }: Border, { file, target }: Import): boolean =>
  isTest(file) && (below !== '' || target.startsWith('platform/'));

function crossing(border: Border, found: Import): string | undefined {
  const [from, to] = [placeOf(border, found.file), placeOf(border, found.target)];
  if (!from || !to || from.folder === to.folder || isExempt(border, found)) return undefined;
  if (from.rank < 0 || to.rank < 0) return 'one of the two folders is missing in the table of borders';
  return from.rank > to.rank ? undefined : `${to.folder} is not a lower layer than ${from.folder}`;
}

const refuses = ({ packages, within = '**', except }: PackageRule, { file, target }: Import): boolean =>
  packages.includes(target) && matchesGlob(file, within) && !except.some((glob) => matchesGlob(file, glob));

/** Problems of the imports of one file, one line each. */
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
