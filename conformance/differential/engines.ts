/** The engines that are compared with the reference, each as a command that implements the protocol. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PolicyFile } from '../../contract/policy/schema.ts';
import { ambiguousRepetition } from '../../contract/regex/ambiguity.ts';
import { parseRegex } from '../../contract/regex/grammar.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** LuaJIT with the libraries of nginx, in the test image. */
const luajit = join(root, 'scripts/test-image/bin/luajit');

export interface EngineRow {
  readonly name: string;
  /** Makes what the command needs in `folder`, which is empty at first and removed at the end; returns the command. */
  readonly prepare: (folder: string) => readonly [file: string, ...args: string[]];
  /** Divides the number of questions that it gets. Absent: all of them. */
  readonly partOf?: number;
  /** Whether it takes a policy at all. */
  readonly takes: (policy: PolicyFile) => boolean;
}

function isTrap(source: string): boolean {
  const parsed = parseRegex(source);
  return parsed.ok && ambiguousRepetition(parsed.tree) !== undefined;
}

/** PCRE backtracks, so nginx refuses patterns on which that could take for ever. */
export const hasNoTraps = ({ blockPatterns = [], allowPatterns = [] }: PolicyFile): boolean =>
  ![...blockPatterns, ...allowPatterns].some(isTrap);

const lua = (library: string): EngineRow => ({
  name: `lua-${library.toLowerCase()}`,
  prepare: () => [luajit, join(root, 'module/lua/t/verdicts.lua'), library],
  takes: hasNoTraps,
});

const buildGo = (directory: string, target: string, file: string): void => {
  execFileSync('go', ['build', '-o', file, target], { cwd: directory, stdio: 'inherit' });
};

const takesAll = (): boolean => true;

const go = (name: string, ...args: readonly string[]): EngineRow => ({
  name,
  prepare: (folder) => {
    const file = join(folder, 'verdicts');
    buildGo(join(root, 'module'), './cmd/verdicts', file);
    return [file, ...args];
  },
  takes: takesAll,
});

/** Traefik's interpreter loads plugins from the GOPATH of this folder. A verdict takes it some ten times as long. */
const yaegi: EngineRow = {
  name: 'yaegi',
  partOf: 10,
  prepare: (folder) => {
    const plugin = join(folder, 'src/github.com/request-guard/guard');
    mkdirSync(dirname(plugin), { recursive: true });
    symlinkSync(join(root, 'module'), plugin);
    const file = join(folder, 'interpreted');
    buildGo(join(root, 'module/cmd/interpreted'), '.', file);
    return [file, folder];
  },
  takes: takesAll,
};

export const engines: readonly EngineRow[] = [
  // As Caddy runs it; what Traefik's interpreter runs, compiled; and the same in this interpreter.
  go('go'),
  go('go-interpreted', '-interpreted'),
  yaegi,
  // The regex engine of Debian's nginx, then the one of newer builds.
  lua('PCRE'),
  lua('PCRE2'),
];
