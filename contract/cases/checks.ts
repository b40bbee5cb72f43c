/** Refuses keys of a case that no request or result can have together. */
import { allowedReasons, refusedReasons } from '../policy/reasons.ts';
import type { CrossCheck } from '../schema/problem.ts';

const targetKeys = ['path', 'raw', 'paths'];

export const checkTarget: CrossCheck = function* (request) {
  const [first, ...others] = targetKeys.filter((key) => request[key] !== undefined);
  for (const key of others) {
    const message = `${first} and ${key} are mutually exclusive`;
    yield { kind: 'conflict', message, path: [key], isAboutKey: true, hint: 'remove one of the two' };
  }
  const { path, raw, paths, query } = request;
  const targets = [path, raw, ...(Array.isArray(paths) ? paths : [])];
  if (query === undefined || query === '') return;
  if (!targets.some((target) => typeof target === 'string' && target.includes('?'))) return;
  const hint = 'remove one; write a ? in the path itself as %3F';
  yield { kind: 'conflict', message: 'the query is given twice', path: ['query'], isAboutKey: true, hint };
};

/** Keys that a result with the given verdict never has. */
const absentKeys: Readonly<Record<string, readonly string[]>> = {
  allowed: ['target', 'mode'],
  refused: ['rule', 'target', 'mode'],
  blocked: [],
};

function verdictOf(reason: string): string {
  if ((refusedReasons as readonly string[]).includes(reason)) return 'refused';
  return (allowedReasons as readonly string[]).includes(reason) ? 'allowed' : 'blocked';
}

export const checkExpectation: CrossCheck = function* (expect) {
  if (Object.keys(expect).length === 0) {
    yield { kind: 'missing_key', message: 'the case expects nothing', hint: 'add a key, such as verdict: blocked' };
  }
  const { verdict, reason } = expect;
  if (typeof verdict !== 'string' || !Object.hasOwn(absentKeys, verdict)) return;
  for (const key of absentKeys[verdict] ?? []) {
    if (expect[key] === undefined) continue;
    yield { kind: 'conflict', message: `verdict ${verdict} has no ${key}`, path: [key], isAboutKey: true };
  }
  const expectedVerdict = typeof reason === 'string' ? verdictOf(reason) : verdict;
  const isMet = expectedVerdict === verdict || (expectedVerdict === 'refused' && verdict === 'blocked');
  if (!isMet)
    yield { kind: 'conflict', message: `the verdict with this reason is ${expectedVerdict}`, path: ['reason'] };
};
