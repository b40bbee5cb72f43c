/** `guardcli validate [file]` */
import { loadAny } from '../../contract/load/any.ts';
import type { LoadedFile, Problem, RefusedFile } from '../../contract/load/problem.ts';
import { command } from '../command.ts';
import { defaultFile } from '../default-file.ts';
import { exitCodes, type Refusal } from '../errors.ts';
import { readable } from '../escape.ts';
import type { Paint } from '../paint.ts';
import { fileOf } from '../policy.ts';
import { refusalText, warningsText } from '../report.ts';
import { readSource } from '../source.ts';
import { table } from '../table.ts';
import { type DaemonSummary, summarizeDaemon } from '../validate/daemon.ts';
import { type PolicySummary, summarize } from '../validate/policy.ts';
import { reportTargets, type TargetReport } from '../validate/targets.ts';
import { daemonRows, policyRows, targetRows } from '../validate/text.ts';

interface Options {
  readonly file?: string;
  readonly config?: string;
}

interface Valid {
  readonly valid: true;
  readonly file: string;
  readonly warnings: readonly Problem[];
}
interface Invalid {
  readonly valid: false;
  readonly file: string;
  readonly format: 'policy' | 'daemon';
  readonly problems: readonly Problem[];
  /** How many problems more there are than are listed. */
  readonly omitted: number;
}
interface Summed<F, S> extends Valid {
  readonly format: F;
  readonly summary: S;
}
interface ValidPolicy extends Summed<'policy', PolicySummary> {
  /** What each target of `generate` makes of it. */
  readonly targets: readonly TargetReport[];
}
export type ValidateResult = Invalid | ValidPolicy | Summed<'daemon', DaemonSummary>;

type Format = Invalid['format'];

function invalid(format: Format, { name: file, problems, omitted }: RefusedFile): Invalid {
  return { valid: false, file, format, problems, omitted };
}

function valid<F extends Format, S>(format: F, { name, warnings }: LoadedFile<unknown>, summary: S): Summed<F, S> {
  return { valid: true, file: name, format, summary, warnings };
}

async function check(bytes: Uint8Array, name: string): Promise<ValidateResult> {
  const { format, loaded } = loadAny(bytes, name);
  if (!loaded.ok) return invalid(format, loaded);
  if (format === 'daemon') return valid(format, loaded, summarizeDaemon(loaded.value));
  const { value } = loaded;
  return { ...valid(format, loaded, summarize(value)), targets: await reportTargets(value) };
}

function refused({ file, problems, omitted }: Invalid, paint: Paint): string {
  const refusal: Refusal = { name: file, problems, omitted };
  const count = problems.length + omitted;
  const verdict = paint(['bold', 'red'], `not valid: ${count} ${count === 1 ? 'problem' : 'problems'}`);
  return `${refusalText(refusal, paint)}\n\n${readable(file)}: ${verdict}`;
}

export const validateCommand = command<Options, ValidateResult>({
  description:
    'Reads guard.json or tcp-guard.yaml, told apart by content. A valid file is summed up, with warnings about what is ' +
    'allowed and still unwise, and a policy with what each target of generate makes of it; of an invalid one every ' +
    'problem is listed, and the status is 1.',
  examples: [
    { line: 'guardcli validate', note: `${defaultFile} in this folder` },
    { line: 'guardcli validate tcp-guard.yaml', note: 'the configuration of the daemon' },
    { line: 'generate-policy | guardcli validate -c - --json', note: 'standard input, for scripts' },
  ],
  configure: (parser) =>
    parser
      .argument('[file]', `the file; - reads standard input (default: ${defaultFile})`)
      .option('-c, --config <file>', 'another way to name it'),
  async run({ file, config }, context) {
    const { name, bytes } = await readSource(fileOf(file, config), context);
    return check(bytes, name);
  },
  text(result, paint) {
    if (!result.valid) return refused(result, paint);
    const { file, warnings } = result;
    const rows = result.format === 'policy' ? policyRows(result.summary) : daemonRows(result.summary);
    const head = `${readable(file)}: ${paint(['bold', 'green'], 'schema passed')}`;
    const notes = warnings.length === 0 ? [] : ['', warningsText(file, warnings, paint)];
    const targets =
      result.format === 'policy' ? ['', 'Targets of generate:', ...table(targetRows(result.targets))] : [];
    return [head, '', ...table(rows), ...targets, ...notes].join('\n');
  },
  exitCode: ({ valid }) => (valid ? exitCodes.done : exitCodes.negative),
});
