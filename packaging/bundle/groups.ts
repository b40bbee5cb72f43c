/**
 * Puts modules that commands load together into one chunk. esbuild alone makes a chunk for each set of entry points that
 * reach the same modules, 51 for `guardcli test`, and Node finds, reads and links each of them.
 */
import { readFileSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import type { Metafile, Plugin } from 'esbuild';
import { packageRoot } from '../../platform/assets.ts';

/**
 * Roots of the groups, from what all commands load to what few do. A module belongs to the first group whose roots reach
 * it. An entry point that reaches one module loads the whole group, so a group has no large module that others can do
 * without.
 */
export const groupRoots: readonly (readonly string[])[] = [
  // Before the compile cache is on.
  [
    'platform/assets.ts',
    'platform/cache.ts',
    'platform/folder.ts',
    'platform/node-version.ts',
    'cli/program/terminal.ts',
  ],
  ['cli/commands/index.ts', 'cli/program/command-line.ts', 'artefacts/artefacts.ts'],
  [
    ...['contract/daemon/bounds.ts', 'contract/daemon/environment.ts', 'contract/load/quote.ts'],
    ...[
      'contract/load/tree.ts',
      'contract/logs/places.ts',
      'contract/policy/exploit-sets.ts',
      'contract/policy/headers.ts',
    ],
    ...['contract/policy/limits.ts', 'contract/policy/methods.ts', 'contract/policy/modes.ts'],
    ...['contract/policy/pattern-id.ts', 'contract/policy/reasons.ts', 'contract/policy/reference.ts'],
    ...['contract/policy/rule-sizes.ts', 'contract/regex/alternatives.ts', 'contract/regex/grammar.ts'],
    ...['contract/schema/problem.ts', 'contract/values/address.ts', 'contract/values/duration.ts'],
    ...['contract/values/nearest.ts', 'contract/values/policy-modes.ts', 'contract/values/token.ts'],
    ...['engine/bytes.ts', 'platform/bounded.ts', 'platform/regular-file.ts', 'cli/evaluate/policy.ts'],
    ...['cli/input/source.ts', 'cli/program/counted.ts', 'cli/program/quote.ts', 'cli/program/shortened.ts'],
    ...['cli/targets/find.ts'],
  ],
  ['contract/daemon/schema.ts', 'daemon/lists/preset-file.ts'], // with zod
  ['contract/policy/applications.ts', 'contract/policy/rule-ids.ts'], // with the built-in rules
  [
    ...['engine/index.ts', 'cli/batch/text.ts', 'cli/evaluate/bounds.ts', 'cli/evaluate/evaluate.ts'],
    ...['cli/evaluate/options.ts', 'cli/evaluate/request.ts', 'cli/suite/options.ts'],
  ],
  ['contract/policy/builtin-rules.ts'], // with reasons and examples
  ['contract/policy/schema.ts', 'contract/load/any.ts', 'cli/generate/sparse.ts', 'cli/input/policy.ts'],
  ['engine/hosts/caddy.ts', 'engine/hosts/nginx.ts', 'engine/hosts/traefik.ts', 'cli/targets/limits.ts'],
  // `validate` calls all generators.
  [
    ...['cli/generate/caddy-kubernetes.ts', 'cli/generate/caddy.ts', 'cli/generate/daemon.ts'],
    ...['cli/generate/nginx-kubernetes.ts', 'cli/generate/nginx.ts', 'cli/generate/tcp-guard-kubernetes.ts'],
    ...['cli/generate/traefik-kubernetes.ts', 'cli/generate/traefik-labels.ts', 'cli/generate/traefik-toml.ts'],
    ...['cli/generate/traefik-yaml.ts'],
  ],
];

/** Modules of one chunk, by paths from the root of the package. */
type Group = readonly string[];

type Inputs = Metafile['inputs'];

/** Returns the modules and all that they import statically. */
function closureOf(inputs: Inputs, roots: readonly string[]): Set<string> {
  const found = new Set(roots);
  for (const path of found)
    for (const { path: imported, kind, external } of inputs[path]?.imports ?? [])
      if (kind !== 'dynamic-import' && !external) found.add(imported);
  return found;
}

/** Returns the modules of each group. Packages and JSON are left out: they follow the modules that import them. */
export function groupsOf(inputs: Inputs, roots: readonly (readonly string[])[]): Group[] {
  const taken = new Set<string>();
  return roots.map((own) => {
    const fresh = [...closureOf(inputs, own)].filter((path) => !taken.has(path));
    for (const path of fresh) taken.add(path);
    return fresh.filter((path) => /^(?!node_modules\/).*\.tsx?$/.test(path));
  });
}

/** Returns the indexes of the groups that an entry point reaches, also by other groups. */
function reachedGroups(inputs: Inputs, groups: readonly Group[], entry: string): number[] {
  const reached = new Set<number>();
  for (let before = -1; before < reached.size; ) {
    before = reached.size;
    const roots = [entry, ...[...reached].flatMap((index) => groups[index] ?? [])];
    const closure = closureOf(inputs, roots);
    for (const [index, group] of groups.entries()) if (group.some((path) => closure.has(path))) reached.add(index);
  }
  return [...reached].sort((a, b) => a - b);
}

const hashbangOf = (source: string): string => /^#!.*\n/.exec(source)?.[0] ?? '';

/**
 * Imports the groups of an entry point before it. Then the same entry points reach all modules of a group, which become
 * one chunk. A module in front of the entry point has these imports, because the entry point may belong to a group.
 */
export function grouped(inputs: Inputs, groups: readonly Group[]): Plugin {
  return {
    name: 'groups',
    setup(build) {
      build.onResolve({ filter: /\.tsx?$/ }, ({ path, kind, resolveDir, namespace }) => {
        if (namespace === 'group') return { path, sideEffects: true };
        if (kind !== 'entry-point' && kind !== 'dynamic-import') return undefined;
        const file = isAbsolute(path) ? path : join(resolveDir, path);
        // Relative, because esbuild names chunks by it.
        return { path: relative(packageRoot, file), namespace: 'entry' };
      });
      build.onResolve({ filter: /^group:/ }, ({ path }) => ({ path, namespace: 'group', sideEffects: true }));
      build.onLoad({ filter: /.*/, namespace: 'entry' }, ({ path }) => {
        const reached = reachedGroups(inputs, groups, path);
        const file = join(packageRoot, path);
        const imports = reached.map((index) => `import 'group:${index}';`);
        const exports = `export * from ${JSON.stringify(file)};`;
        return {
          contents: `${hashbangOf(readFileSync(file, 'utf8'))}${imports.join('')}${exports}`,
          resolveDir: packageRoot,
        };
      });
      build.onLoad({ filter: /.*/, namespace: 'group' }, ({ path }) => ({
        contents: (groups[Number(path.slice('group:'.length))] ?? [])
          .map((module) => `import ${JSON.stringify(join(packageRoot, module))};`)
          .join(''),
        resolveDir: packageRoot,
      }));
    },
  };
}
