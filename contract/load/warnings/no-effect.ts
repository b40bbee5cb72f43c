import { builtInRules } from '../../policy/builtin-rules.ts';
import { switchedOff } from '../../policy/engine-rules.ts';
import { exploitRules, isExploitOn, readsBodies } from '../../policy/exploits.ts';
import { headerKey, isHeaderTarget } from '../../policy/headers.ts';
import { bodilessMethods } from '../../policy/methods.ts';
import type { Policy } from '../../policy/schema.ts';
import { type Fields, type Path, valueAt } from '../../schema/problem.ts';
import type { Warning } from './warning.ts';

const noEffect = (path: Path, why: string): Warning => ({
  kind: 'no_effect',
  path,
  message: `it has no effect: ${why}`,
});

/** Whether the guard cannot verify captchas. In other modes the whole key `captcha` gets another warning. */
const isUnverified = ({ response }: Policy): boolean =>
  response.mode === 'captcha' && response.captcha?.secretKey === undefined;

const verificationKeys = ['passMinutes', 'verifyUrl', 'hostnames', 'minScorePercent'];

const hasOnlyBodilessMethods = ({ methods }: Policy): boolean =>
  methods.every((name) => bodilessMethods.includes(name.toUpperCase()));

const ineffectiveKeys: readonly { path: Path; when: (policy: Policy) => boolean; why: string }[] = [
  { path: ['maxBodyBytes'], when: (policy) => !readsBodies(policy), why: 'checkBody is off' },
  { path: ['bodyOverflow'], when: ({ checkBody }) => !checkBody, why: 'checkBody is off' },
  { path: ['securityLogFile'], when: ({ securityLog }) => !securityLog, why: 'securityLog is off' },
  {
    path: ['checkBody'],
    when: (policy) => policy.checkBody && hasOnlyBodilessMethods(policy),
    why: 'no listed method has a body',
  },
  {
    path: ['builtinRules'],
    when: ({ enableDefaultPatterns }) => !enableDefaultPatterns,
    why: 'enableDefaultPatterns is false',
  },
  {
    path: ['applications'],
    when: ({ enableDefaultPatterns }) => !enableDefaultPatterns,
    why: 'enableDefaultPatterns is false, and profiles are only about built-in rules',
  },
  {
    path: ['secret'],
    when: ({ response, banList }) =>
      !['captcha', 'fake_success'].includes(response.mode) && banList?.response?.mode !== 'fake_success',
    why: 'only the modes captcha and fake_success read it',
  },
  { path: ['secret'], when: isUnverified, why: 'without secretKey the page only challenges' },
  {
    path: ['response', 'headers'],
    when: ({ response: { mode } }) => mode === 'silent_drop',
    why: 'mode silent_drop sends no response',
  },
  ...verificationKeys.map((key) => ({
    path: ['response', 'captcha', key],
    when: isUnverified,
    why: 'without secretKey the page only challenges',
  })),
];

export function* withoutEffect(policy: Policy, file: Fields): Iterable<Warning> {
  for (const { path, when, why } of ineffectiveKeys)
    if (valueAt(file, path) !== undefined && when(policy)) yield noEffect(path, why);
}

/** Warns of rules of the policy whose targets are all parts of a request that the policy does not inspect. */
export function* uninspectedTargets({ rules, checkQuery, checkBody, checkHeaders }: Policy): Iterable<Warning> {
  const isInspected = {
    path: true,
    query: checkQuery || checkHeaders.some((name) => name.toLowerCase() === 'cookie'),
    body: checkBody,
  };
  const keys = { path: '', query: 'checkQuery', body: 'checkBody' };
  for (const [index, { targets }] of rules.entries())
    if (!targets.some((target) => isHeaderTarget(target) || isInspected[target])) {
      const off = [...new Set(targets)].filter((target) => !isHeaderTarget(target)).map((target) => keys[target]);
      yield noEffect(['rules', index, 'targets'], `${off.join(' and ')} ${off.length > 1 ? 'are' : 'is'} off`);
    }
}

/**
 * Warns of entries of `disabledRules` and `exceptions` for rules that are off already: the whole set of the rule is off,
 * or an exception names a disabled rule.
 */
export function* inactiveRules(policy: Policy): Iterable<Warning> {
  const { disabledRules, exceptions } = policy;
  const unused = exploitRules().filter((rule) => !isExploitOn(rule, policy.exploits));
  const off = new Set([...builtInRules.filter((rule) => switchedOff(rule, policy)), ...unused].map(({ id }) => id));
  const why = 'the rule is off already';
  for (const [index, id] of disabledRules.entries()) if (off.has(id)) yield noEffect(['disabledRules', index], why);
  for (const [entry, { rules }] of exceptions.entries())
    for (const [index, id] of rules.entries())
      if (off.has(id) || disabledRules.includes(id)) yield noEffect(['exceptions', entry, 'rules', index], why);
}

const verbatim = (text: string): string => text;

type ListOfNames = [Path, readonly string[], (text: string) => string];

/** Every list of names, with a function that returns equal texts for equal names. Patterns are compared elsewhere. */
const listsOf = (policy: Policy): readonly ListOfNames[] => [
  [['methods'], policy.methods, (name) => name.toUpperCase()],
  [['checkHeaders'], policy.checkHeaders, headerKey],
  [['allowedIps'], policy.allowedIps, verbatim],
  [['trustedProxies'], policy.trustedProxies, verbatim],
  [['disabledRules'], policy.disabledRules, verbatim],
  ...policy.exceptions.flatMap(({ rules, clients }, index): ListOfNames[] => [
    [['exceptions', index, 'rules'], rules, verbatim],
    [['exceptions', index, 'clients'], clients, verbatim],
  ]),
];

/** Warns of duplicate entries, and of methods beside `*`. */
export function* repeatedEntries(policy: Policy): Iterable<Warning> {
  for (const [path, entries, normal] of listsOf(policy)) {
    const names = entries.map(normal);
    for (const [index, name] of names.entries())
      if (names.indexOf(name) < index) yield noEffect([...path, index], 'the list has it already');
  }
  const { methods } = policy;
  if (!methods.includes('*')) return;
  for (const [index, name] of methods.entries())
    if (name !== '*') yield noEffect(['methods', index], '"*" contains every method');
}
