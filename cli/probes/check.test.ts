import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestEvent } from '../../contract/events/members.ts';
import { Policy } from '../../contract/policy/schema.ts';
import * as model from '../../engine/hosts/caddy.ts';
import { checkOutcome } from './check.ts';
import { type ProbeRequest, requestFor } from './probe.ts';
import type { HttpResponse } from './response.ts';
import { createSetting } from './setting.ts';

const event = {
  type: 'guard_block',
  reason: 'block_pattern_match',
  rule_id: 'env-file',
  target: 'path',
  candidate: '/.env',
} as RequestEvent;

const echoed = (line: string, status = 200): HttpResponse => ({
  kind: 'response',
  status,
  headers: [],
  body: `${line}\r\nHost: x\r\n\r\n`,
  last: false,
});
const blocked: HttpResponse = {
  kind: 'response',
  status: 403,
  headers: [
    ['cache-control', 'no-store'],
    ['content-type', 'text/plain; charset=utf-8'],
    ['x-content-type-options', 'nosniff'],
  ],
  body: 'no',
  last: false,
};

function problems(
  sent: string | ProbeRequest,
  reply: HttpResponse | undefined,
  events: RequestEvent[] = [],
  file: object = {},
  echoes = true,
) {
  const policy = Policy.parse(file);
  const { outcome } = createSetting({ policy, model, host: 'x', peer: '' });
  const request = typeof sent === 'string' ? requestFor(sent) : sent;
  return checkOutcome(request, outcome(request), { reply, events }, { policy, echoes, isWireProbe: true }).join('; ');
}

test('requires that an allowed request reaches the backend as the host model predicts, without an event', () => {
  assert.equal(problems('/a"', echoed('GET /a%22 HTTP/1.1')), '');
  assert.match(problems('/a"', echoed('GET /a" HTTP/1.1')), /the backend received/);
  assert.match(problems('/a', echoed('GET /a HTTP/1.1', 502)), /status 502, expected 200/);
  assert.match(problems('/a', echoed('GET /a HTTP/1.1'), [event]), /unexpected event: env-file/);
  assert.equal(problems('/a', echoed('whatever', 404), [], {}, false), '');
});

test('requires that the upstream answers, with any status', () => {
  const of = (status: number, headers: HttpResponse['headers']) =>
    problems('/a', { ...echoed('', status), headers, body: '' }, [], {}, false);
  assert.match(of(502, [['server', 'Caddy']]), /^the upstream does not answer: status 502 is from Caddy itself$/);
  for (const status of [404, 500, 502, 503]) assert.equal(of(status, [['via', '1.1 Caddy']]), '');
});

test('requires the response of the mode and an event with the rule for a blocked request', () => {
  assert.equal(problems('/.env', blocked, [event]), '');
  assert.match(problems('/.env', echoed('GET /.env HTTP/1.1'), [event]), /status 200, expected 403/);
  assert.match(problems('/.env', blocked), /no security event arrived/);
  assert.match(
    problems('/.env', blocked, [{ ...event, rule_id: 'hidden-seg' }]),
    /rule_id "hidden-seg", expected "env-file"/,
  );
  assert.match(problems('/.env', blocked, [{ ...event, candidate: '/x' }]), /candidate "\/x"/);
  assert.match(problems('/.env', blocked, [{ ...event, type: 'guard_detect' }]), /type "guard_detect"/);
});

test('accepts a truncated event value with the match, but neither one without it nor a different one', () => {
  const folders = '/a'.repeat(1000);
  const target = `${folders}/.env${folders}`;
  const start = folders.slice(0, 99);
  for (const candidate of [target, `${folders}/.env/a...`, `.../a/.env${folders}`, '.../a/.env/a...'])
    assert.equal(problems(target, blocked, [{ ...event, candidate }]), '', candidate);
  for (const candidate of ['/a/.env/a', '.../b/.env/a...', `${start}...`, `...${start}...`, `...${folders}`, '...', ''])
    assert.match(problems(target, blocked, [{ ...event, candidate }]), /^the event has candidate/, candidate);
});

test('requires that an event says how much of a body was inspected', () => {
  const file = { methods: ['*'], checkBody: true, bodyOverflow: 'block' };
  const request = {
    ...requestFor('/', 'POST'),
    headers: [['Content-Type', 'application/json'] as const],
    body: '["/a/b", \'',
  };
  const limit = { ...event, reason: 'limit_body', rule_id: '', target: 'body', candidate: '' } as const;
  const seen = { overflow: 'malformed', inspected_values: 1, inspected_bytes: 4 } as const;
  const of = (more: Partial<RequestEvent>) => problems(request, blocked, [{ ...limit, ...seen, ...more }], file);
  assert.equal(of({}), '');
  assert.match(of({ overflow: 'length' }), /^the event has overflow "length", expected "malformed"$/);
  assert.match(of({ inspected_values: 0 }), /^the event has inspected_values 0, expected 1$/);
  assert.match(of({ inspected_bytes: 0 }), /^the event has inspected_bytes 0, expected 4$/);
  assert.match(of({ candidate: '...' }), /^the event has candidate "...", expected undefined$/);
  assert.match(problems('/.env', blocked, [{ ...event, ...seen }]), /inspected_values 1, expected undefined/);
});

test('requires an event and no block in detect mode', () => {
  const file = { mode: 'detect' };
  assert.equal(problems('/.env', echoed('GET /.env HTTP/1.1'), [{ ...event, type: 'guard_detect' }], file), '');
  assert.match(problems('/.env', blocked, [{ ...event, type: 'guard_detect' }], file), /status 403, expected 200/);
});

test('requires no event without a security log', () => {
  assert.equal(problems('/.env', blocked, [], { securityLog: false }), '');
  assert.match(problems('/.env', blocked, [event], { securityLog: false }), /unexpected event:/);
});

test('requires the status of the proxy for a request that it refuses', () => {
  assert.equal(problems('/%zz', echoed('', 400)), '');
  assert.match(problems('/%zz', echoed('', 200)), /expected the proxy's own 400/);
  assert.match(problems('/%zz', undefined), /ended before the response to this request/);
});
