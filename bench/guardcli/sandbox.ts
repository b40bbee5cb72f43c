/** Compares a warm `sandbox --test` to `docker run` of the same image until its first response. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { byLength } from '../measure/length.ts';
import { median, samplesInTurn, wallMs } from '../measure/measure.ts';
import { type Row, type Rows, rowsOfParts } from '../measure/row.ts';

const port = 18_089;
const guardcliProgram = join(packageRoot, 'dist/bin/guardcli.js');
const policy = join(packageRoot, 'examples/guard.json');

/**
 * Milliseconds that `sandbox --test` may take longer than `docker run`. Traefik (proxya) takes longest, because it
 * interprets the guard.
 */
const allowedMs = { proxya: 4000, proxyb: 2000, proxyc: 2000 } as const;

function dockerRunLine(target: string): string {
  const text = execFileSync(
    process.execPath,
    [guardcliProgram, 'sandbox', target, policy, '--dry-run', '--port', String(port)],
    {
      encoding: 'utf8',
    },
  );
  const line = text.split('\n').find((candidate) => candidate.startsWith('docker run '));
  if (!line) throw new Error('sandbox --dry-run printed no docker run line');
  return line;
}

async function firstAnswer(line: string): Promise<number> {
  const start = process.hrtime.bigint();
  const id = execFileSync('sh', ['-c', line], { encoding: 'utf8' }).trim().split('\n').at(-1) ?? '';
  try {
    while (
      !(await fetch(`http://127.0.0.1:${port}/`).then(
        (answer) => answer.ok,
        () => false,
      ))
    );
    return Number(process.hrtime.bigint() - start) / 1e6;
  } finally {
    execFileSync('docker', ['rm', '-f', id], { stdio: 'ignore' });
  }
}

async function warmRow(target: keyof typeof allowedMs): Promise<Row> {
  const sandbox = () =>
    wallMs(process.execPath, [guardcliProgram, 'sandbox', target, policy, '--test', '--port', String(port)]);
  sandbox(); // builds the image if it is missing
  const line = dockerRunLine(target);
  const turns = { rounds: byLength(3, 1), warmRounds: byLength(1, 0) };
  const samples = await samplesInTurn<number>([sandbox, () => firstAnswer(line)], turns);
  const [suite = Number.NaN, bare = Number.NaN] = samples.map(median);
  return {
    name: `sandbox ${target} --test, warm`,
    measured: `${suite.toFixed(0)} ms`,
    against: `docker run: ${bare.toFixed(0)} ms`,
    ratio: suite / bare,
    budget: `<= docker run + ${allowedMs[target]} ms`,
    holds: suite - bare <= allowedMs[target],
  };
}

/** @param parts names of targets; empty: all */
export const benchSandbox = (parts: readonly string[]): Rows =>
  rowsOfParts(
    parts,
    (['proxya', 'proxyb', 'proxyc'] as const).map((target) => [target, async () => [await warmRow(target)]]),
  );
