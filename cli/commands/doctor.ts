import { exitCodes } from '../../platform/errors.ts';
import { readable } from '../../platform/escape.ts';
import { type Check, checks, type Machine, machineOf, reasonOf } from '../doctor/checks.ts';
import { command } from '../program/command.ts';
import type { Paint } from '../program/paint.ts';
import { table } from '../program/table.ts';

interface CheckRow {
  readonly name: string;
  readonly for: string;
  /** `missing`: the commands that need it do not work. `warning`: they work differently. */
  readonly status: 'ok' | 'warning' | 'missing';
  readonly detail: string;
  readonly fix?: string;
}

export interface DoctorResult {
  readonly checks: readonly CheckRow[];
}

async function rowOf({ name, for: commands, isNeeded, find }: Check, machine: Machine): Promise<CheckRow> {
  try {
    return { name, for: commands, status: 'ok', detail: await find(machine) };
  } catch (error) {
    return { name, for: commands, status: isNeeded ? 'missing' : 'warning', ...reasonOf(error) };
  }
}

const statusStyles = { ok: 'green', warning: 'yellow', missing: 'red' } as const;

function checksText({ checks: rows }: DoctorResult, paint: Paint): string {
  const lines = table(
    rows.map(({ name, status, for: commands }) => [paint(statusStyles[status], status), name, `for ${commands}`]),
  );
  return rows
    .flatMap(({ detail, fix, status }, index) => [
      `${lines[index]}`,
      `    ${readable(detail)}`,
      ...(fix === undefined || status === 'ok' ? [] : [`    ${paint('cyan', `fix: ${readable(fix)}`)}`]),
    ])
    .join('\n');
}

export const definition = command<Record<string, never>, DoctorResult>({
  description:
    'Checks what the commands need: Node, the pattern engine, the container runtime, the compose tool, images and ports. ' +
    'For each problem it prints what to do. The status is 1 when something is missing.',
  examples: [
    { line: 'guardcli doctor', note: 'what works on this machine' },
    { line: 'guardcli doctor --json', note: 'for a report of a problem' },
  ],
  configure: (parser) => parser,
  async run(_options, context) {
    const machine = machineOf(context);
    return { checks: await Promise.all(checks.map((check) => rowOf(check, machine))) };
  },
  text: checksText,
  exitCode: ({ checks: rows }) =>
    rows.some(({ status }) => status === 'missing') ? exitCodes.negative : exitCodes.done,
});
