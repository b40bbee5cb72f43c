/** Creates requests from the examples of rules, and from near misses. */

import { builtInRules } from '../../../contract/policy/builtin-rules.ts';
import { headerNameOf, headerTargets } from '../../../contract/policy/headers.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import type { GuardRequest } from '../../../engine/index.ts';
import { rulesOf } from '../../../engine/rules.ts';
import { asPath, asValue, examplesOf } from '../../probes/examples.ts';
import { type Pair, representatives } from './representatives.ts';

const builtInExamples = builtInRules.flatMap(({ matches, nearMisses }) => [...matches, ...nearMisses]);

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const methodsOfBodies = ['POST', 'PUT', 'PATCH', 'DELETE', 'GET'];

const formType = ['Content-Type', 'application/x-www-form-urlencoded'] as const;

const inspectsMethod = ({ methods: inspected }: Policy, method: string): boolean =>
  inspected.some((one) => one === '*' || one.toUpperCase() === method.toUpperCase());

/** Returns a method for the examples, or several when the policies inspect different ones. */
export function methodsOf(policies: Pair, usual: readonly string[] = methods): string[] {
  const namedMethods = policies.flatMap((policy) => policy.methods).filter((method) => method !== '*');
  return representatives([...usual, ...namedMethods], policies, inspectsMethod);
}

const headersOf = ({ checkHeaders, rules }: Policy): string[] => [
  ...checkHeaders,
  ...headerTargets(rules).map(headerNameOf),
];

const inspectsHeader = (policy: Policy, name: string): boolean =>
  headersOf(policy).some((one) => one.toLowerCase() === name.toLowerCase());

/** Returns each text as a path and as a query value; also as a header and a form if a policy inspects them. */
export function exampleRequests(policies: Pair): GuardRequest[] {
  const custom = policies.flatMap(rulesOf).filter(({ isCustom }) => isCustom);
  const texts = [...new Set([...builtInExamples, ...custom.flatMap(({ pattern }) => examplesOf(pattern))])];
  const [paths, values] = [[...new Set(texts.map(asPath))], texts.map((text) => `value=${asValue(text)}`)];
  const targets = new Set([...paths, ...values.map((value) => `/?${value}`)]);
  const names = representatives(policies.flatMap(headersOf), policies, inspectsHeader);
  const bodies = policies.some(({ checkBody }) => checkBody) ? values : [];
  return [
    ...methodsOf(policies).flatMap((method) => [
      ...[...targets].map((target) => ({ method, target, headers: [] })),
      ...names.flatMap((name) => paths.map((path) => ({ method, target: '/', headers: [[name, path] as const] }))),
    ]),
    ...methodsOf(policies, methodsOfBodies).flatMap((method) =>
      bodies.map((body) => ({ method, target: '/', headers: [formType], body })),
    ),
  ];
}
