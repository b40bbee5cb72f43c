/**
 * Modules of Node in our bundles. An ESM import of one runs every getter it has, to fill in its exports: `node:util` alone
 * costs 5 ms of each start. In a bundle the names that are used are taken from the module, and the others left alone.
 */
import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

/** Imported as a whole by a library that seldom uses it, and slow to load: loaded when it is. */
const late: readonly string[] = ['node:child_process'];

const identifier = /^[A-Za-z_]\w*$/;

/** For `import`: each name by itself, so that those which are not imported are dropped. */
function named(name: string, module: string): string {
  const whole = late.includes(name) ? `new Proxy({}, { get: (_, key) => ${module}[key] })` : module;
  const names = Object.keys(process.getBuiltinModule(name) ?? {}).filter((key) => identifier.test(key));
  const taken = names.map((key) => `export const ${key} = /* @__PURE__ */ (() => ${module}.${key})();`);
  return [`export default /* @__PURE__ */ (() => ${whole})();`, ...taken].join('\n');
}

/** For `require`: the module itself. */
const asItIs = (_name: string, module: string): string => `module.exports = ${module};`;

const forms = { named, asItIs } as const;

export const builtins: Plugin = {
  name: 'builtins',
  setup(build) {
    build.onResolve({ filter: /^[a-z_:/]+$/ }, ({ path, kind }) => {
      if (!isBuiltin(path)) return undefined;
      return { path, namespace: kind === 'require-call' ? 'asItIs' : 'named', sideEffects: false };
    });
    for (const [namespace, sourceOf] of Object.entries(forms)) {
      build.onLoad({ filter: /.*/, namespace }, ({ path }) => {
        return { contents: sourceOf(path, `process.getBuiltinModule(${JSON.stringify(path)})`), loader: 'js' };
      });
    }
  },
};
