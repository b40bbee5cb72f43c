/**
 * Rewrites imports of Node's modules in bundles. An ESM import runs all getters of a module; `node:util` alone takes 5
 * ms of each start.
 */
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Loader, Plugin } from 'esbuild';

/**
 * Slow modules that libraries seldom use. When a library imports the whole module, the bundle loads it at its first
 * use.
 */
const lateModules: readonly string[] = ['node:child_process'];

const importLine = /^import (?!type\b)([^'"]+?) from ['"](node:[a-z_/]+)['"];?$/gm;
const importClause = /^(?:(?<whole>\w+)|\* as (?<namespace>\w+))?(?:, )?(?:\{(?<names>[^}]*)\})?$/;

const moduleExpression = (name: string): string => `globalThis.process.getBuiltinModule('${name}')`;

function wholeModule(name: string): string {
  return lateModules.includes(name)
    ? `new Proxy({}, { get: (_, key) => ${moduleExpression(name)}[key] })`
    : moduleExpression(name);
}

function destructuringPattern(names: string): string {
  const values = names.split(',').flatMap((name) => {
    const text = name.trim();
    return text === '' || text.startsWith('type ') ? [] : [text.replace(' as ', ': ')];
  });
  return `{ ${values.join(', ')} }`;
}

/**
 * Turns static imports of Node's modules into declarations. Leaves `import type` unchanged, and drops types among the
 * imported names.
 */
export function withoutBuiltinImports(source: string): string {
  return source.replace(importLine, (text, imported: string, name: string) => {
    const parts = importClause.exec(imported.replace(/\s+/g, ' ').trim())?.groups;
    if (!parts) throw new Error(`cannot read: ${text}`);
    const object = parts.whole ?? parts.namespace;
    const declarations = object === undefined ? [] : [`const ${object} = ${wholeModule(name)};`];
    if (parts.names !== undefined)
      declarations.push(`const ${destructuringPattern(parts.names)} = ${moduleExpression(name)};`);
    return declarations.join(' ');
  });
}

/** V8 parses a text of JSON in half of the time that it takes for the same object as code. */
export const jsonTexts: Plugin = {
  name: 'json-texts',
  setup({ onLoad }) {
    onLoad({ filter: /\.json$/ }, ({ path }) => {
      const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
      return { contents: `export default JSON.parse(${JSON.stringify(JSON.stringify(value))});`, loader: 'js' };
    });
  },
};

export const builtins: Plugin = {
  name: 'builtins',
  setup(build) {
    build.onLoad({ filter: /\.(?:js|mjs|ts|tsx)$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      if (!source.includes('node:')) return undefined;
      return { contents: withoutBuiltinImports(source), loader: extname(path).slice(1).replace('mjs', 'js') as Loader };
    });
    // Older libraries call `require`, also with names without the prefix.
    build.onResolve({ filter: /^[a-z_:/]+$/ }, ({ path, kind }) => {
      const isRequired = kind === 'require-call' && process.getBuiltinModule(path) !== undefined;
      return isRequired ? { path, namespace: 'builtin' } : undefined;
    });
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = ${moduleExpression(path)};`,
    }));
  },
};
