/** Rules about files that are never meant for the public. An exception from them probably publishes a secret. */
import { builtInRules } from '../../../contract/policy/builtin-rules.ts';

/** Categories of rules about secret files. Other categories are about attacks, or about files that some sites publish. */
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
