/** Finds a target by any of its names, in any letter case. */
import type { Argument, Option } from 'commander';
import { didYouMean } from '../../contract/values/nearest.ts';
import { UsageError } from '../../platform/errors.ts';
import { type Form, type Named, type ProxyTarget, proxies, type Target, targets } from './table.ts';

/** Returns the preferred name and the neutral one. */
const shownNames = ({ name, neutral }: Named): string[] => [name, ...(neutral === undefined ? [] : [neutral])];

const namesOf = (named: Named): string[] => [...shownNames(named), ...named.aliases];

/** Returns every name of a row of `generate`, the main one first. */
export function formNames(target: Target, form: Form): string[] {
  const inherited = form === target.forms[0] ? namesOf(target) : [];
  return [...new Set([...namesOf(form), ...inherited])];
}

const allNames = (target: Target): string[] => [
  ...new Set([...namesOf(target), ...target.forms.flatMap((form) => namesOf(form))]),
];

const hasName = (names: readonly string[], word: string): boolean => names.includes(word.toLowerCase());

const targetNamed = <T extends Target>(word: string, among: readonly T[]): T | undefined =>
  among.find((target) => hasName(allNames(target), word));

export const proxyNamed = (word: string): ProxyTarget | undefined => targetNamed(word, proxies);

const allForms = targets.flatMap((target) => target.forms.map((form) => ({ target, form })));

export type FoundForm = (typeof allForms)[number];

const formNamed = (word: string): FoundForm | undefined =>
  allForms.find(({ target, form }) => hasName(formNames(target, form), word));

export const titleOf = (word: string): string => targetNamed(word, targets)?.title ?? word;

/** Returns text such as `traefik (proxya), caddy (proxyb)`. */
const listText = (rows: readonly Named[]): string =>
  rows.map(({ name, neutral }) => (neutral === undefined ? name : `${name} (${neutral})`)).join(', ');

/** Hint for a word that looks like the name of a file. */
const fileFirst = 'the target comes before the file, as in "caddy guard.json".';

function unknownError(
  kind: 'target' | 'proxy',
  word: string,
  rows: readonly Named[],
  names: readonly string[],
): UsageError {
  const suggestion = kind === 'target' && /[./]/.test(word) ? fileFirst : didYouMean(word, names);
  const hint = `${suggestion === undefined ? 'choose' : `${suggestion} Choose`} one of ${listText(rows)}`;
  return new UsageError(`unknown ${kind} ${JSON.stringify(word)}`, { code: `unknown_${kind}`, hint });
}

/** Declares the names for help and completion. The value of the argument or option is what `find` returns. */
function withNames<P extends Argument | Option>(
  parameter: P,
  kind: 'target' | 'proxy',
  rows: readonly Named[],
  names: readonly string[],
  find: (word: string) => object | undefined,
): P {
  parameter.choices(rows.flatMap(shownNames)).argParser((word) => {
    const found = find(word);
    if (!found) throw unknownError(kind, word, rows, names);
    return found;
  });
  return parameter;
}

export function withFormNames<P extends Argument | Option>(parameter: P): P {
  const rows = allForms.map(({ form }) => form);
  const names = allForms.flatMap(({ target, form }) => formNames(target, form));
  return withNames(parameter, 'target', rows, names, formNamed);
}

export const withTargetNames = <P extends Argument | Option>(parameter: P): P =>
  withNames(parameter, 'target', targets, targets.flatMap(allNames), (word) => targetNamed(word, targets));

export const withProxyNames = <P extends Argument | Option>(parameter: P): P =>
  withNames(parameter, 'proxy', proxies, proxies.flatMap(allNames), proxyNamed);
