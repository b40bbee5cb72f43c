/**
 * The candidates of one value. A reading is a text that some server makes of the value. The readings of every round of
 * decoding, with escaped bytes, are the candidates.
 */
import { limits } from '../contract/policy/limits.ts';
import type { Limit } from '../contract/policy/reasons.ts';
import { base64Text } from './base64.ts';
import { escapeBytes } from './bytes.ts';
import { decode } from './decode.ts';
import { foldToAscii } from './fold.ts';
import { cutPath, forms, trimBlanks, withoutControls, withoutInvalidUtf8 } from './forms.ts';
import { isRouted, pathReadings } from './path-readings.ts';

/** Number of candidate bytes that a value, a body or a request has used. */
export interface Budget {
  used: number;
}

/** Candidates in order, without repetitions, and the limit that was reached, if any. */
export interface View {
  readonly candidates: readonly string[];
  readonly limit?: Limit;
}

/** Matches a text whose readings can differ from it. Every other text has only one reading, except base64. */
const ambiguousText = /[^ -~]|[\\;?#]|\/\/|:\$|[. ](?:\/|$)/;

/**
 * True when a client can have intended the folded text. Text in another character set also folds: `C0 EE`, which folds
 * to `.`, is a surname in GBK.
 */
function isIntended(folded: string): boolean {
  return !/[\x80-\xff]/.test(folded) || /\.\.[/\\]|[/\\]\.\./.test(folded);
}

function intendedText(text: string): string {
  const folded = foldToAscii(text);
  return folded === text || isIntended(folded) ? folded : text;
}

/** Returns the readings that only a path has, or only the value of a query or body. */
function readingsOfKind(ended: string, controlFree: string, isPath: boolean): string[] {
  if (isPath) return pathReadings(withoutControls(ended).replaceAll('\\', '/'));
  const trimmed = trimBlanks(controlFree);
  return trimmed === controlFree ? [] : [trimmed];
}

/** Returns all readings of one round, in order, with repetitions. */
function readingsOfRound(raw: string, isPath: boolean): string[] {
  const text = base64Text(raw);
  const ofText = text === undefined ? [] : forms(text);
  if (!(ambiguousText.test(raw) || (isPath && isRouted(raw)))) return [raw, ...ofText];
  const folded = intendedText(raw);
  const ended = cutPath(folded);
  const controlFree = withoutControls(folded);
  const valid = withoutInvalidUtf8(raw);
  return [
    ...forms(raw),
    ...(folded === raw ? [] : forms(folded)),
    ...(ended === folded ? [] : forms(ended)),
    ...(controlFree === folded ? [] : forms(controlFree)),
    ...(ended === folded ? [] : forms(withoutControls(ended))),
    ...(valid === raw ? [] : forms(withoutControls(intendedText(valid)))),
    ...readingsOfKind(ended, controlFree, isPath).flatMap(forms),
    ...ofText,
  ];
}

/** Returns false when the budget of the value (`own`) or the request (`shared`) is used up. */
function spend(bytes: number, own: Budget, shared: Budget): boolean {
  own.used += bytes;
  if (own.used > limits.viewBytes || shared.used + bytes > limits.requestBytes) return false;
  shared.used += bytes;
  return true;
}

/** Adds readings until a budget is used up; then returns false. */
function collect(readings: readonly string[], found: Set<string>, own: Budget, shared: Budget): boolean {
  for (const reading of new Set(readings)) {
    const candidate = escapeBytes(reading);
    if (found.has(candidate)) continue;
    if (!spend(candidate.length, own, shared)) return false;
    found.add(candidate);
  }
  return true;
}

/** Returns the view of `raw`, which is a path or another value. Keeps the candidates that were found before a limit. */
export function view(raw: string, maxBytes: number, budget: Budget, isPath = false): View {
  if (raw.length > maxBytes) return { candidates: [], limit: 'limit_length' };
  const own: Budget = { used: 0 };
  let reading = raw;
  let readings = readingsOfRound(raw, isPath);
  const isOnly = readings.length === 1 && !raw.includes('%'); // as most values: sets would take longer than the readings
  if (isOnly && spend(raw.length, own, budget)) return { candidates: readings };
  const found = new Set<string>();
  for (let rounds = 0; ; rounds += 1) {
    if (!collect(readings, found, own, budget)) return { candidates: [...found], limit: 'limit_candidates' };
    const decoded = decode(reading);
    if (decoded === reading) return { candidates: [...found] };
    if (rounds === limits.decodeRounds) return { candidates: [...found], limit: 'limit_decode_rounds' };
    reading = decoded;
    readings = readingsOfRound(reading, isPath);
  }
}
