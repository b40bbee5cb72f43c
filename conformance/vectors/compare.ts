import type { Policy } from '../../contract/policy/schema.ts';
import type { RegexResult } from '../../contract/regex/grammar.ts';
import { bytesOf, headersOf } from './bytes.ts';
import type { CandidateTest, RegexTest, UpgradeTest, VerdictTest } from '../../contract/vectors/schema.ts';
import type { Guard, GuardRequest, Headers, Upgrades } from '../../engine/index.ts';
import type { View } from '../../engine/view.ts';

/** The tested engine: the exports of the reference engine, or of a mutant. */
export interface Subject {
  readonly compile: (policy: Policy) => Guard;
  readonly pathCandidates: (path: string) => View;
  readonly parseRegex: (source: string) => RegexResult;
}

/** The expected result of a test, and the result of an engine in the same form. */
export interface Outcome {
  readonly expected: unknown;
  readonly actual: unknown;
}

function requestOf({ request }: VerdictTest): GuardRequest {
  const rewritten = bytesOf(request, 'rewritten');
  return {
    method: request.method ?? 'GET',
    target: bytesOf(request, 'target') ?? '/',
    ...(rewritten !== undefined && { rewritten }),
    headers: headersOf(request),
    body: bytesOf(request, 'body') ?? '',
    ip: request.ip ?? '',
    host: request.host ?? '',
  };
}

export function candidateOutcome(subject: Subject, test: CandidateTest): Outcome {
  const { candidates, limit } = test;
  const actual = subject.pathCandidates(bytesOf(test, 'input') ?? '');
  return { expected: { candidates, ...(limit && { limit }) }, actual };
}

/** The verdict without the text of the pattern, which the id of the rule implies. */
export function verdictOutcome(guard: Guard, test: VerdictTest): Outcome {
  const { pattern, ...actual } = guard.evaluate(requestOf(test));
  return { expected: test.expect, actual };
}

type KeepUpgrades = (headers: Headers, allowUpgrades: readonly string[]) => Upgrades;

/** Returns text, or an object with `base64` for other bytes: the form of the conformance data. */
const byteForm = (text: string) => (/^[\x00-\x7f]*$/.test(text) ? text : { base64: btoa(text) });

export function upgradeOutcome(keep: KeepUpgrades, allowUpgrades: readonly string[], test: UpgradeTest): Outcome {
  const { refused, headers } = keep(headersOf(test), allowUpgrades);
  const kept: Record<string, unknown[]> = {};
  for (const [name, value] of headers) (kept[name.toLowerCase()] ??= []).push(byteForm(value));
  const { refused: wanted, kept: lines } = test;
  return {
    expected: { ...(wanted !== undefined && { refused: wanted }), kept: lines },
    actual: { ...(refused !== undefined && { refused: byteForm(refused) }), kept },
  };
}

export function regexOutcome(subject: Subject, { pattern, ok, offset }: RegexTest): Outcome {
  const result = subject.parseRegex(pattern);
  return { expected: { ok, offset }, actual: { ok: result.ok, offset: result.ok ? undefined : result.offset } };
}
