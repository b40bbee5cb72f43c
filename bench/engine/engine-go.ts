/** Runs the benchmarks of the Go engine and checks their time and allocations. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import type { Row } from '../measure/row.ts';
import { measureUndisturbed } from '../measure/steal.ts';

interface Budget {
  readonly names: RegExp;
  readonly ns: number;
  readonly allocs?: number;
}

const budgets: readonly Budget[] = [
  { names: /^clean/, ns: 1000, allocs: 0 },
  { names: /^hostile/, ns: 1_000_000 },
  { names: /^/, ns: 10_000 },
];

export async function benchGoEngine(): Promise<Row[]> {
  const args = ['test', '-run', '^$', '-bench', 'Evaluate', '-benchmem', './engine'];
  const options = { cwd: join(packageRoot, 'module'), encoding: 'utf8' } as const;
  const output = await measureUndisturbed(() => execFileSync('go', args, options));
  const lines = output.matchAll(/^BenchmarkEvaluate\/(\w+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns\/op.*?\s(\d+) allocs\/op/gm);
  return [...lines].map(([, name = '', ns, allocs]) => {
    const budget = budgets.find(({ names }) => names.test(name)) as Budget;
    return {
      name: `Go engine, ${name.replaceAll('_', ' ')}`,
      measured: `${Number(ns)} ns/op, ${allocs} allocs/op`,
      budget: `<= ${budget.ns} ns${budget.allocs === undefined ? '' : `, ${budget.allocs} allocs`}`,
      holds: Number(ns) <= budget.ns && (budget.allocs === undefined || Number(allocs) <= budget.allocs),
    };
  });
}
