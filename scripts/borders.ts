/** The import rules between the folders of the source tree. biome.json has those for packages. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { packageRoot } from '../platform/assets.ts';

interface Border {
  /** Prefix of the ranked folders. '' is the root of the project. */
  readonly below: string;
  /** Names of folders, from the lowest layer to the highest. A folder may import only earlier rows. */
  readonly layers: readonly string[];
}

export const borders: readonly Border[] = [
  {
    below: '',
    layers: [
      ...[
        'contract platform',
        'engine',
        'logs',
        'module daemon containers compose',
        'sandbox-images',
        'artefacts',
        'conformance',
      ],
      ...['cli', 'scripts', 'packaging', 'e2e bench'],
    ],
  },
  {
    below: 'contract/',
    layers: [
      ...[
        'generated regex values',
        'schema',
        'logs',
        'daemon',
        'policy',
        'events',
        'api',
        'load',
        'cases vectors',
        'generate',
      ],
    ],
  },
  {
    below: 'cli/',
    layers: [
      ...['program generate counting', 'input targets probes apply completion daemon'],
      ...['evaluate validate', 'batch suite', 'policy replay sandbox bans presets', 'views build', 'stack'],
      ...['report watch doctor why workbench', 'commands', 'testing'],
    ],
  },
  { below: 'cli/sandbox/', layers: ['image', 'plan', 'targets', 'session'] },
  { below: 'bench/', layers: ['measure', 'engine guardcli proxies tcp-guard'] },
  {
    below: 'daemon/',
    layers: [
      ...[
        'time process geo inspectors stats',
        'address',
        'plane',
        'audit ftp-data logins proxy-protocol',
        'bans',
        'feed failures',
      ],
      ...[
        'admission intake lists notify',
        'kernel-bans publish',
        'session api host',
        'listen',
        'workers setup',
        'app',
        'testing',
      ],
    ],
  },
];

/** Matches imports. Biome writes their paths in single quotes. */
const specifier = /(?:^|[\s}])(?:from|import) '([^']+)'|\bimport\('([^']+)'\)/gm;

const isTest = (file: string): boolean => matchesGlob(file, '**/*.test.{ts,tsx}');

/** Returns the ranked folder of a path, or undefined when the path is outside the border. */
function folderOf({ below }: Border, path: string): string | undefined {
  if (!path.startsWith(below)) return undefined;
  const [folder, ...rest] = path.slice(below.length).split('/');
  return rest.length > 0 ? folder : undefined;
}

function crossingProblems(border: Border, file: string, target: string): string[] {
  const [from, to] = [folderOf(border, file), folderOf(border, target)];
  // A test may import every folder inside a border, because tests of the daemon start the whole daemon. Every test may
  // import the platform, vectors and generated requests.
  const isExempt = isTest(file) && (border.below !== '' || to === 'platform' || to === 'conformance');
  if (from === undefined || to === undefined || from === to || isExempt) return [];
  const layerOf = (name: string): number => border.layers.findIndex((layer) => layer.split(' ').includes(name));
  const [low, high] = [layerOf(to), layerOf(from)];
  if (low < 0 || high < 0) return ['one of the two folders is missing in the table of borders'];
  return low < high ? [] : [`${to} is not a lower layer than ${from}`];
}

/** Returns the import violations of one file, one line each. `file` is its path from the root. */
export function violations(file: string, text: string): string[] {
  return [...text.matchAll(specifier)].flatMap(([, fixed, dynamic]) => {
    const name = (fixed ?? dynamic) as string;
    const target = name.startsWith('.') ? join(dirname(file), name) : name;
    const isInside = target.includes('/') && existsSync(join(packageRoot, target));
    const crossed = isInside ? borders.flatMap((border) => crossingProblems(border, file, target)) : [];
    return crossed.map((reason) => `${file} imports ${target}: ${reason}`);
  });
}

/** Returns all TypeScript sources that git tracks, as paths from the root. */
export function sources(): string[] {
  return execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { cwd: packageRoot, encoding: 'utf8' }).trim().split('\n');
}
