import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import type { BanRequest } from './ban.ts';
import type { BanState } from './records.ts';
import { nextState } from './terms.ts';

const terms = { durationOf: (service?: string) => (service === 'ssh' ? 100 : 10), growth: 2, memoryMs: 1000 };
const request: BanRequest = { ip: '192.0.2.1', reason: 'ssh: 5 failed logins in 60s', service: 'ssh', origin: 'local' };

const lengths = (times: readonly number[], how: BanRequest = request): number[] => {
  let state: BanState | undefined;
  return times.map((now) => {
    state = nextState(state, how, terms, now);
    return state.expiresAt - now;
  });
};

describe('duration of a ban', () => {
  it('is that of the service, or the global one', () => {
    assert.deepEqual(lengths([0]), [100]);
    assert.deepEqual(lengths([0], { ...request, service: 'ftp' }), [10]);
  });

  it('grows for repeat offenders within the memory, counted from the end of the last ban', () => {
    assert.deepEqual(lengths([0, 1099, 2298]), [100, 200, 400]);
    assert.deepEqual(lengths([0, 1101]), [100, 100]);
  });

  it('does not grow while the address is banned: one burst is one offense', () => {
    assert.deepEqual(lengths([0, 50, 99, 250]), [100, 100, 100, 200]);
  });

  it('is at most a year however often it grew, unless it is permanent', () => {
    const late = nextState({ expiresAt: 1, level: 60, rememberedUntil: 9 }, request, terms, 5);
    assert.equal(late.expiresAt - 5, daemonBounds.banMs);
    assert.equal(nextState(undefined, { ...request, durationMs: null }, terms, 5).expiresAt, Number.POSITIVE_INFINITY);
    assert.equal(
      nextState(undefined, { ...request, durationMs: daemonBounds.banMs * 2 }, terms, 5).expiresAt - 5,
      daemonBounds.banMs,
    );
  });

  it('does not change the growth when the duration is given', () => {
    const first = nextState(undefined, request, terms, 0);
    const given = nextState(first, { ...request, durationMs: 30 }, terms, 200);
    assert.deepEqual([given.expiresAt, given.level], [230, 1]);
    assert.equal(nextState(given, request, terms, 300).expiresAt - 300, 200);
    const fresh = nextState(undefined, { ...request, durationMs: 30 }, terms, 0);
    assert.equal(nextState(fresh, request, terms, 50).expiresAt - 50, 100);
  });
});
