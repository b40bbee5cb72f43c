/** Checks of a valid policy, one function each. */

import type { Policy } from '../../policy/schema.ts';
import { type Fields, isFields } from '../../schema/problem.ts';
import { parseNetwork } from '../../values/address.ts';
import type { Located } from '../check.ts';
import type { Problem } from '../problem.ts';
import { backtracking } from './backtracking.ts';
import { globs } from './glob.ts';
import { getOnly, noBlockRules, strangeMethods, switches, uninspectedBodies } from './inspection.ts';
import { inactiveRules, repeated, uninspectedTargets, withoutEffect } from './no-effect.ts';
import { captcha, captchaInClear, silentDrop, unreadOptions } from './response.ts';
import { exceptionsEverywhere, matchesEverything, shadowedByTwin, shadowsBuiltIn } from './rules.ts';
import { placed, type Warning } from './warning.ts';

type Check = (policy: Policy, file: Fields) => Iterable<Warning>;

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

const policyChecks: readonly Check[] = [
  switches,
  getOnly,
  strangeMethods,
  noBlockRules,
  uninspectedBodies,
  allAddresses,
  matchesEverything,
  exceptionsEverywhere,
  shadowedByTwin,
  shadowsBuiltIn,
  backtracking,
  globs,
  inactiveRules,
  uninspectedTargets,
  repeated,
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
