/**
 * Modules of Node in our bundles. An ESM import of one runs every getter it has, to fill in its exports: `node:util` alone
 * costs 5 ms of each start. In a bundle the names that are used are taken from the module, and the others left alone.
 */
import type { Plugin } from 'esbuild';

/** Imported as a whole by a library that seldom uses it, and slow to load: loaded when it is. */
const late: readonly string[] = ['node:child_process'];

const identifier = /^[A-Za-z_]\w*$/;

function sourceOf(name: string): string {
  const module = `process.getBuiltinModule(${JSON.stringify(name)})`;
  const whole = late.includes(name) ? `new Proxy({}, { get: (_, key) => ${module}[key] })` : module;
  const names = Object.keys(process.getBuiltinModule(name) ?? {}).filter((key) => identifier.test(key));
  // Called functions marked as pure are dropped where the name is not imported.
  const taken = names.map((key) => `export const ${key} = /* @__PURE__ */ (() => ${module}.${key})();`);
  return [`export default /* @__PURE__ */ (() => ${whole})();`, ...taken].join('\n');
}

export const builtins: Plugin = {
  name: 'builtins',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'builtin', sideEffects: false }));
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({ contents: sourceOf(path), loader: 'js' }));
  },
};
