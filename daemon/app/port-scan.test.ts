import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Health } from '../../contract/api/state.ts';
import { freePort } from '../../platform/free-ports.ts';
import { until } from '../../platform/testing/until.ts';
import { start, temporaryFolder } from '../testing/daemon.ts';
import { scan } from '../testing/scan.ts';
import { healthOf, withSocket } from '../testing/spawned.ts';

const children = `/proc/self/task/${process.pid}/children`;
const skip = !existsSync(children) && `there is no ${children}`;

function signalWorkers(signal: NodeJS.Signals): void {
  for (const pid of readFileSync(children, 'utf8').trim().split(' ').filter(Boolean)) process.kill(Number(pid), signal);
}

for (const workers of [1, 2])
  test(`/health counts the probes without an address, workers: ${workers}`, { skip }, async (t) => {
    const folder = temporaryFolder();
    const port = await freePort();
    const global = { workers, data_plane: 'net' } as const;
    const file = withSocket(folder, { services: {}, port_scan: { listen: [`127.0.0.1:${port}`] }, global });
    const { events } = await start(t, file, { folder });
    const shown = async (): Promise<Health['port_scan']> => (await healthOf(folder)).port_scan;
    assert.deepEqual(await shown(), { unattributed: 0 });
    signalWorkers('SIGSTOP'); // so that the workers accept the probe only after its reset
    scan({ host: '127.0.0.1', port });
    signalWorkers('SIGCONT');
    await until(async () => (await shown())?.unattributed === 5);
    assert.deepEqual(events, []);
  });
