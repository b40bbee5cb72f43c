/** Puts the values of variables into LogQL, so that no value can change the query around it. */
import { UsageError } from '../../../platform/errors.ts';
import type { Variable } from './model.ts';

export interface Scope {
  readonly rangeMs: number;
  readonly stepMs: number;
  readonly isInstant: boolean;
  readonly variables: readonly Variable[];
  /** Values that the user chose, by variable. */
  readonly chosen: Readonly<Record<string, string>>;
}

const durationText = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`);

type BuiltIn = (scope: Scope) => string;
const stepText: BuiltIn = ({ stepMs }) => durationText(stepMs);
const rangeText: BuiltIn = ({ rangeMs }) => durationText(rangeMs);

const builtIns: ReadonlyMap<string, BuiltIn> = new Map<string, BuiltIn>([
  ['__range', rangeText],
  ['__range_s', ({ rangeMs }) => String(Math.round(rangeMs / 1000))],
  ['__range_ms', ({ rangeMs }) => String(rangeMs)],
  ['__interval', stepText],
  ['__interval_ms', ({ stepMs }) => String(stepMs)],
  ['__rate_interval', stepText],
  ['__auto', (scope) => (scope.isInstant ? rangeText : stepText)(scope)],
]);

/** Functions that escape a value, by the quote character around the reference. `''`: the reference is not in quotes. */
const escapesByQuote: Readonly<Record<string, (value: string, name: string) => string>> = {
  '"': (value) => value.replace(/["\\]/g, '\\$&').replace(/[\n\r]/g, ' '),
  '`': (value) => value.replaceAll('`', '.'),
  '': (value, name) => {
    if (/^[\w.]*$/.test(value)) return value;
    throw new UsageError(`the value of ${name} cannot be used outside of quotes`, { code: 'bad_value' });
  },
};

const literalPattern = (value: string): string => value.replace(/[\\^$*+?.()|[\]{}]/g, '\\$&');

function replacementOf(name: string, quote: string, scope: Scope): string | undefined {
  const builtIn = builtIns.get(name);
  if (builtIn) return builtIn(scope);
  const variable = scope.variables.find((one) => one.name === name);
  if (!variable) return undefined;
  const chosen = scope.chosen[name];
  // The dashboard's author wrote the initial value as a regular expression; a chosen value is plain text.
  const value = chosen === undefined ? variable.initial : variable.isPattern ? literalPattern(chosen) : chosen;
  return escapesByQuote[quote]?.(value, name);
}

/** Matches a string in quotes, the text between strings, or an unclosed quote, which Loki reports as an error. */
const tokens = /"(?:\\.|[^"\\])*"|`[^`]*`|[^"`]+|["`]/gs;
const references = /\$\{(\w+)(?::\w+)?\}|\$(\w+)|\[\[(\w+)\]\]/g;

/**
 * Replaces references to variables. A reference to an unknown variable remains.
 * @throws UsageError when a value outside of quotes has other characters than letters, digits, dots and underscores
 */
export function substitute(expr: string, scope: Scope): string {
  return expr.replace(tokens, (token) => {
    const quote = /^["`]/.exec(token)?.[0] ?? '';
    return token.replace(references, (found, braced?: string, plain?: string, square?: string) => {
      return replacementOf(braced ?? plain ?? square ?? '', quote, scope) ?? found;
    });
  });
}
