import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Policy } from '../../contract/policy/schema.ts';
import * as model from '../../engine/hosts/caddy.ts';
import { requestFor } from './probe.ts';
import type { Reply } from './response.ts';
import type { Numbered } from './result.ts';
import { createSetting } from './setting.ts';
import { createDiagnosis, mostSymptoms } from './symptoms.ts';

const setting = createSetting({ policy: Policy.parse({}), model, host: 'x', peer: '' });
const address = { host: '127.0.0.1', port: 1 };

const numbered = (status?: number): Numbered => {
  const request = requestFor('/app.css');
  const probe = { id: 'p', source: 'case', description: '', requests: [request], ...(status && { status }) } as const;
  return { probe, index: 0, outcomes: [setting.outcome(request)] };
};

const dead: Reply = { kind: 'response', status: 502, headers: [['server', 'Caddy']], body: '', last: false };
const closed: Reply = { kind: 'closed' };

/** Returns the code of the error after each reply, or undefined. */
function codes(replies: readonly Reply[], { echoes = false, status = 0 } = {}) {
  const diagnose = createDiagnosis({ setting, address, echoes });
  return replies.map((reply) => diagnose(numbered(status), [reply])?.code);
}

const enough = Array.from({ length: mostSymptoms }, () => dead);

test('reports a dead upstream once, also while connections still close', () => {
  const expected = [...Array.from({ length: mostSymptoms - 1 }, () => undefined), 'upstream_silent', undefined];
  assert.deepEqual(codes([...enough, closed]), expected);
});

test('reports no dead upstream for the echo, or for a case that expects the status', () => {
  for (const facts of [{ echoes: true }, { status: 502 }]) assert.ok(codes(enough, facts).every((code) => !code));
});
