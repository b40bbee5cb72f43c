/** The suites of `npm run check`: checks of the sources, and tests that need only npm packages. */
import { documentation, nodeProgram, nodeTests, program, type Suite } from './suite.ts';

/** Unit tests that start whole programs, fill memory or try thousands of inputs. They run in `npm run test:full`. */
export const heavyTests = [
  'conformance/differential/differential',
  'conformance/fuzz/documents',
  'daemon/api/fuzz',
  'daemon/app/*',
  'daemon/bans/{backup,kill,lost,table.model}',
  'daemon/feed/{faults,holdings,large,response}',
  'daemon/inspectors/{fuzz,heap}',
  'daemon/plane/*/{churn,soak}',
  'daemon/workers/**/*',
  'packaging/release/npm',
].map((name) => `${name}.test.js`);

export const checkSuites: readonly Suite[] = [
  nodeTests('unit', 'testing the TypeScript sources', [], {
    include: ['**/*.test.js'],
    exclude: ['e2e/!(pictures)/**', 'daemon/kernel-bans/table.test.js', ...heavyTests],
    concurrency: 'shared',
  }),
  program('types', 'checking the types of the TypeScript sources', [], {
    command: [nodeProgram, 'node_modules/typescript/bin/tsc', '--noEmit'],
  }),
  program('lint', 'checking format and lint', [], {
    command: [nodeProgram, 'node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off', '--error-on-warnings', '.'],
    fix: 'run `npx biome check --write .`, then fix the remaining problems',
  }),
  program('generated', 'comparing generated files with their source', ['native'], {
    command: [nodeProgram, 'contract/generate/main.ts', '--check'],
    fix: 'run `npm run generate` and commit the changes',
  }),
  documentation('pages', 'running the commands of the documentation', [], 'run'),
];
