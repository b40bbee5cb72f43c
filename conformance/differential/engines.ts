/** The engines that are compared with the reference. Each is a command that implements the protocol. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { PolicyFile } from '../../contract/policy/schema.ts';
import { ambiguousRepetition } from '../../contract/regex/ambiguity.ts';
import { parseRegex } from '../../contract/regex/grammar.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** LuaJIT with nginx's Lua libraries, from the test image. */
const luajit = join(root, 'scripts/test-image/bin/luajit');

export interface EngineRow {
  readonly name: string;
  /** Builds the command in an empty folder. Returns the command line. */
  readonly build: (folder: string) => readonly [file: string, ...args: string[]];
  /** A slow engine gets the number of questions divided by this. Absent: all questions. */
  readonly divisor?: number;
  readonly accepts: (policy: PolicyFile) => boolean;
}

function isAmbiguous(source: string): boolean {
  const parsed = parseRegex(source);
  return parsed.ok && ambiguousRepetition(parsed.tree) !== undefined;
}

/**
 * Whether nginx accepts blockPatterns and allowPatterns of a policy, which can be random. PCRE backtracks, so nginx
 * refuses patterns that could take exponential time.
 */
export const hasNoAmbiguousRepetition = ({ blockPatterns = [], allowPatterns = [] }: PolicyFile): boolean =>
  ![...blockPatterns, ...allowPatterns].some(isAmbiguous);

const lua = (library: string): EngineRow => ({
  name: `lua-${library.toLowerCase()}`,
  build: () => [luajit, join(root, 'module/lua/t/verdicts.lua'), library],
  accepts: hasNoAmbiguousRepetition,
});

/** Builds without the workspace `module/go.work`, which does not contain all programs. */
const buildGo = (directory: string, target: string, file: string): void => {
  const env = { ...process.env, GOWORK: 'off' };
  execFileSync('go', ['build', '-o', file, target], { cwd: directory, stdio: 'inherit', env });
};

const acceptsAll = (): boolean => true;

const go = (name: string, ...args: readonly string[]): EngineRow => ({
  name,
  build: (folder) => {
    const file = join(folder, 'verdicts');
    buildGo(join(root, 'module'), './cmd/verdicts', file);
    return [file, ...args];
  },
  accepts: acceptsAll,
});

/** Traefik's interpreter. It loads plugins from the GOPATH `folder`. A verdict takes about ten times as long. */
const yaegi: EngineRow = {
  name: 'yaegi',
  divisor: 10,
  build: (folder) => {
    const plugin = join(folder, 'src/github.com/request-guard/guard');
    mkdirSync(dirname(plugin), { recursive: true });
    symlinkSync(join(root, 'module'), plugin);
    const file = join(folder, 'interpreted');
    buildGo(join(root, 'module/cmd/interpreted'), '.', file);
    return [file, folder];
  },
  accepts: acceptsAll,
};

export const engines: readonly EngineRow[] = [
  // The engine of Caddy, the engine of Traefik compiled, and the engine of Traefik in Traefik's interpreter.
  go('go'),
  go('go-interpreted', '-interpreted'),
  yaegi,
  // The regex library of Debian's nginx, then the library of newer builds.
  lua('PCRE'),
  lua('PCRE2'),
];
