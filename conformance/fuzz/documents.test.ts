import { it } from 'node:test';
import { fuzzLoader, loaders } from './documents.ts';

const seed = 20_261_121;
/** Number of inputs for each loader. Together they take one or two seconds; `npm run fuzz` runs more. */
const rounds = { 'a policy': 4000, 'a daemon file': 500, either: 500 } as Record<string, number>;

for (const target of loaders)
  it(`never throws on mutations of ${target.name}, and places every problem`, () =>
    fuzzLoader(target, rounds[target.name] ?? 0, seed));
