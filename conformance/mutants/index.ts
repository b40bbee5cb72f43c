/** Every mutant of the reference engine: constants off by one, and clauses dropped or swapped. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { limitMutants } from './limits.ts';
import { type Edit, type Mutant, mutantsOf } from './mutant.ts';

const folder = join(packageRoot, 'conformance/mutants');

type Topic = Readonly<Record<string, readonly Edit[]>>;

function mutantsIn(topic: string): Mutant[] {
  const edits = JSON.parse(readFileSync(join(folder, topic), 'utf8')) as Topic;
  return Object.entries(edits).flatMap(([file, list]) => mutantsOf(file, list));
}

const topics = readdirSync(folder).filter((name) => name.endsWith('.json'));

export const mutants: readonly Mutant[] = [...limitMutants, ...topics.sort().flatMap(mutantsIn)];
