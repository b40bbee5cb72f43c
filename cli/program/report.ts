/** Converts errors to text and to JSON. Escapes everything, because any part may be hostile. */
import { LibraryError } from '../../contract/regex/compile.ts';
import { packageRoot } from '../../platform/assets.ts';
import { ConfigError, ExternalError, type FileProblem, GuardError, type Refusal } from '../../platform/errors.ts';
import { jsonText, printable, readable } from '../../platform/escape.ts';
import type { Paint } from './paint.ts';

/** `file:line:column: message`, with the hint on the next line. */
export function problemText(file: string, { line, column, path, message, hint }: FileProblem, paint: Paint): string {
  const position = line === 0 ? '' : `${line}:${column}:`;
  const place = paint('bold', `${readable(file)}:${position}`);
  const key = path === '' ? '' : `${readable(path)}: `;
  const advice = hint === undefined ? '' : `\n  ${paint('cyan', readable(hint))}`;
  return `${place} ${key}${readable(message)}${advice}`;
}

export function refusalText({ name, problems, omitted }: Refusal, paint: Paint): string {
  const rest = omitted === 0 ? [] : [`... and ${omitted} more`];
  return [...problems.map((problem) => problemText(problem.file ?? name, problem, paint)), ...rest].join('\n');
}

/** Returns the warnings as text. The text is empty when there are none. */
export function warningsText(file: string, warnings: readonly FileProblem[], paint: Paint): string {
  return warnings.map((warning) => `${paint('yellow', 'warning:')} ${problemText(file, warning, paint)}`).join('\n');
}

const indentLines = (text: string): string =>
  text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => `  | ${readable(line)}`)
    .join('\n');

function detailLines(error: GuardError, paint: Paint): string[] {
  if (error instanceof ConfigError) return [refusalText(error.refusal, paint)];
  if (error instanceof ExternalError && error.failed.output) return [indentLines(error.failed.output)];
  return [];
}

function bugText(error: unknown, paint: Paint): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return [
    `${paint('red', 'error:')} this is a bug in guardcli.`,
    indentLines(stack),
    '  Please report it with the command line and the lines above.',
  ].join('\n');
}

/**
 * Adds a hint to the error of a library that does not load: the command that fixes it. Returns other errors unchanged.
 */
export function explainedError(error: unknown): unknown {
  if (!(error instanceof LibraryError)) return error;
  return new ExternalError(error.message, {
    code: 'no_library',
    hint: `cd ${packageRoot} && npm rebuild re2`,
    failed: { tool: 're2', output: (error.cause as Error).message },
    cause: error,
  });
}

/** A command at the end of a hint. A period would be copied with it. */
const lastCommand = /(?:&&|:| run) (?:guardcli|tcp-guard|npm|apt|systemctl) [^;,:"]*$/;

/**
 * Begins a clause with a capital letter, unless it begins with `guardcli` or `cd`. Ends it with a period, unless a command
 * is at its end.
 */
function asSentence(clause: string): string {
  const text = /^(?!(?:guardcli|cd)\b)[a-z]+\b/.test(clause)
    ? clause.slice(0, 1).toUpperCase() + clause.slice(1)
    : clause;
  return /[.?!:]$/.test(text) || lastCommand.test(text) ? text : `${text}.`;
}

/** Returns what happened and what to do as one line. The caller escapes it. */
export function messageOf(error: unknown): string {
  const { message } = error as Error;
  return error instanceof GuardError && error.hint !== undefined ? `${message}. ${asSentence(error.hint)}` : message;
}

/**
 * Returns `error: what happened. What to do.` as one line. With details, message, details and hint are on separate
 * lines.
 */
export function errorText(error: unknown, paint: Paint): string {
  if (!(error instanceof GuardError)) return bugText(error, paint);
  const message = readable(error.message);
  const head = `${paint('red', 'error:')} ${/[.?!:]$/.test(message) ? message : `${message}.`}`;
  const hint = error.hint === undefined ? [] : [paint('cyan', asSentence(readable(error.hint)))];
  const between = detailLines(error, paint);
  if (between.length === 0) return [head, ...hint].join(' ');
  return [head, ...between, ...hint.map((text) => `  ${text}`)].join('\n');
}

/** An error as JSON. Keys that do not apply are absent. */
interface ErrorReport {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly file?: string;
  readonly problems?: readonly FileProblem[];
  readonly omitted?: number;
  readonly tool?: string;
  readonly output?: string;
}

const fileReport = ({ name, problems, omitted }: Refusal) => ({ file: name, problems, omitted });

function errorReport(error: unknown): ErrorReport {
  if (!(error instanceof GuardError)) return { code: 'bug', message: printable(String(error)) };
  return {
    code: error.code,
    message: error.message,
    ...(error.hint !== undefined && { hint: error.hint }),
    ...(error instanceof ConfigError && fileReport(error.refusal)),
    ...(error instanceof ExternalError && { tool: error.failed.tool, output: error.failed.output }),
  } as ErrorReport;
}

export function errorJson(error: unknown): string {
  return jsonText({ error: errorReport(error) });
}
