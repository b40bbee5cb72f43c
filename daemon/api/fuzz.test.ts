/** Mutated requests: each connection gets a response or ends, and no fault is recorded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '../../contract/api/operation.ts';
import { operations } from '../../contract/api/operations.ts';
import { exchange, start } from './testing.ts';

const rounds = 400;

/** The same sequence in each run (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const bodies = [
  '{"ip":"203.0.113.7","duration":"1h30m","reason":"x"}',
  '{"ip":"2001:db8::/32"}',
  '[{}]',
  '{"ip":{"ip":[1,null]}}',
];
const pieces = [
  '\r\n',
  '\n',
  '\0',
  ' ',
  ':',
  '%',
  '%ff',
  '"',
  '{',
  '/',
  '?',
  '&',
  '=',
  '\\u0000',
  '\xff',
  '1e999',
  '0x',
  ';',
  ',',
];

function seeds(): string[] {
  return (Object.values(operations) as Operation[])
    .filter(({ path }) => path !== operations.events.path)
    .flatMap(({ method, path }) =>
      bodies.map((body) => {
        const target = method === 'GET' ? `/api${path}?limit=5&ip=192.0.2.1&origin=all&cursor=local:` : path;
        const head = `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n`;
        const sent = method === 'GET' ? '' : body;
        return `${head}Content-Type: application/json\r\nContent-Length: ${sent.length}\r\n\r\n${sent}`;
      }),
    );
}

test('mutated requests get a response or end the connection', async (t) => {
  const bounds = { apiHeadMs: 100, apiRequestMs: 200, apiIdleMs: 100 };
  const { port, control } = await start(t, { bounds });
  const random = numbers(1);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const all = seeds();
  const mutate = (text: string): string => {
    const at = Math.floor(random() * text.length);
    return text.slice(0, at) + pick(pieces) + text.slice(at + Math.floor(random() * 3));
  };
  const sent = Array.from({ length: rounds }, () => mutate(random() < 0.5 ? pick(all) : mutate(pick(all))));
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, lane) => {
      const found = [];
      for (let index = lane; index < rounds; index += 20) found.push(await exchange(t, port, sent[index] as string));
      return found;
    }),
  );
  assert.deepEqual(control.faults, []);
  for (const answer of answers.flat()) assert.match(answer, /^HTTP\/1\.1 [234]\d\d [\s\S]*\r\n\r\n/);
  assert.ok(answers.flat().some((answer) => answer.startsWith('HTTP/1.1 2')));
});
