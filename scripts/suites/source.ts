/** Checks of the sources, and the tests that need only npm packages: `npm run check`. */
import { node, nodeTests, program, type Suite } from './suite.ts';

/** Unit tests that start whole programs, fill memory or try thousands of inputs. They run in `npm run test:full`. */
export const heavyTests = [
  'contract/differential/differential',
  'contract/load/fuzz',
  'daemon/api/fuzz',
  'daemon/app/*',
  'daemon/bans/kill',
  'daemon/bans/lost',
  'daemon/bans/recovery',
  'daemon/bans/table.model',
  'daemon/feed/faults',
  'daemon/feed/large',
  'daemon/feed/response',
  'daemon/inspectors/fuzz',
  'daemon/workers/*',
].map((name) => `${name}.test.js`);

export const sourceSuites: readonly Suite[] = [
  nodeTests({
    name: 'unit',
    tier: 'check',
    does: 'testing the TypeScript sources',
    files: { include: ['**/*.test.js'], exclude: ['e2e/**', ...heavyTests], concurrency: 'shared' },
  }),
  program({
    name: 'types',
    tier: 'check',
    does: 'checking types',
    needs: ['packages'],
    command: [node, 'node_modules/typescript/bin/tsc', '--noEmit'],
    fix: 'fix the type errors above',
  }),
  program({
    name: 'lint',
    tier: 'check',
    does: 'checking format and lint',
    needs: ['packages'],
    command: [node, 'node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off', '--error-on-warnings', '.'],
    fix: 'run `npx biome check --write .`, then fix the remaining problems',
  }),
  program({
    name: 'generated',
    tier: 'check',
    does: 'comparing generated files with their source',
    needs: ['packages'],
    command: [node, 'contract/generate/main.ts', '--check'],
    fix: 'run `npm run generate` and commit the changes',
  }),
  program({
    name: 'samples',
    tier: 'check',
    does: 'comparing samples of the documentation with what the commands print',
    needs: ['native'],
    command: [node, 'scripts/samples.ts', '--check'],
    fix: 'run `npm run generate` and commit the changes',
  }),
  nodeTests({
    name: 'heavy',
    tier: 'full',
    does: 'testing the TypeScript sources with many processes and inputs',
    files: { include: heavyTests, concurrency: 2 },
  }),
];
