/** Warns of exceptions for files that are never meant for the public. */
import { builtInRules } from '../../../contract/policy/builtin-rules.ts';
import { readable } from '../../../platform/escape.ts';
import type { Paint } from '../../program/paint.ts';

/**
 * Categories of rules about secret files. Rules of other categories are about attacks, or about files that some sites
 * publish.
 */
export const secretCategories: ReadonlySet<string> = new Set([
  ...['env', 'hidden', 'vcs', 'cloud', 'keys', 'dump', 'backup', 'config'],
]);

export interface SecretRule {
  readonly rule: string;
  readonly why: string;
}

export const secretRules = (rules: readonly string[]): SecretRule[] =>
  builtInRules
    .filter(({ id, category }) => rules.includes(id) && secretCategories.has(category))
    .map(({ id, why }) => ({ rule: id, why }));

/** Returns the lines of the warning, or none when the exception disables no such rule. */
export function secretWarning(secrets: readonly SecretRule[], isWritten: boolean, paint: Paint): string[] {
  if (secrets.length === 0) return [];
  const undo = isWritten ? 'Remove the exception' : 'Do not add the exception';
  return [
    paint('red', 'WARNING: this file should never be public. The exception is for rules about secrets:'),
    ...secrets.map(({ rule, why }) => `  ${readable(rule)}: ${readable(why)}`),
    paint(
      'red',
      `${undo} unless you know that this URL shows nothing secret. Remove the file from the server instead.`,
    ),
  ];
}
