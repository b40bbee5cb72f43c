/** Requests that show the rules of policies: what each rule is for, and what it barely does not match. */

import { builtInRules } from '../../../contract/policy/builtin-rules.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import type { GuardRequest } from '../../../engine/index.ts';
import { rulesOf } from '../../../engine/rules.ts';
import { asPath, asValue, examplesOf } from '../../probes/examples.ts';
import { type Pair, representatives } from './representatives.ts';

const builtIn = builtInRules.flatMap(({ matches, nearMisses }) => [...matches, ...nearMisses]);

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
/** A body is usual in these. */
const methodsOfBodies = ['POST', 'PUT', 'PATCH', 'DELETE', 'GET'];

const formType = ['Content-Type', 'application/x-www-form-urlencoded'] as const;

const inspectsMethod = ({ methods: inspected }: Policy, method: string): boolean =>
  inspected.some((one) => one === '*' || one.toUpperCase() === method.toUpperCase());

/** Methods for requests that the policies inspect: one, or more where they do not inspect the same ones. */
export function methodsOf(policies: Pair, usual: readonly string[] = methods): string[] {
  const named = policies.flatMap((policy) => policy.methods).filter((method) => method !== '*');
  return representatives([...usual, ...named], policies, inspectsMethod);
}

const inspectsHeader = ({ checkHeaders }: Policy, name: string): boolean =>
  checkHeaders.some((one) => one.toLowerCase() === name.toLowerCase());

/** Each text as a path and as a value of a query, and where a policy inspects them, as a header and in a form. */
export function exampleRequests(policies: Pair): GuardRequest[] {
  const custom = policies.flatMap(rulesOf).filter(({ isCustom }) => isCustom);
  const texts = [...new Set([...builtIn, ...custom.flatMap(({ pattern }) => examplesOf(pattern))])];
  const [paths, values] = [[...new Set(texts.map(asPath))], texts.map((text) => `value=${asValue(text)}`)];
  const targets = new Set([...paths, ...values.map((value) => `/?${value}`)]);
  const names = representatives(
    policies.flatMap(({ checkHeaders }) => checkHeaders),
    policies,
    inspectsHeader,
  );
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
