/** Checks of a valid policy, one function each. */

import { builtInRules, switchedOff } from '../../policy/builtin-rules.ts';
import type { Policy } from '../../policy/schema.ts';
import { type Fields, isFields } from '../../schema/problem.ts';
import { parseNetwork } from '../../values/address.ts';
import type { Located } from '../check.ts';
import type { Problem } from '../problem.ts';
import { backtracking } from './backtracking.ts';
import { globs } from './glob.ts';
import { captcha, captchaInClear, silentDrop, unreadOptions } from './response.ts';
import { exceptionsEverywhere, matchesEverything, shadowedByTwin, shadowsBuiltIn } from './rules.ts';
import { placed, type Warning } from './warning.ts';

type Check = (policy: Policy, file: Fields) => Iterable<Warning>;

function* switches({ enabled, mode }: Policy): Iterable<Warning> {
  if (!enabled) yield { kind: 'disabled', path: ['enabled'], message: 'the guard is off: nothing is inspected' };
  if (mode === 'detect')
    yield { kind: 'detect', path: ['mode'], message: 'nothing is blocked: the guard only reports' };
}

/** Warns of a file without methods: the author may not expect that the default is only GET. */
function* getOnly(_: Policy, file: Fields): Iterable<Warning> {
  if (file.methods !== undefined) return;
  const message = 'only GET is inspected: HEAD, POST and all other methods pass';
  yield { kind: 'get_only', path: ['methods'], message, hint: 'list the methods that your backend supports, or "*"' };
}

/** Warns of a file without the key: the author may expect that bodies are inspected completely. */
function* uninspectedBodies({ checkBody }: Policy, file: Fields): Iterable<Warning> {
  if (!checkBody || file.bodyOverflow !== undefined) return;
  const message = 'a body of which a part cannot be inspected passes: one that is too long, compressed or malformed';
  const hint = 'write "block" and a maxBodyBytes that your uploads need, or "pass" to keep this';
  yield { kind: 'body_overflow', path: ['bodyOverflow'], message, hint };
}

const everyone = {
  allowedIps: 'every client bypasses all checks',
  trustedProxies: 'every peer can claim any address in X-Forwarded-For',
} as const;

function* allAddresses(policy: Policy): Iterable<Warning> {
  for (const [key, effect] of Object.entries(everyone) as [keyof typeof everyone, string][])
    for (const [index, entry] of policy[key].entries())
      if (parseNetwork(entry)?.length === 0)
        yield { kind: 'everyone', path: [key, index], message: `it contains all addresses: ${effect}` };
}

/** Methods whose request body has no meaning (RFC 9110 9.3). */
const bodiless = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];

/** Keys that another key makes ineffective, and why. */
const meaningless: readonly { key: string; when: (policy: Policy) => boolean; why: string }[] = [
  { key: 'maxBodyBytes', when: ({ checkBody }) => !checkBody, why: 'checkBody is off' },
  { key: 'bodyOverflow', when: ({ checkBody }) => !checkBody, why: 'checkBody is off' },
  { key: 'securityLogFile', when: ({ securityLog }) => !securityLog, why: 'securityLog is off' },
  {
    key: 'checkBody',
    when: ({ checkBody, methods }) => checkBody && methods.every((name) => bodiless.includes(name.toUpperCase())),
    why: 'no listed method has a body',
  },
];

function* withoutEffect(policy: Policy, file: Fields): Iterable<Warning> {
  for (const { key, when, why } of meaningless)
    if (file[key] !== undefined && when(policy))
      yield { kind: 'no_effect', path: [key], message: `it has no effect: ${why}` };
}

/**
 * Warns of built-in rules that are disabled or excepted without effect: their whole set is off, or they are both
 * disabled and excepted.
 */
function* inactiveRules(policy: Policy): Iterable<Warning> {
  const { disabledRules, exceptions } = policy;
  const off = new Set(builtInRules.filter((rule) => switchedOff(rule, policy)).map(({ id }) => id));
  const isOff = (id: string): boolean => off.has(id);
  const warning = (path: Warning['path']): Warning => ({
    kind: 'no_effect',
    path,
    message: 'it has no effect: the rule is off already',
  });
  for (const [index, id] of disabledRules.entries()) if (isOff(id)) yield warning(['disabledRules', index]);
  for (const [entry, { rules }] of exceptions.entries())
    for (const [index, id] of rules.entries())
      if (isOff(id) || disabledRules.includes(id)) yield warning(['exceptions', entry, 'rules', index]);
}

const policyChecks: readonly Check[] = [
  switches,
  getOnly,
  uninspectedBodies,
  allAddresses,
  matchesEverything,
  exceptionsEverywhere,
  shadowedByTwin,
  shadowsBuiltIn,
  backtracking,
  globs,
  inactiveRules,
  withoutEffect,
  unreadOptions,
  captcha,
  captchaInClear,
  silentDrop,
];

export function policyWarnings(policy: Policy, located: Located): Problem[] {
  const file = located.root.value;
  const fields = isFields(file) ? file : {};
  return placed(
    policyChecks.flatMap((check) => [...check(policy, fields)]),
    located,
  );
}
