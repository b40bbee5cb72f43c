import type { Policy } from '../../policy/schema.ts';
import { type Fields, isFields, type Path } from '../../schema/problem.ts';
import { parseNetwork } from '../../values/address.ts';
import type { Located } from '../check.ts';
import type { Problem } from '../problem.ts';
import { disabledOrDetecting, getOnly, noBlockRules, strangeMethods, uninspectedBodies } from './inspection.ts';
import { inactiveRules, repeatedEntries, uninspectedTargets, withoutEffect } from './no-effect.ts';
import { backtracking, globs } from './patterns.ts';
import { oldPresets, privateProxies } from './presets.ts';
import { captchaInClear, captchaWarnings, silentDrop, unreadOptions } from './response.ts';
import {
  applicationsEverywhere,
  exceptionsEverywhere,
  matchesEverything,
  shadowedByTwin,
  shadowsBuiltIn,
} from './rules.ts';
import { type Warning, withPositions } from './warning.ts';

type Check = (policy: Policy, file: Fields) => Iterable<Warning>;

function* allAddresses({ allowedIps, trustedProxies, exceptions }: Policy): Iterable<Warning> {
  const lists: readonly [Path, readonly string[], string][] = [
    [['allowedIps'], allowedIps, 'every client bypasses all checks'],
    [['trustedProxies'], trustedProxies, 'every peer can claim any address in X-Forwarded-For'],
    ...exceptions.map(({ clients }, index): [Path, readonly string[], string] => [
      ['exceptions', index, 'clients'],
      clients,
      'the exception holds for every client of this family',
    ]),
  ];
  for (const [path, entries, effect] of lists)
    for (const [index, entry] of entries.entries())
      if (parseNetwork(entry)?.length === 0)
        yield { kind: 'everyone', path: [...path, index], message: `it contains all addresses: ${effect}` };
}

/** Warns of `~` in a path. The guard of a proxy would make or read a folder of this name. */
function* homeFolders({ securityLogFile, banList }: Policy): Iterable<Warning> {
  const paths: readonly (readonly [Path, string | undefined])[] = [
    [['securityLogFile'], securityLogFile],
    [['banList', 'file'], banList?.file],
  ];
  for (const [path, text] of paths)
    if (text?.startsWith('~'))
      yield { kind: 'home_folder', path, message: 'only a shell replaces ~', hint: 'write the whole path' };
}

const policyChecks: readonly Check[] = [
  disabledOrDetecting,
  getOnly,
  homeFolders,
  strangeMethods,
  noBlockRules,
  uninspectedBodies,
  allAddresses,
  ({ trustedProxies }) => oldPresets([[['trustedProxies'], trustedProxies]]),
  ({ trustedProxies }) => privateProxies(['trustedProxies'], trustedProxies),
  matchesEverything,
  exceptionsEverywhere,
  applicationsEverywhere,
  shadowedByTwin,
  shadowsBuiltIn,
  backtracking,
  globs,
  inactiveRules,
  uninspectedTargets,
  repeatedEntries,
  withoutEffect,
  unreadOptions,
  captchaWarnings,
  captchaInClear,
  silentDrop,
];

export function policyWarnings(policy: Policy, located: Located): Problem[] {
  const file = located.root.value;
  const fields = isFields(file) ? file : {};
  return withPositions(
    policyChecks.flatMap((check) => [...check(policy, fields)]),
    located,
  );
}
