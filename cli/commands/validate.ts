import { loadAny } from '../../contract/load/any.ts';
import type { LoadedFile, RefusedFile } from '../../contract/load/problem.ts';
import { exceptionsOf, type NamedException } from '../../contract/policy/applications.ts';
import { loadPresetFile } from '../../daemon/lists/preset-file.ts';
import { warningsOf } from '../../engine/warnings.ts';
import { exitCodes, type FileProblem, type Refusal, UsageError } from '../../platform/errors.ts';
import { readable } from '../../platform/escape.ts';
import { fileOf, folderOf } from '../input/policy.ts';
import { defaultFile, readSource, type Source } from '../input/source.ts';
import { command } from '../program/command.ts';
import type { Context } from '../program/context.ts';
import type { Paint } from '../program/paint.ts';
import { refusalText, warningsText } from '../program/report.ts';
import { type Row, table } from '../program/table.ts';
import { banListWarnings } from '../validate/bans.ts';
import { type DaemonSummary, summarizeDaemon } from '../validate/daemon.ts';
import type { NginxSummary } from '../validate/nginx/validate.ts';
import { type PolicySummary, summarize } from '../validate/policy.ts';
import { reportTargets, type TargetReport } from '../validate/targets.ts';
import { daemonRows, nginxRows, policyRows, targetRows } from '../validate/text.ts';

interface Options {
  readonly expanded?: boolean;
  readonly file?: string;
  readonly config?: string;
  readonly nginx?: string;
}

interface Valid {
  readonly valid: true;
  readonly file: string;
  readonly warnings: readonly FileProblem[];
}
interface Invalid {
  readonly valid: false;
  readonly file: string;
  readonly format: 'policy' | 'daemon' | 'nginx';
  readonly problems: readonly FileProblem[];
  readonly omitted: number;
  /** Present only for an nginx configuration, which is read to its end despite problems. */
  readonly warnings?: readonly FileProblem[];
}
interface Summed<F, S> extends Valid {
  readonly format: F;
  readonly summary: S;
}
interface ValidPolicy extends Summed<'policy', PolicySummary> {
  /** Limits of the policy in each target of `generate`. */
  readonly targets: readonly TargetReport[];
  /** With `--expanded`: the exceptions of the applications. */
  readonly expanded?: readonly NamedException[];
}
export type ValidateResult = Invalid | ValidPolicy | Summed<'daemon', DaemonSummary> | Summed<'nginx', NginxSummary>;

type Format = Invalid['format'];

function invalidResult(format: Format, { name: file, problems, omitted }: RefusedFile): Invalid {
  return { valid: false, file, format, problems, omitted };
}

function validResult<F extends Format, S>(
  format: F,
  { name, warnings }: LoadedFile<unknown>,
  summary: S,
): Summed<F, S> {
  return { valid: true, file: name, format, summary, warnings };
}

async function checkFile({ bytes, name }: Source, isExpanded: boolean, context: Context): Promise<ValidateResult> {
  const { format, loaded } = loadAny(bytes, name);
  if (!loaded.ok) return invalidResult(format, loaded);
  if (format === 'daemon') return validResult(format, loaded, summarizeDaemon(loaded.value));
  const { value } = loaded;
  const bans = await banListWarnings(value, loaded, context);
  const policy = { ...loaded, warnings: [...warningsOf(loaded), ...bans] };
  const result = { ...validResult(format, policy, summarize(value)), targets: await reportTargets(value) };
  return isExpanded ? { ...result, expanded: exceptionsOf({ ...value, exceptions: [] }) } : result;
}

async function checkNginx({ nginx = '', ...named }: Options, context: Context): Promise<ValidateResult> {
  if (named.file !== undefined || named.config !== undefined)
    throw new UsageError('two files are given', { code: 'conflict', hint: 'validate one of them, then the other' });
  const [{ validateNginx }, { name: file, bytes }] = await Promise.all([
    import('../validate/nginx/validate.ts'),
    readSource(nginx, context),
  ]);
  const { problems, warnings, summary } = validateNginx(Buffer.from(bytes).toString('utf8'));
  if (problems.length > 0) return { valid: false, file, format: 'nginx', problems, omitted: 0, warnings };
  return { valid: true, file, format: 'nginx', summary, warnings };
}

function invalidText({ file, problems, omitted, warnings = [] }: Invalid, paint: Paint): string {
  const refusal: Refusal = { name: file, problems, omitted };
  const count = problems.length + omitted;
  const verdict = paint(['bold', 'red'], `not valid: ${count} ${count === 1 ? 'problem' : 'problems'}`);
  const notes = warnings.length === 0 ? '' : `${warningsText(file, warnings, paint)}\n`;
  return `${refusalText(refusal, paint)}\n${notes}\n${readable(file)}: ${verdict}`;
}

function rowsOf(result: Exclude<ValidateResult, Invalid>): Row[] {
  if (result.format === 'policy') return policyRows(result.summary);
  return result.format === 'daemon' ? daemonRows(result.summary) : nginxRows(result.summary);
}

const expandedLines = ({ expanded }: ValidPolicy): string[] =>
  expanded === undefined
    ? []
    : ['', 'Exceptions of the applications:', ...expanded.map((exception) => `  ${JSON.stringify(exception)}`)];

const passedTexts = { policy: 'schema passed', daemon: 'schema passed', nginx: 'the guard is in its place' } as const;

export const definition = command<Options, ValidateResult>({
  description:
    'Reads guard.json or tcp-guard.yaml, which it recognizes by content. For a valid file it prints a summary with ' +
    'warnings, and for a policy the limits of each target of generate. For an invalid file it lists every ' +
    'problem and exits with status 1. With --nginx it reads the output of `nginx -T` instead and lists what ' +
    'lets requests bypass the guard or keeps it from working.',
  examples: [
    { line: 'guardcli validate', note: `${defaultFile} in this folder` },
    { line: 'guardcli validate tcp-guard.yaml', note: 'the configuration of tcp-guard' },
    { line: 'nginx -T | guardcli validate --nginx -', note: 'whether the guard in nginx sees every request' },
    { line: 'generate-policy | guardcli validate -c - --json', note: 'standard input, for scripts' },
  ],
  configure: (parser) =>
    parser
      .argument('[file]', `the file; - reads standard input (default: ${defaultFile})`)
      .option('-c, --config <file>', 'alternative to the argument')
      .option('--expanded', 'also print the exceptions that the applications of a policy mean')
      .option('--nginx <file>', 'the output of `nginx -T`; - reads standard input'),
  async run(options, context) {
    if (options.nginx !== undefined) return checkNginx(options, context);
    const { file, config } = options;
    loadPresetFile(folderOf(fileOf(file, config), context));
    return checkFile(await readSource(fileOf(file, config), context), options.expanded ?? false, context);
  },
  text(result, paint) {
    if (!result.valid) return invalidText(result, paint);
    const { file, warnings } = result;
    const head = `${readable(file)}: ${paint(['bold', 'green'], passedTexts[result.format])}`;
    const notes = warnings.length === 0 ? [] : ['', warningsText(file, warnings, paint)];
    const targets =
      result.format === 'policy' ? ['', 'Targets of generate:', ...table(targetRows(result.targets))] : [];
    const expanded = result.format === 'policy' ? expandedLines(result) : [];
    return [head, '', ...table(rowsOf(result)), ...targets, ...expanded, ...notes].join('\n');
  },
  exitCode: ({ valid }) => (valid ? exitCodes.done : exitCodes.negative),
});
