import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { builtInLiterals } from '../contract/generate/literals.ts';
import literals from '../contract/generated/literals.json' with { type: 'json' };
import { Policy, type PolicyFile } from '../contract/policy/schema.ts';
import { compile, type GuardRequest, pathCandidates } from './index.ts';

const guardOf = (policy: PolicyFile) => compile(Policy.parse(policy));
const get = (target: string, more: Partial<GuardRequest> = {}): GuardRequest => ({
  method: 'GET',
  target,
  headers: [],
  ...more,
});

describe('compile', () => {
  it('names rule, pattern, target and candidate of a block', () =>
    assert.deepEqual(guardOf({ blockPatterns: ['^/own$'] }).evaluate(get('/own')), {
      verdict: 'blocked',
      reason: 'block_pattern_match',
      target: 'path',
      candidate: '/own',
      rule: 'block[0]',
      pattern: '^/own$',
    }));

  it('names rule and pattern of the allow rule that excused', () =>
    assert.deepEqual(guardOf({ allowPatterns: ['^/own'] }).evaluate(get('/own/.env')), {
      verdict: 'allowed',
      reason: 'allow_pattern_match',
      rule: 'allow[0]',
      pattern: '^/own',
    }));

  it('gives the same verdicts on the thousandth request as on the first', () => {
    const guard = guardOf({ checkQuery: true });
    const targets = ['/.env', '/static/app.css', '/x?f=../../etc/passwd', '/robots.txt', '/%2e%2e/x'];
    const verdicts = () => targets.map((target) => guard.evaluate(get(target)));
    const before = verdicts();
    for (let count = 0; count < 200; count += 1) verdicts();
    assert.deepEqual(verdicts(), before);
  });

  it('blocks at a limit, whatever the allow rules', () =>
    assert.equal(guardOf({ allowPatterns: ['/'] }).evaluate(get(`/${'a'.repeat(4096)}`)).reason, 'limit_length'));
});

describe('upgrades', () => {
  const headers = [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'h2c'],
  ] as const;
  const request = get('/', { headers, ip: '192.0.2.1', method: 'POST' });
  const rows: readonly (readonly [string, PolicyFile, readonly unknown[], string | undefined])[] = [
    ['the defaults remove', {}, [], 'h2c'],
    ['an allow rule does not stop', { allowPatterns: ['.'] }, [], 'h2c'],
    ['mode detect reports', { mode: 'detect' }, headers, 'h2c'],
    ['an entry keeps', { allowUpgrades: ['H2C'] }, headers, undefined],
    ['a guard that is off keeps', { enabled: false }, headers, undefined],
    ['an allowed client keeps', { allowedIps: ['192.0.2.0/24'] }, headers, undefined],
  ];
  for (const [what, policy, kept, refused] of rows)
    it(`${what} a protocol`, () => {
      const upgrades = guardOf(policy).upgrades(request);
      assert.deepEqual([upgrades.headers, upgrades.refused], [kept, refused]);
    });
});

describe('trace', () => {
  const guard = guardOf({ checkQuery: true, checkHeaders: ['X-Original-URL'], allowPatterns: ['^/ok'] });

  it('has the candidates of each target, and the rule that decided each', () =>
    assert.deepEqual(guard.trace(get('/ok/../.env?a=b', { headers: [['X-Original-Url', '/c']] })), {
      targets: [
        {
          target: 'path',
          kind: 'path',
          candidates: [
            { candidate: '/ok/../.env', excusedBy: 'allow[0]' },
            { candidate: '/.env', blockedBy: 'env-file' },
          ],
        },
        { target: 'query', kind: 'query', candidates: [{ candidate: 'a' }] },
        { target: 'query', kind: 'query', candidates: [{ candidate: 'b' }] },
        { target: 'header:x-original-url', kind: 'path', candidates: [{ candidate: '/c' }] },
      ],
      exceptions: [],
      verdict: guard.evaluate(get('/ok/../.env?a=b')),
    }));

  it('has the limit of a target', () =>
    assert.deepEqual(guard.trace(get(`/${'a'.repeat(4096)}`)).targets, [
      { target: 'path', kind: 'path', candidates: [], limit: 'limit_length' },
    ]));

  it('shows candidates of a request that is allowed without inspection', () =>
    assert.deepEqual(guardOf({ enabled: false }).trace(get('/.env')), {
      targets: [{ target: 'path', kind: 'path', candidates: [{ candidate: '/.env', blockedBy: 'env-file' }] }],
      exceptions: [],
      verdict: { verdict: 'allowed', reason: 'disabled' },
    }));
});

describe('pathCandidates', () => {
  it('reads its argument as a path', () => assert.deepEqual(pathCandidates('/a?b').candidates, ['/a?b', '/a']));
});

describe('generated literals', () => {
  it('equal those of the built-in rules', () => assert.deepEqual(JSON.parse(builtInLiterals()), literals));
  it('exist for each rule, so that an ordinary request needs no regular expression', () =>
    assert.deepEqual(
      Object.entries(literals).filter(([, list]) => list.length === 0),
      [],
    ));
});
