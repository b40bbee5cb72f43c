import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { until } from '../../platform/testing/until.ts';
import { jsonReply, type Reply } from './testing/fake-lapi.ts';
import {
  alerts,
  ban,
  bannedChange,
  behindLogin,
  createdReply,
  liftedChange,
  run,
  sparedNetwork,
} from './testing/running-push.ts';

describe('push', () => {
  it('logs in once and sends bans as alerts with decisions', async (t) => {
    const { lapi, push, notify } = await run(t, createdReply);
    notify(bannedChange('192.0.2.1'));
    await until(() => push.pending() === 0);
    notify(bannedChange('2001:db8::/64', { service: null, origin: 'api', expiresAt: null }));
    await until(() => push.pending() === 0);
    assert.deepEqual(lapi.requests, ['POST /v1/watchers/login', 'POST /v1/alerts', 'POST /v1/alerts']);
    const [one, other] = alerts(lapi);
    assert.deepEqual(one?.source, { scope: 'Ip', value: '192.0.2.1' });
    assert.deepEqual(
      [one?.scenario, one?.decisions[0]?.origin, one?.decisions[0]?.duration],
      ['guard/ssh', 'guard', '600s'],
    );
    assert.deepEqual(other?.source, { scope: 'Range', value: '2001:db8::/64' });
    assert.deepEqual([other?.scenario, other?.decisions[0]?.duration], ['guard/api', '315360000s']);
  });

  it('deletes a sent decision when the ban is lifted, and not when it expires', async (t) => {
    const { lapi, push, notify } = await run(t, createdReply);
    notify({ kind: 'unbanned', ban: ban('192.0.2.1'), why: 'expired' });
    notify(liftedChange('192.0.2.0/24'));
    await until(() => push.pending() === 0);
    assert.deepEqual(lapi.requests.slice(1), ['DELETE /v1/decisions?value=192.0.2.0%2F24&type=ban&origin=guard']);
  });

  it('sends many at once, and only the last change of each address', async (t) => {
    const { lapi, push, notify } = await run(t, createdReply);
    for (let index = 0; index < 120; index++) notify(bannedChange(`192.0.2.${index}`));
    notify(liftedChange('192.0.2.7'));
    await until(() => push.pending() === 0);
    assert.equal(alerts(lapi).length, 119);
    assert.equal(lapi.requests.filter((one) => one === 'POST /v1/alerts').length, 3);
    assert.equal(lapi.requests.at(-1), 'DELETE /v1/decisions?value=192.0.2.7&type=ban&origin=guard');
  });

  it('does not send the ban of a network with exempt addresses, which other bouncers would refuse too', async (t) => {
    const { lapi, push, notify } = await run(t, createdReply);
    notify(bannedChange(sparedNetwork));
    notify(bannedChange('203.0.113.7'));
    await until(() => push.pending() === 0);
    assert.deepEqual(
      alerts(lapi).map(({ source }) => source),
      [{ scope: 'Ip', value: '203.0.113.7' }],
    );
  });

  it('does not send bans that have ended', async (t) => {
    const { lapi, push, notify } = await run(t, createdReply);
    notify(bannedChange('192.0.2.1', { expiresAt: Date.now() - 1 }));
    notify(bannedChange('192.0.2.2'));
    await until(() => push.pending() === 0);
    assert.equal(alerts(lapi).length, 1);
  });
});

describe('push of a ban that replaces a longer one', () => {
  it('deletes the longer decision, also when the ban changes again before it is sent', async (t) => {
    const { lapi, push, notify } = await run(t, createdReply);
    notify(bannedChange('192.0.2.1'));
    await until(() => push.pending() === 0);
    notify({ kind: 'banned', ban: ban('192.0.2.1'), isShorter: true });
    notify(bannedChange('192.0.2.1'));
    await until(() => push.pending() === 0);
    const deletion = 'DELETE /v1/decisions?value=192.0.2.1&type=ban&origin=guard';
    assert.deepEqual(lapi.requests.slice(2), [deletion, 'POST /v1/alerts']);
  });
});

describe('push of an unban that was not sent', () => {
  it('deletes the earlier decision before the next ban of the address is sent', async (t) => {
    const { lapi, push, notify } = await run(t, createdReply);
    notify(bannedChange('192.0.2.1', { expiresAt: null }));
    await until(() => push.pending() === 0);
    lapi.answer(behindLogin(jsonReply({}, 500)));
    notify(liftedChange('192.0.2.1'));
    notify(bannedChange('192.0.2.1'));
    notify(bannedChange('192.0.2.1'));
    notify(bannedChange('192.0.2.2'));
    await until(() => lapi.requests.length > 2);
    const before = lapi.requests.length;
    lapi.answer(createdReply);
    await until(() => push.pending() === 0);
    const deletion = lapi.requests.indexOf('DELETE /v1/decisions?value=192.0.2.1&type=ban&origin=guard', before);
    assert.equal(lapi.requests[deletion + 1], 'POST /v1/alerts');
  });

  it('deletes the earlier decision when the next ban or the lifted one has ended', async (t) => {
    const { lapi, push, notify } = await run(t, createdReply);
    notify(liftedChange('192.0.2.1'));
    notify(bannedChange('192.0.2.1', { expiresAt: Date.now() - 1 }));
    notify({ kind: 'unbanned', ban: ban('192.0.2.2', { expiresAt: Date.now() - 1 }), why: 'lifted' });
    await until(() => push.pending() === 0);
    assert.deepEqual(
      lapi.requests.slice(1),
      ['192.0.2.1', '192.0.2.2'].map((ip) => `DELETE /v1/decisions?value=${ip}&type=ban&origin=guard`),
    );
  });
});

describe('push with a failing LAPI', () => {
  it('logs in again when the token has expired', async (t) => {
    const { lapi, push, notify } = await run(t, createdReply);
    notify(bannedChange('192.0.2.1'));
    await until(() => push.pending() === 0);
    let refusals = 1;
    lapi.answer(behindLogin((...call) => jsonReply({}, refusals-- > 0 ? 401 : 201)(...call)));
    notify(bannedChange('192.0.2.2'));
    await until(() => push.pending() === 0);
    assert.deepEqual(
      lapi.requests.slice(2).map((one) => one.split('/').at(-1)),
      ['alerts', 'login', 'alerts'],
    );
  });

  it('retries until a change is accepted, and reports a problem once', async (t) => {
    const { lapi, push, said, notify } = await run(t, behindLogin(jsonReply({ message: 'boom' }, 500)));
    notify(bannedChange('192.0.2.1'));
    await until(() => push.problems().length > 0);
    assert.equal(push.pending(), 1);
    const expected = ['threat feed: cannot send bans: the LAPI returned status 500'];
    assert.deepEqual(push.problems(), expected);
    lapi.answer(createdReply);
    await until(() => push.pending() === 0);
    assert.deepEqual([push.dropped(), push.problems(), said], [0, [], expected]);
  });

  it('drops changes that the LAPI refuses permanently, and continues', async (t) => {
    const refuseFirst: Reply = (request, response, body) =>
      jsonReply({}, body.includes('192.0.2.1"') ? 400 : 201)(request, response, body);
    const { lapi, push, notify } = await run(t, behindLogin(refuseFirst));
    notify(bannedChange('192.0.2.1'));
    notify(bannedChange('192.0.2.2'));
    await until(() => push.pending() === 0);
    assert.equal(push.dropped(), 1);
    assert.ok(alerts(lapi).length >= 2);
  });

  it('sends other changes before one that the LAPI fails on', async (t) => {
    const taken: string[] = [];
    const failOnFirst: Reply = (request, response, body) => {
      const isBad = body.includes('192.0.2.1"');
      if (!isBad) taken.push(body);
      jsonReply({}, isBad ? 500 : 201)(request, response, body);
    };
    const { push, notify } = await run(t, behindLogin(failOnFirst));
    notify(bannedChange('192.0.2.1'));
    notify(bannedChange('192.0.2.2'));
    await until(() => push.pending() === 1);
    assert.match(taken.join(), /192\.0\.2\.2"/);
  });
});

describe('push of one change that the LAPI fails on among others', () => {
  it('reports the problem once, and again when it returns after all were sent', async (t) => {
    let isFixed = false;
    const isBad = (body: string) => body.includes('192.0.2.1"');
    const failOnFirst: Reply = (request, response, body) =>
      jsonReply({}, isBad(body) && !isFixed ? 500 : 201)(request, response, body);
    const { lapi, push, said, notify } = await run(t, behindLogin(failOnFirst));
    const failures = () => lapi.bodies.filter((body) => isBad(JSON.stringify(body))).length;
    for (const ip of ['192.0.2.1', '192.0.2.2']) notify(bannedChange(ip));
    await until(() => push.pending() === 1);
    const before = failures();
    await until(() => failures() > before + 1); // by now, the first failure has been handled
    assert.equal(said.length, 1);
    isFixed = true;
    await until(() => push.pending() === 0);
    isFixed = false;
    notify(bannedChange('192.0.2.1'));
    await until(() => said.length === 2);
  });
});

describe('push with responses that do not judge a change', () => {
  for (const status of [302, 404, 405])
    it(`keeps changes after ${status}, which a proxy or another server sends`, async (t) => {
      const { lapi, push, notify } = await run(t, behindLogin(jsonReply({}, status)));
      notify(bannedChange('192.0.2.1'));
      await until(() => lapi.requests.length >= 3 || push.pending() === 0);
      assert.deepEqual([push.pending(), push.dropped()], [1, 0]);
    });

  it('keeps changes when the LAPI refuses the login', async (t) => {
    const { lapi, push, notify } = await run(t, jsonReply({}, 400));
    notify(bannedChange('192.0.2.1'));
    await until(() => lapi.requests.length >= 2 || push.pending() === 0);
    assert.deepEqual([push.pending(), push.dropped()], [1, 0]);
  });

  it('reads no more of a login response than a token needs', async (t) => {
    const most = 64 * 1024 * 1024;
    let sent = 0;
    let hasEnded = false;
    const endless: Reply = (_request, response) => {
      const send = () => {
        while (sent < most && !response.destroyed) {
          sent += 65_536;
          if (!response.write(Buffer.alloc(65_536, 'x'))) return;
        }
      };
      response.on('drain', send).on('close', () => {
        hasEnded = true;
      });
      send();
    };
    const { push, said, notify } = await run(t, endless);
    notify(bannedChange('192.0.2.1'));
    await until(() => hasEnded);
    assert.ok(sent < most, `${sent} bytes`);
    await until(() => said.length > 0);
    assert.deepEqual(said, ['threat feed: cannot send bans: the login response of the LAPI has no token']);
    assert.equal(push.pending(), 1);
  });
});

describe('push of bans that cannot be sent', () => {
  it('keeps a bounded number', async (t) => {
    const { push, notify } = await run(
      t,
      behindLogin(() => undefined),
    );
    for (let index = 0; index < daemonBounds.pushPending + 10; index++)
      notify(bannedChange(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`));
    assert.equal(push.pending(), daemonBounds.pushPending);
    assert.equal(push.dropped(), 10);
  });

  it('stops while it waits', async (t) => {
    const { lapi, push, notify } = await run(t, jsonReply({}, 403));
    notify(bannedChange('192.0.2.1'));
    await until(() => lapi.requests.length > 0);
    await push.close();
    assert.equal(push.pending(), 1);
  });
});
