/**
 * Fuzzes parsers of untrusted bytes: `npm run fuzz -- --count 1000000 --seed 1 [--only ssh]`. Prints the first fault of
 * each. The Go engine has its fuzz tests in module/engine.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { protocols } from '../../contract/daemon/protocols.ts';
import { fuzz } from '../../daemon/inspectors/testing/fuzz-run.ts';
import { readVectors } from '../../daemon/inspectors/testing/vector-files.ts';
import { wholeNumber } from '../differential/arguments.ts';
import { fuzzLoader, loaders } from './documents.ts';
import type { Target } from './target.ts';
import { apiRequests } from './targets/api.ts';
import { banRows } from './targets/ban-rows.ts';
import { feedAnswers } from './targets/feed.ts';
import { proxyHeader } from './targets/proxy-header.ts';
import { yaml } from './targets/yaml.ts';

Error.stackTraceLimit = 4; // most inputs throw, and capturing the stack is the slowest part of an error

function thrownMessage(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return String(error);
  }
}

const vectors = readVectors();
const targets: readonly Target[] = [
  ...protocols.map((protocol): Target => {
    const own = vectors.filter((file) => file.protocol === protocol).flatMap((file) => file.vectors);
    const run = (count: number, seed: number) => {
      const fault = fuzz({ protocol, vectors: own }, count, seed);
      return fault && `input ${fault.index}: ${fault.what}`;
    };
    return { name: protocol, run };
  }),
  ...loaders.map((loader): Target => {
    return { name: loader.name, run: (count, seed) => thrownMessage(() => fuzzLoader(loader, count, seed)) };
  }),
  ...[yaml, banRows, proxyHeader, apiRequests, feedAnswers],
];

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: targets.map(({ name }) => name) },
  },
});
const [count, seed] = [wholeNumber('count', values.count), wholeNumber('seed', values.seed)];
for (const { name, run } of targets.filter((target) => values.only.includes(target.name))) {
  const fault = await run(count, seed);
  process.stdout.write(`${name}: ${fault ?? `${count} inputs, no fault`}, seed ${seed}\n`);
  if (fault !== undefined) process.exitCode = 1;
}
