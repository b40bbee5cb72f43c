/** The proxies that `guardcli build` can build. */
import { artefacts } from '../../artefacts/artefacts.ts';
import type { BaseName } from '../../sandbox-images/bases.ts';
import { pluginModule } from '../generate/traefik.ts';
import { caddyRegistration, traefikRegistration, webInterfaceSource } from './sources.ts';

interface ProxyModule {
  readonly path: string;
  /** The version that tests run, such as `v3.7.10`. */
  readonly pinned: string;
  /** Folder of the main package. */
  readonly main: string;
  readonly license: string;
}

export interface BuiltProxy {
  readonly name: 'traefik' | 'caddy';
  readonly title: string;
  readonly module: ProxyModule;
  /** Folder with the go.sum of all modules of the program. Relative to the package root. */
  readonly goSumFolder: string;
  /** Folders to copy: path below the package root to name in the folder of the build. */
  readonly folders: Readonly<Record<string, string>>;
  readonly omittedFiles: readonly string[];
  /** Modules that Go reads from a copied folder: module path to folder. */
  readonly replacements: Readonly<Record<string, string>>;
  /** The Go file that puts the guard and further modules into the program. */
  readonly register: (modules: readonly string[]) => string;
  /** Values that the linker sets, by the name of the Go variable. */
  readonly variables: (version: string, guard: string) => Readonly<Record<string, string>>;
  /** The Go file that puts the web interface into the program. Absent: it has none. */
  readonly webInterface?: string;
  /** Why the proxy refuses `--with`. Absent: it accepts modules. */
  readonly refusesModules?: string;
  readonly image: {
    readonly base: BaseName;
    readonly tag: (version: string) => string;
    readonly path: string;
    /** Further files of the image: path in it to path below the package root. */
    readonly files: Readonly<Record<string, string>>;
  };
  /** Instructions for the user after the build, one sentence each. */
  readonly next: readonly string[];
}

function pinOf(name: 'caddy' | 'traefik'): Pick<ProxyModule, 'path' | 'pinned'> {
  const [[path, pinned] = ['', '']] = Object.entries(artefacts[name].pins);
  return { path, pinned };
}

/** Path of the plugin's manifest below the working directory of Traefik. */
const pluginFile = `plugins-local/src/${pluginModule}/.traefik.yml`;

const traefikModule = pinOf('traefik');
const versionVariable = (name: string): string => `${traefikModule.path}/pkg/version.${name}`;

const traefik: BuiltProxy = {
  name: 'traefik',
  title: 'Traefik',
  module: { ...traefikModule, main: 'cmd/traefik', license: 'LICENSE.md' },
  goSumFolder: artefacts.traefik.source,
  folders: { module: 'guard', 'sandbox-images/traefik/ext': 'ext' },
  omittedFiles: [],
  replacements: { [pluginModule]: './guard', 'github.com/traefik/traefik/dynamic/ext': './ext' },
  register: traefikRegistration,
  // A date would make two builds of the same version different.
  variables: (version, guard) => ({
    [versionVariable('Version')]: version.slice(1),
    [versionVariable('Codename')]: `request-guard-${guard}`,
    [versionVariable('BuildDate')]: 'reproducible',
  }),
  webInterface: webInterfaceSource(traefikModule.path),
  refusesModules: 'Traefik loads further plugins as its static configuration says',
  image: {
    base: 'traefik',
    tag: (version) => version,
    path: '/usr/local/bin/traefik',
    files: { [`/${pluginFile}`]: 'module/.traefik.yml' },
  },
  next: [
    `copy module/.traefik.yml of the package to ${pluginFile} in the working directory of Traefik; it needs no other file of the plugin`,
    'keep experimental.localPlugins in the static configuration',
  ],
};

const caddy: BuiltProxy = {
  name: 'caddy',
  title: 'Caddy',
  module: { ...pinOf('caddy'), main: 'cmd/caddy', license: 'LICENSE' },
  goSumFolder: artefacts.caddy.source,
  folders: { module: 'guard' },
  // Without these files guard/caddy belongs to the module of the guard. The go.mod of Caddy then decides all versions.
  omittedFiles: ['guard/caddy/go.mod', 'guard/caddy/go.sum'],
  replacements: { [pluginModule]: './guard' },
  register: caddyRegistration,
  variables: () => ({}),
  image: { base: 'caddy', tag: (version) => version.slice(1), path: '/usr/bin/caddy', files: {} },
  next: [],
};

export const builtProxies: readonly BuiltProxy[] = [traefik, caddy];
