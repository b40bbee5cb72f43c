/** The engines that are compared with the reference, each as a command that implements the protocol. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PolicyFile } from '../policy/schema.ts';
import { ambiguousRepetition } from '../regex/ambiguity.ts';
import { parseRegex } from '../regex/grammar.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** LuaJIT with the libraries of nginx, in the test image. */
const luajit = join(root, 'scripts/test-image/bin/luajit');

export interface EngineRow {
  readonly name: string;
  /** Makes what the command needs in `folder`, which is empty at first and removed at the end; returns the command. */
  readonly prepare: (folder: string) => readonly [file: string, ...args: string[]];
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

const takesAll = (): boolean => true;

const go = (name: string, ...args: readonly string[]): EngineRow => ({
  name,
  prepare: (folder) => {
    const file = join(folder, 'verdicts');
    execFileSync('go', ['build', '-o', file, './cmd/verdicts'], { cwd: join(root, 'module'), stdio: 'inherit' });
    return [file, ...args];
  },
  takes: takesAll,
});

export const engines: readonly EngineRow[] = [
  // As Caddy runs it, then as Traefik's interpreter does.
  go('go'),
  go('go-interpreted', '-interpreted'),
  // The regex engine of Debian's nginx, then the one of newer builds.
  lua('PCRE'),
  lua('PCRE2'),
];
