/** Measures whole `guardcli` processes: their start, and the largest policies. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../contract/policy/limits.ts';
import { parseRegex } from '../../contract/regex/grammar.ts';
import { packageRoot } from '../../platform/assets.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { byLength } from '../measure/length.ts';
import { mediansInTurn, megabytes, peakBytes, wallMs } from '../measure/measure.ts';
import type { Row } from '../measure/row.ts';

const guardcliProgram = join(packageRoot, 'dist/bin/guardcli.js');
const cases = [
  { name: 'guardcli test /x', args: ['test', '/x'], most: 2 },
  { name: 'guardcli --help', args: ['--help'], most: 1.5 },
] as const;

/** Patterns with the highest cost for their length. `index` makes each unique. */
const costlyPatterns = {
  optional: (index: number) => `${'.{1,1000}'.repeat(4)}.{1,900}x${index}`,
  dots: (index: number) => '.'.repeat(2000) + index,
  classes: (index: number) => `(?i)\\W{1,60}x${index}`,
  loops: (index: number) => `(?:x(?:a{64})*y|x(?:a{63})*z)+${index}`,
} as const;

/** Returns as many patterns as the limits of a policy permit. */
function maximumPatterns(pattern: (index: number) => string): string[] {
  const patterns: string[] = [];
  let left: number = limits.policyPatternBytes;
  while (patterns.length < 2 * limits.policyRules) {
    const next = pattern(patterns.length);
    const parsed = parseRegex(next);
    left -= parsed.ok ? parsed.bytes : Number.NaN;
    if (!(left >= 0)) break;
    patterns.push(next);
  }
  return patterns;
}

function largestPolicy(patterns: readonly string[]): string {
  const { policyRules } = limits;
  return JSON.stringify({ allowPatterns: patterns.slice(0, policyRules), blockPatterns: patterns.slice(policyRules) });
}

/** Returns a target that contains a literal of each pattern but matches none. All patterns are compiled for it. */
function targetOfAllLiterals(count: number): string {
  const perPair = Math.ceil(count / limits.queryPairs);
  const literals = Array.from({ length: count }, (_, index) => `x${index}y${index}`);
  const pairs = Array.from({ length: Math.ceil(count / perPair) }, (_, pair) =>
    literals.slice(pair * perPair, (pair + 1) * perPair).join(''),
  );
  return `/?${pairs.map((value) => `k=${value}`).join('&')}`;
}

const [mostMs, mostBytes] = [2000, 300 * 1024 * 1024];

async function* largestPolicyRows(cwd: string): AsyncGenerator<Row> {
  for (const [kind, pattern] of Object.entries(costlyPatterns)) {
    const patterns = maximumPatterns(pattern);
    writeFileSync(join(cwd, 'large.json'), largestPolicy(patterns));
    const target = targetOfAllLiterals(patterns.length);
    for (const command of [
      ['validate', 'large.json'],
      ['test', '--config', 'large.json', '--check-query', '--path', target],
    ]) {
      const args = [guardcliProgram, ...command];
      const [ms = Number.NaN] = await mediansInTurn(byLength(3, 1), [() => wallMs(process.execPath, args, { cwd })]);
      const bytes = peakBytes(process.execPath, args, { cwd });
      yield {
        name: `guardcli ${command[0]}, the most patterns: ${kind}`,
        measured: `${ms.toFixed(0)} ms, ${megabytes(bytes)}`,
        budget: `<= ${mostMs} ms, ${megabytes(mostBytes)}`,
        holds: ms <= mostMs && bytes <= mostBytes,
      };
    }
  }
}

async function startRows(cwd: string): Promise<Row[]> {
  const node = (args: readonly string[]) => () => wallMs(process.execPath, args, { cwd });
  const [empty = Number.NaN, ...others] = await mediansInTurn(15, [
    node(['-e', '0']),
    ...cases.map(({ args }) => node([guardcliProgram, ...args])),
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

export async function* benchCli(): AsyncGenerator<Row> {
  const cwd = scratchFolder('guard-bench-'); // a folder without a guard.json
  try {
    yield* await startRows(cwd);
    yield* largestPolicyRows(cwd);
  } finally {
  }
}
