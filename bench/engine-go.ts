/** The Go engine's own benchmarks, with its allocations. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../cli/assets.ts';
import type { Row } from './row.ts';

/** Budgets by the name of the Go benchmark, nanoseconds and allocations. */
const budgets: Record<string, { ns: number; allocs?: number }> = {
  Clean: { ns: 1000, allocs: 0 },
  Encoded: { ns: 100_000 },
  Hostile4k: { ns: 1_000_000 },
};

export async function benchGoEngine(): Promise<Row[]> {
  const output = execFileSync('go', ['test', '-run', '^$', '-bench', '.', '-benchmem', './engine'], {
    cwd: join(packageRoot, 'module'),
    encoding: 'utf8',
  });
  const lines = output.matchAll(/^Benchmark(\w+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns\/op.*?\s(\d+) allocs\/op/gm);
  return [...lines].flatMap(([, name = '', ns, allocs]) => {
    const budget = budgets[name];
    if (!budget) return [];
    return {
      name: `Go engine, ${name}`,
      measured: `${Number(ns)} ns/op, ${allocs} allocs/op`,
      budget: `<= ${budget.ns} ns${budget.allocs === undefined ? '' : `, ${budget.allocs} allocs`}`,
      holds: Number(ns) <= budget.ns && (budget.allocs === undefined || Number(allocs) <= budget.allocs),
    };
  });
}
