/** The suites that `npm test` runs after the checks: the engines, and sandboxes of each proxy. */
import { summaryCounts } from './counts.ts';
import { goSuites } from './go.ts';
import { documentation, inImage, nodeTests, program, type Suite } from './suite.ts';

export const sandboxes = ['containers', 'caddy', 'traefik', 'runner', 'debian'];

/** Returns the paths of test files of e2e/ below dist/. */
export const e2eFiles = (...names: readonly string[]): string[] => names.map((name) => `e2e/${name}.test.js`);

const inLua = (name: string, does: string, file: string): Suite =>
  program(name, does, ['image-light'], {
    command: [...inImage(), 'luajit', file],
    read: summaryCounts,
    fix: `run \`scripts/node scripts/in-test-image.ts -- luajit ${file}\``,
  });

export const testSuites: readonly Suite[] = [
  nodeTests('modes', 'sending every response mode over the wire through each proxy', sandboxes, {
    include: e2eFiles('proxies/modes'),
  }),
  nodeTests('commands', 'running guardcli sandbox as a user would', sandboxes, {
    include: e2eFiles('sandbox/{command,proxies,cases}', 'tcp-guard/sandbox'),
  }),
  documentation(
    'pages-sandbox',
    'running the commands of the documentation that start containers',
    sandboxes,
    'sandbox',
  ),
  inLua('lua', 'testing the Lua engine with the vectors', 'module/lua/t/vectors.lua'),
  inLua('lua-steps', 'counting the steps between two pauses of the Lua engine', 'module/lua/t/steps.lua'),
  inLua('lua-prefilter', 'comparing the Lua prefilter with the engine', 'module/lua/t/prefilter.lua'),
  inLua('lua-literals', 'comparing the literals of patterns in Lua with their matches', 'module/lua/t/literals.lua'),
  inLua('lua-events', 'testing security events in Lua', 'module/lua/t/events.lua'),
  program('luacheck', 'checking Lua sources', ['image-light'], {
    command: [
      ...inImage(),
      ...['luacheck', '--quiet', '--no-color', '--std', 'luajit+ngx_lua', '--no-max-line-length', 'module/lua'],
    ],
  }),
  ...goSuites,
];
