import assert from 'node:assert/strict';
import { test } from 'node:test';
import { banProbes } from './bans.ts';
import type { Lab } from './probe.ts';

const expiry = banProbes.find(({ id }) => id === 'ban:expiry') ?? assert.fail();

/** Returns a daemon that refuses the address while it is banned. It responds `storeMs` after the ban takes effect. */
function labWith(tick: (ms: number) => void, storeMs: number): { readonly lab: Lab; readonly durations: string[] } {
  const durations: string[] = [];
  let until = 0;
  const connect = () => {
    tick(100);
    const isBanned = Date.now() < until;
    return {
      send: () => {},
      has: async () => !isBanned,
      received: () => Buffer.from(isBanned ? '' : 'probe\n'),
      ends: async () => isBanned,
      close: () => {},
    };
  };
  const post = async (_: string, { duration }: { readonly duration: string }) => {
    durations.push(duration);
    until = Date.now() + Number.parseInt(duration, 10) * 1000;
    tick(storeMs);
  };
  const plain = { config: { protocol: 'generic', response: { mode: 'drop' } } };
  const lab = { api: { post }, connect, plain, nextAllowedAddress: () => '192.0.2.1', patienceMs: 15_000 };
  return { lab: lab as unknown as Lab, durations };
}

for (const [storeMs, wanted] of [
  [10, ['1s']],
  [3000, ['1s', '8s']],
] as const)
  test(`a short ban is refused and expires where its storage takes ${storeMs} ms`, async (t) => {
    t.mock.timers.enable({ apis: ['Date'] });
    const { lab, durations } = labWith((ms) => t.mock.timers.tick(ms), storeMs);
    assert.equal(await expiry.run(lab), undefined);
    assert.deepEqual(durations, wanted);
  });

test('a ban that is not enforced is noticed', async (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  const { lab } = labWith((ms) => t.mock.timers.tick(ms), 10);
  const api = { ...lab.api, post: async () => {} };
  assert.match((await expiry.run({ ...lab, api } as unknown as Lab)) ?? '', /it received/);
});
