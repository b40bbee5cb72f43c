/** Compiles the Go sources, on this machine or in a container. */

import { command } from '../platform/command.ts';
import { type Artefact, oldestGo } from './artefacts.ts';

export type Architecture = 'amd64' | 'arm64';

export interface GoBuild {
  readonly artefact: Artefact;
  /** The package root, which contains the sources. */
  readonly root: string;
  readonly arch: Architecture;
  /** The path of the binary, in an existing folder. */
  readonly output: string;
  readonly signal?: AbortSignal | undefined;
  readonly onText?: ((text: string) => void) | undefined;
}

export interface Compiler {
  /** Identifies the compiler down to its version. It is part of the content hash. */
  readonly id: string;
  readonly build: (job: GoBuild) => Promise<unknown>;
}

function linkerFlags({ cgo, variables = {} }: Artefact): string {
  const values = Object.entries(variables).map(([name, value]) => `-X ${name}=${value}`);
  const isStatic = cgo ? ['-linkmode=external -extldflags=-static'] : [];
  return ['-s -w', ...values, ...isStatic].join(' ');
}

/** Arguments of `go`. With -v it prints the names of the compiled packages as progress. */
export function buildArgs(artefact: Artefact, output: string): string[] {
  const { main, tags } = artefact;
  const fixed = ['-v', '-trimpath', '-buildvcs=false', '-mod=readonly', `-ldflags=${linkerFlags(artefact)}`];
  return ['build', ...fixed, `-tags=${tags.join(',')}`, `-o=${output}`, main ?? '.'];
}

/** Environment for a static Linux binary, independent of the machine and its settings. */
export function buildEnvironment({ cgo }: Artefact, arch: Architecture): Record<string, string> {
  return { CGO_ENABLED: cgo ? '1' : '0', GOOS: 'linux', GOARCH: arch, GOWORK: 'off', GOFLAGS: '' };
}

const localGo = (version: string): Compiler => ({
  id: version,
  build: ({ artefact, root, arch, output, signal, onText }) => {
    const where = { cwd: `${root}/${artefact.source}`, env: buildEnvironment(artefact, arch) };
    return command('go', buildArgs(artefact, output), {
      ...where,
      signal,
      onText,
      // A sandbox waits for this build; a build that only tests need has the lowest priority.
      background: artefact.isForTests ? 'last' : false,
    });
  },
});

function isRecent(version: string): boolean {
  return version.replace(/^go/, '').localeCompare(oldestGo, 'en', { numeric: true }) >= 0;
}

/** Returns the Go of this machine if it is recent enough to read the go.mod files. */
export async function goOnMachine(): Promise<Compiler | undefined> {
  const version = await command('go', ['env', 'GOVERSION']).catch(() => '');
  return version !== '' && isRecent(version) ? localGo(version.trim()) : undefined;
}
