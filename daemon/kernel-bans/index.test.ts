import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { DaemonFile } from '../../contract/daemon/schema.ts';
import { until } from '../../platform/testing/until.ts';
import { guardedService, temporaryFolder } from '../testing/daemon.ts';
import { healthOf, send, spawnDaemon, withSocket } from '../testing/spawned.ts';

/** Only root has the capability, and can drop it. */
const through = process.getuid?.() === 0 ? ['setpriv', '--inh-caps=-all', '--bounding-set=-all'] : [];

const noCapability = 'the process has no CAP_NET_ADMIN';
const rows: readonly [DaemonFile['bans'], string, string][] = [
  [{ kernel: 'auto' }, noCapability, ''],
  [{ kernel: 'bpf' }, noCapability, ''],
  [{ kernel: 'nftables' }, noCapability, 'bans.kernel is nftables'],
  [{ kernel: 'auto', scope: 'host' }, noCapability, 'bans.scope is host'],
  [{ kernel: 'off', scope: 'host' }, 'bans.kernel is off', 'bans.scope is host'],
  [{ kernel: 'off' }, 'bans.kernel is off', ''],
];

for (const [bans, reason, problem] of rows)
  test(`${JSON.stringify(bans)} without the capability: ${problem || 'no problem'}`, async (t) => {
    const folder = temporaryFolder();
    const path = join(folder, 'tcp-guard.yaml');
    writeFileSync(path, JSON.stringify(withSocket(folder, { bans, services: { one: guardedService(9) } })));
    const child = spawnDaemon(t, path, {}, through);
    await until(() => child.said.includes('ready') || child.hasEnded);
    const { kernel_bans } = JSON.parse(await send(folder, 'GET', '/stats'));
    assert.deepEqual(kernel_bans, {
      mechanism: 'user_space',
      reason,
      entries: 0,
      exceptions: [],
      left_out: 0,
      dropped_packets: 0,
    });
    const { status, reasons = [] } = await healthOf(folder);
    assert.equal(status, problem === '' ? 'ok' : 'degraded');
    if (problem !== '')
      assert.ok(reasons.join().includes(`${problem}, and bans hold only at the ports of this daemon: ${reason}`));
  });
