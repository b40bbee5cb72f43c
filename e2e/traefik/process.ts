import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { buildArtefact } from '../../artefacts/build.ts';
import { compiledTraefik } from '../../cli/build/cached.ts';
import { pluginModule } from '../../cli/generate/traefik.ts';
import { packageRoot } from '../../platform/assets.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { collectOutput, endChild } from '../../platform/testing/child.ts';
import { freePort } from '../support/guardcli.ts';
import { isTraefikCompiled } from '../support/sandbox-image.ts';

/** Folders of the module that the plugin does not need. */
const omittedFolders = /\/module\/(?:caddy|cmd|internal|lua)(?:\/|$)/;

export interface Traefik {
  readonly port: number;
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Replaces the dynamic configuration atomically. */
  readonly configure: (dynamic: object) => void;
}

interface StaticOptions {
  readonly entryPoints?: object;
  readonly providers?: object;
  readonly api?: object;
  readonly accessLog?: object;
}

function staticConfiguration(port: number, file: string, { entryPoints, providers, ...more }: StaticOptions): object {
  return {
    ...more,
    global: { checkNewVersion: false, sendAnonymousUsage: false },
    log: { level: 'INFO', noColor: true },
    entryPoints: { ...entryPoints, web: { address: `127.0.0.1:${port}` } },
    providers: { ...providers, providersThrottleDuration: '50ms', file: { filename: file, watch: true } },
    experimental: { localPlugins: { guard: { moduleName: pluginModule } } },
  };
}

/** A Traefik program with the guard. `install` writes the folder of the plugin. */
interface Variant {
  readonly binary: () => Promise<string>;
  readonly install: (folder: string) => unknown;
}

export const variants = {
  plugin: {
    binary: () => buildArtefact('traefik'),
    install: (folder) =>
      cpSync(join(packageRoot, 'module'), folder, {
        recursive: true,
        filter: (source) => !omittedFolders.test(source),
      }),
  },
  compiled: {
    binary: compiledTraefik,
    install: (folder) => cpSync(join(packageRoot, 'module/.traefik.yml'), join(folder, '.traefik.yml')),
  },
} as const satisfies Record<string, Variant>;

const defaultVariant: Variant = isTraefikCompiled ? variants.compiled : variants.plugin;

/** Starts Traefik, which may not have loaded its routes when this resolves. */
export async function startTraefik(
  t: TestContext,
  dynamic: object,
  options: StaticOptions = {},
  { binary, install }: Variant = defaultVariant,
): Promise<Traefik> {
  const program = await binary();
  const folder = scratchFolder('guard-traefik-');
  const sources = join(folder, 'plugins-local', 'src', pluginModule);
  mkdirSync(sources, { recursive: true });
  install(sources);
  const port = await freePort();
  const file = join(folder, 'dynamic.yml');
  const configure = (next: object): void => {
    writeFileSync(join(folder, 'next'), JSON.stringify(next));
    renameSync(join(folder, 'next'), file);
  };
  configure(dynamic);
  writeFileSync(join(folder, 'traefik.yml'), JSON.stringify(staticConfiguration(port, file, options)));
  const child = spawn(program, [`--configFile=${join(folder, 'traefik.yml')}`], { cwd: folder });
  t.after(() => endChild(child));
  return { port, child, configure, output: collectOutput(child) };
}

/** Returns a route with a guard for each policy, in order. */
export function routeWithGuards(url: string, policies: Readonly<Record<string, object>>): object {
  const middlewares = Object.entries(policies).map(([name, guard]) => [name, { plugin: { guard } }]);
  return {
    http: {
      routers: { all: { rule: 'PathPrefix(`/`)', service: 'backend', middlewares: Object.keys(policies) } },
      services: { backend: { loadBalancer: { servers: [{ url }] } } },
      ...(middlewares.length > 0 && { middlewares: Object.fromEntries(middlewares) }),
    },
  };
}
