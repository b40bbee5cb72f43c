/** Runs the benchmarks of the Go engine and checks their time and allocations. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import type { Row } from '../measure/row.ts';
import { measureUndisturbed } from '../measure/steal.ts';

interface Budget {
  readonly names: RegExp;
  readonly ns: number;
  /** Bytes that are allocated. */
  readonly bytes?: number;
  readonly allocs?: number;
}

const budgets: readonly Budget[] = [
  { names: /^clean/, ns: 1000, allocs: 0 },
  { names: /^hostile/, ns: 1_000_000 },
  { names: /^first_compile_with_exploits/, ns: 60_000_000 },
  { names: /^first_compile/, ns: 40_000_000, bytes: 5_000_000 },
  // It decodes the tables of nearly all built-in rules. A process decodes each table once.
  { names: /^worst_first_request/, ns: 5_000_000 },
  { names: /^/, ns: 10_000 },
];

interface Result {
  readonly name: string;
  readonly ns: string;
  readonly bytes: string;
  readonly allocs: string;
}

const result =
  /^Benchmark\w+\/(?<name>[\w,]+?)(?:-\d+)?\s+\d+\s+(?<ns>[\d.]+) ns\/op\s+(?<bytes>\d+) B\/op\s+(?<allocs>\d+) allocs\/op/gm;

function rowOf({ name, ns, bytes, allocs }: Result): Row {
  const budget = budgets.find(({ names }) => names.test(name)) as Budget;
  const bounds = [
    [Number(ns), budget.ns, 'ns'],
    [Number(bytes), budget.bytes, 'bytes'],
    [Number(allocs), budget.allocs, 'allocs'],
  ] as const;
  return {
    name: `Go engine, ${name.replaceAll('_', ' ')}`,
    measured: `${Number(ns)} ns/op, ${bytes} bytes/op, ${allocs} allocs/op`,
    budget: `<= ${bounds.flatMap(([, most, unit]) => (most === undefined ? [] : `${most} ${unit}`)).join(', ')}`,
    holds: bounds.every(([value, most]) => most === undefined || value <= most),
  };
}

export async function benchGoEngine(): Promise<Row[]> {
  const args = ['test', '-run', '^$', '-bench', 'Evaluate|Start', '-benchmem', './engine'];
  const options = { cwd: join(packageRoot, 'module'), encoding: 'utf8' } as const;
  const output = await measureUndisturbed(() => execFileSync('go', args, options));
  return [...output.matchAll(result)].map((match) => rowOf(match.groups as unknown as Result));
}
