/** Fuzzes responses of the decision service. The sizes of their chunks must not change the result. */
import assert from 'node:assert/strict';
import { toDecisionRecord } from '../../../daemon/api/records.ts';
import { type KeyedDecision, readDecision, readKey } from '../../../daemon/feed/decision.ts';
import { BadResponse, type ListName, ResponseReader } from '../../../daemon/feed/response.ts';
import type { Random } from '../../differential/random.ts';
import { mutateBytes } from '../documents.ts';
import { createTarget } from '../target.ts';

const decision = `{"id":7,"origin":"lists","type":"ban","scope":"Ip","value":"192.0.2.1","duration":"3h59m1.5s","scenario":"a \\"b\\" {"}`;
const rangeDecision = `{"duration":"-2m","origin":"CAPI","scenario":"x","scope":"Range","type":"captcha","uuid":"u","value":"2001:db8::/48"}`;
const seeds = [
  '{"new":null,"deleted":null}',
  `{"deleted":[${rangeDecision}],"new":[${decision},${decision}]}\n`,
  ` { "new" : [ ${decision} ] , "deleted" : [ ] , "more" : { "a" : [ 1 ] } } `,
].map((text) => Buffer.from(text));
const pieces = [
  ...['{', '}', '[', ']', ',', ':', '"', '\\', '\\u0000', '\n', 'null', 'true', '-0', '1e999', '"new"', '"deleted"'],
  ...[
    '"duration":"99999999999999h"',
    '"value":"0.0.0.0/0"',
    '"scope":["Ip"]',
    '"__proto__":{}',
    rangeDecision,
    decision,
    '\xff',
  ],
].map((text) => Buffer.from(text, 'latin1'));

interface Input {
  readonly bytes: Buffer;
  readonly size: number;
}

const randomInput = (random: Random): Input => ({
  bytes: mutateBytes(random.pick(seeds), random, pieces, 3),
  size: 1 + random.integer(64),
});

type Found = readonly [ListName, unknown][] | string;

/** Parses a response in chunks of `size` bytes. An error anywhere also discards the decisions before it. */
function readChunks(bytes: Buffer, size: number): Found {
  const found: [ListName, unknown][] = [];
  const reader = new ResponseReader((list, raw) => found.push([list, raw]));
  try {
    for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
    reader.end();
    return found;
  } catch (error) {
    if (!(error instanceof BadResponse)) throw error;
    return 'no answer';
  }
}

function checkDecision(keyed: KeyedDecision, now: number): void {
  assert.ok(keyed.decision.expiresAt > now);
  JSON.stringify(toDecisionRecord(keyed.decision, now));
}

function check({ bytes, size }: Input): void {
  const now = 1e12;
  const whole = readChunks(bytes, bytes.length);
  assert.deepEqual(readChunks(bytes, size), whole);
  if (typeof whole === 'string') return;
  for (const [, raw] of whole) {
    readKey(raw);
    const keyed = readDecision(raw, now);
    if (keyed) checkDecision(keyed, now);
  }
}

export const feedAnswers = createTarget({ name: 'feed answers', make: randomInput, check });
