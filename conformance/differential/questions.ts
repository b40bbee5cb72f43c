/** A reproducible stream of questions. */
import { exploitExamples, requestOf } from '../../contract/policy/exploit-examples.ts';
import { exploitRules } from '../../contract/policy/exploits.ts';
import { type RecordedRequest, recordedApplications, recordedRequests } from '../applications/recorded.ts';
import { randomBody } from './bodies.ts';
import { hosts, peers, randomHeaders } from './headers.ts';
import { knownTargets } from './known.ts';
import { randomForm } from './parameters.ts';
import { type Question, toBase64 } from './protocol.ts';
import { createRandom, type Random } from './random.ts';
import { randomTarget } from './targets.ts';

const methods = ['GET', 'GET', 'GET', 'get', 'POST', 'HEAD'];

const encodedHeaders = (headers: readonly [string, string][]) =>
  headers.map(([name, value]) => [name, toBase64(value)] as const);

function randomSurroundings(random: Random, value: () => string): Partial<Question> {
  const { headers, body } = random.oneIn(3) ? randomBody(random, value) : { headers: [], body: '' };
  return {
    h: encodedHeaders([...headers, ...randomHeaders(random, value)]),
    ...(body !== '' && { b: toBase64(body) }),
    ...(random.oneIn(6) && { r: toBase64(value()) }),
    ...(random.oneIn(2) && { m: random.pick(methods) }),
    ip: random.pick(peers),
    host: random.pick(hosts),
  };
}

/** Returns a question about one of the policies. Those about policy 0, at least half, consist of a target alone. */
export function randomQuestion(random: Random, policyCount: number, known: readonly string[]): Question {
  const value = () => randomTarget(random, known);
  const target = random.oneIn(4) ? `${value()}?${randomForm(random, value)}` : value();
  const q = random.oneIn(2) ? 0 : random.integer(policyCount);
  return { q, t: toBase64(target), ...(q > 0 && randomSurroundings(random, value)) };
}

/** Returns a question about a request of a browser. */
export const recordedQuestion = (q: number, { method, target, type, body = '' }: RecordedRequest): Question => ({
  ...{ q, t: toBase64(target), m: method },
  h: type === undefined ? [] : [['Content-Type', toBase64(type)]],
  ...(body !== '' && { b: toBase64(body) }),
});

const exploitRequests = exploitRules().flatMap(({ id }) => Object.values(exploitExamples(id)).flat().map(requestOf));

/** Returns a question about an example of a row about an exploit, where some parts come from another one. */
function exploitQuestion(q: number, random: Random): Question {
  const { method, target, body = '' } = random.pick(exploitRequests);
  const own = exploitRequests.filter((example) => example.target === target);
  const { headers } = random.pick(random.oneIn(3) ? exploitRequests : own);
  return {
    ...{ q, t: toBase64(target), m: method, h: headers.map(([name, value]) => [name, toBase64(value)] as const) },
    ...(body !== '' && { b: toBase64(body) }),
  };
}

/** Yields the same questions for the same seed. */
export function* questionStream(seed: number, count: number, policyCount: number): Generator<Question> {
  const random = createRandom(seed);
  const known = knownTargets();
  for (let left = count; left > 0; left -= 1) yield randomQuestion(random, policyCount, known);
}

/** Yields the same stream with recorded requests and examples of exploits, one in eight each, for any of the policies. */
export function* mixedStream(seed: number, count: number, policyCount: number): Generator<Question> {
  const random = createRandom(seed);
  const recorded = recordedApplications().flatMap(recordedRequests);
  for (const question of questionStream(seed, count, policyCount))
    if (random.oneIn(8)) yield exploitQuestion(random.integer(policyCount), random);
    else yield random.oneIn(8) ? recordedQuestion(random.integer(policyCount), random.pick(recorded)) : question;
}
