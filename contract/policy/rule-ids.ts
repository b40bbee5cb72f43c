import { type CrossCheck, entriesOf, type Fields, type Finding, isFields } from '../schema/problem.ts';
import { didYouMean } from '../values/nearest.ts';
import { engineRules } from './engine-rules.ts';
import { exploitRules } from './exploits.ts';
import { patternId } from './pattern-id.ts';

type Action = 'block' | 'allow';

let actions: ReadonlyMap<string, Action> | undefined;

/** Returns the actions of the built-in rules by id. Most policies name no rule, so the first call parses the rows. */
export function builtInActions(): ReadonlyMap<string, Action> {
  actions ??= new Map([...engineRules, ...exploitRules()].map(({ id, action }) => [id, action]));
  return actions;
}

const customRules = (policy: Fields): readonly Fields[] =>
  entriesOf(policy.rules).map((rule) => (isFields(rule) ? rule : {}));

export const checkRuleIds: CrossCheck = function* (policy) {
  const seen = new Map<unknown, number>();
  for (const [index, { id }] of customRules(policy).entries()) {
    const finding = (message: string): Finding => ({ kind: 'conflict', message, path: ['rules', index, 'id'] });
    if (typeof id !== 'string') continue;
    if (builtInActions().has(id)) yield finding(`"${id}" is the id of a built-in rule; take another`);
    else if (seen.has(id)) yield finding(`rules[${seen.get(id)}] has this id already`);
    else seen.set(id, index);
  }
};

export const checkDisabledRules: CrossCheck = function* (policy) {
  for (const [index, id] of entriesOf(policy.disabledRules).entries()) {
    if (typeof id !== 'string' || builtInActions().has(id)) continue;
    const hint = didYouMean(id, builtInActions().keys());
    yield { kind: 'bad_value', message: 'expected the id of a built-in rule', path: ['disabledRules', index], hint };
  }
};

function blockIds(policy: Fields): Set<string> {
  const builtIn = [...builtInActions()].filter(([, action]) => action === 'block').map(([id]) => id);
  const patternIds = entriesOf(policy.blockPatterns).map((_, index) => patternId('block', index));
  const own = customRules(policy).flatMap(({ id, action }) =>
    action === 'block' && typeof id === 'string' ? [id] : [],
  );
  return new Set([...builtIn, ...patternIds, ...own]);
}

/** Checks that `exceptions` name block rules. Users delete an allow rule, or list it in `disabledRules`. */
export const checkExceptions: CrossCheck = function* (policy) {
  const exceptions = entriesOf(policy.exceptions);
  if (exceptions.length === 0) return;
  const known = blockIds(policy);
  for (const [entry, exception] of exceptions.entries()) {
    const ids = isFields(exception) ? entriesOf(exception.rules) : [];
    for (const [index, id] of ids.entries()) {
      if (typeof id !== 'string' || known.has(id)) continue;
      const path = ['exceptions', entry, 'rules', index];
      yield { kind: 'bad_value', message: 'expected the id of a block rule', path, hint: didYouMean(id, known) };
    }
  }
};
