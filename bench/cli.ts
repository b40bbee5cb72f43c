/** Whole `guardcli` processes: start-up against an empty Node process of the same version, and the largest policies. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limits } from '../contract/policy/limits.ts';
import { parseRegex } from '../contract/regex/grammar.ts';
import { packageRoot } from '../platform/assets.ts';
import { interleaved, megabytes, peakBytes, wallMs } from './measure.ts';
import type { Row } from './row.ts';

const cli = join(packageRoot, 'dist/bin/guardcli.js');
const cases = [
  { name: 'guardcli test /x', args: ['test', '/x'], most: 2 },
  { name: 'guardcli --help', args: ['--help'], most: 1.5 },
] as const;

/** Patterns that cost the most for their bytes: compiling takes the longest, the programs take the most memory, the check for nginx. */
const costly = {
  optional: (index: number) => `${'.{1,1000}'.repeat(4)}.{1,900}x${index}`,
  dots: (index: number) => '.'.repeat(2000) + index,
  classes: (index: number) => `(?i)\\W{1,60}x${index}`,
  loops: (index: number) => `(?:x(?:a{64})*y|x(?:a{63})*z)+${index}`,
} as const;

/** A policy of as many patterns as the bound on all of them allows. */
function largestPolicy(pattern: (index: number) => string): string {
  const patterns: string[] = [];
  let left: number = limits.policyPatternBytes;
  while (patterns.length < 2 * limits.policyRules) {
    const next = pattern(patterns.length);
    const parsed = parseRegex(next);
    left -= parsed.ok ? parsed.bytes : Number.NaN;
    if (!(left >= 0)) break;
    patterns.push(next);
  }
  const { policyRules } = limits;
  return JSON.stringify({ allowPatterns: patterns.slice(0, policyRules), blockPatterns: patterns.slice(policyRules) });
}

const [mostMs, mostBytes] = [2000, 300 * 1024 * 1024];

async function validations(cwd: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, pattern] of Object.entries(costly)) {
    writeFileSync(join(cwd, 'large.json'), largestPolicy(pattern));
    const args = [cli, 'validate', 'large.json'];
    const [ms = Number.NaN] = await interleaved(3, [() => wallMs(process.execPath, args, { cwd })]);
    const bytes = peakBytes(process.execPath, args, { cwd });
    rows.push({
      name: `guardcli validate, the most patterns: ${name}`,
      measured: `${ms.toFixed(0)} ms, ${megabytes(bytes)}`,
      budget: `<= ${mostMs} ms, ${megabytes(mostBytes)}`,
      holds: ms <= mostMs && bytes <= mostBytes,
    });
  }
  return rows;
}

async function starts(cwd: string): Promise<Row[]> {
  const node = (args: readonly string[]) => () => wallMs(process.execPath, args, { cwd });
  const [empty = Number.NaN, ...others] = await interleaved(15, [
    node(['-e', '0']),
    ...cases.map(({ args }) => node([cli, ...args])),
  ]);
  return cases.map(({ name, most }, index) => {
    const ms = others[index] ?? Number.NaN;
    const ratio = ms / empty;
    return {
      name,
      measured: `${ms.toFixed(0)} ms`,
      against: `node -e 0: ${empty.toFixed(0)} ms`,
      ratio,
      budget: `<= ${most}`,
      holds: ratio <= most,
    };
  });
}

export async function benchCli(): Promise<Row[]> {
  const cwd = mkdtempSync(join(tmpdir(), 'guard-bench-')); // a folder without a guard.json
  try {
    return [...(await starts(cwd)), ...(await validations(cwd))];
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
