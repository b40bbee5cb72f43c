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

/** A POSIX shell script that calls Go. */
export interface GoScript {
  /** The working directory. The script may use only files below it, and caches. */
  readonly folder: string;
  readonly text: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly onText?: ((text: string) => void) | undefined;
}

/** A compiler that also runs other commands of Go. */
export interface GoTools extends Compiler {
  readonly run: (script: GoScript) => Promise<unknown>;
}

function linkerFlags({ cgo, variables = {} }: Flagged): string {
  const values = Object.entries(variables).map(([name, value]) => `-X ${name}=${value}`);
  const isStatic = cgo ? ['-linkmode=external -extldflags=-static'] : [];
  return ['-s -w', ...values, ...isStatic].join(' ');
}

/** The part of an artefact that determines the flags of the compiler. */
type Flagged = Pick<Artefact, 'main' | 'tags' | 'cgo' | 'variables'>;

/**
 * Flags that change each compiled package. The tests of Go use the same ones, so that Go compiles each package once for
 * both. The linker drops the data of debuggers, so the compiler does not write them.
 */
export const compilerFlags = ['-trimpath', '-gcflags=all=-dwarf=false'] as const;

/** Returns the arguments of `go`, with -v for progress. With `-mod=mod`, Go may complete go.mod and go.sum. */
export function buildArgs(artefact: Flagged, output: string, mod: 'readonly' | 'mod' = 'readonly'): string[] {
  const { main, tags } = artefact;
  const fixed = ['-v', ...compilerFlags, '-buildvcs=false', `-mod=${mod}`, `-ldflags=${linkerFlags(artefact)}`];
  return ['build', ...fixed, `-tags=${tags.join(',')}`, `-o=${output}`, main ?? '.'];
}

/** Platform of a program, in the words of Go. */
export interface Platform {
  readonly os: string;
  readonly arch: string;
}

/** Returns the environment for a static binary. It is independent of the machine and its settings. */
export function environmentFor({ os, arch }: Platform): Record<string, string> {
  return { CGO_ENABLED: '0', GOOS: os, GOARCH: arch, GOWORK: 'off', GOFLAGS: '' };
}

export function buildEnvironment({ cgo }: Artefact, arch: Architecture): Record<string, string> {
  return { ...environmentFor({ os: 'linux', arch }), ...(cgo && { CGO_ENABLED: '1' }) };
}

const localGo = (version: string): GoTools => ({
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
  run: ({ folder, text, env, ...given }) => {
    // An interrupted Go does not remove its temporary files, so they are created in the folder.
    return command('sh', ['-e', '-c', text], { ...given, env: { ...env, GOTMPDIR: folder }, cwd: folder });
  },
});

function isRecent(version: string): boolean {
  return version.replace(/^go/, '').localeCompare(oldestGo, 'en', { numeric: true }) >= 0;
}

/** Returns the Go of this machine if it is recent enough to read the go.mod files. */
export async function findLocalGo(): Promise<GoTools | undefined> {
  const version = await command('go', ['env', 'GOVERSION']).catch(() => '');
  return version !== '' && isRecent(version) ? localGo(version.trim()) : undefined;
}
