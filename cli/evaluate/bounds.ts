import { limits } from '../../contract/policy/limits.ts';
import type { Limit, Overflow } from '../../contract/policy/reasons.ts';

const lengthLimits = [
  [/^path$/, limits.pathBytes],
  [/^header:/, limits.headerBytes],
  [/^/, limits.queryBytes],
] as const;

const lengthOf = (target: string): number | undefined => lengthLimits.find(([name]) => name.test(target))?.[1];

const limitTexts: Readonly<Record<Limit, (target: string) => string>> = {
  limit_length: (target) => `more than ${lengthOf(target)} bytes`,
  limit_query_pairs: () => `more than ${limits.queryPairs} pairs`,
  limit_decode_rounds: () => `more than ${limits.decodeRounds} rounds of decoding`,
  limit_candidates: () =>
    `candidates of more than ${limits.viewBytes} bytes for one value, or ${limits.requestBytes} for the request`,
  limit_body: () => 'a part of the body was not inspected, and bodyOverflow is block',
};

export const isLimit = (reason: string): reason is Limit => Object.hasOwn(limitTexts, reason);

/** Describes an exceeded limit. @param target inspected part, such as `path` or `header:cookie` */
export const limitText = (limit: Limit, target: string): string => limitTexts[limit](target);

/** Why a part of a body was not inspected. */
export const overflowTexts = {
  encoding: 'a Content-Encoding',
  length: 'longer than maxBodyBytes',
  charset: 'a character set that is not ASCII',
  malformed: 'malformed',
  values: `more than ${limits.bodyValues} values, or too many readings of them`,
  value: `a value of more than ${limits.bodyValueBytes} bytes, or with too many readings`,
} as const satisfies Record<Overflow, string>;
