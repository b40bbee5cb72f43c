/** Sends mutated requests. Each connection must get a response or end, and the audit must record no fault. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../../conformance/differential/random.ts';
import { mutateBytes } from '../../conformance/fuzz/documents.ts';
import type { Operation } from '../../contract/api/operation.ts';
import { operations } from '../../contract/api/operations.ts';
import { exchange } from './testing/connection.ts';
import { start } from './testing/running-api.ts';

const rounds = 400;

const bodies = [
  '{"ip":"203.0.113.7","duration":"1h30m","reason":"x"}',
  '{"ip":"2001:db8::/32"}',
  '[{}]',
  '{"ip":{"ip":[1,null]}}',
];
const pieces = [...'\n\0 :%"{/?&=\xff;,', '\r\n', '%ff', '\\u0000', '1e999', '0x'].map((piece) =>
  Buffer.from(piece, 'latin1'),
);

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
  const random = createRandom(1);
  const all = seeds().map((text) => Buffer.from(text, 'latin1'));
  const sent = Array.from({ length: rounds }, () =>
    mutateBytes(random.pick(all), random, pieces, 2).toString('latin1'),
  );
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
