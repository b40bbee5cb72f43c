/** A kernel that refuses changes while the daemon runs, as some do after a loss of CAP_BPF. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { errno, Libc } from '../../process/libc/libc.ts';
import { echo, guardedService, start, startUpstream } from '../../testing/daemon.ts';
import { client, isServed, refusalOf, skip, timeout, withKernel } from '../../testing/kernel-bans.ts';

test('a ban that is lifted while the kernel refuses changes ends, and the filter returns when it accepts them', {
  timeout,
  skip,
}, async (t) => {
  let isRefusing = false;
  const { bpf } = Libc.prototype;
  t.mock.method(Libc.prototype, 'bpf', function (this: Libc, ...call: Parameters<Libc['bpf']>) {
    return isRefusing ? -errno.EPERM : bpf.apply(this, call);
  });
  const { port } = await startUpstream(t, echo);
  const started = await start(t, withKernel({ services: { one: guardedService(port), two: guardedService(port) } }));
  const { daemon } = started;
  const ban = () => daemon.bans.add({ ip: client, reason: 'test', origin: 'api' });
  await ban();
  assert.equal(await refusalOf(started, client), 'ban');
  isRefusing = true;
  await daemon.bans.remove(client);
  for (const service of ['one', 'two']) assert.ok(await isServed(started, client, service));
  const { mechanism, reason } = daemon.kernelBans();
  assert.equal(mechanism, 'user_space');
  assert.match(reason, /^bpf\(BPF_MAP_UPDATE_ELEM\): operation not permitted, and bpf is being restarted$/);
  await ban();
  assert.equal(await isServed(started, client), false);
  isRefusing = false;
  await until(() => daemon.kernelBans().mechanism === 'bpf');
  assert.equal(await refusalOf(started, client), 'ban');
});
