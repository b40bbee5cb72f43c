/** Tests of `guardcli dashboard status`, with a fake compose tool that reports the containers that each test names. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type Captured, runCaptured } from '../testing/captured.ts';
import { scratch } from '../testing/scratch.ts';

/** Starts a server that responds to every request. Returns its port. */
async function responding(t: TestContext): Promise<string> {
  const server = createServer((_, response) => response.end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  return String((server.address() as AddressInfo).port);
}

/** Runs `status` while only `services` have a running container. Every port responds. */
async function statusWith(t: TestContext, services: readonly string[]): Promise<Captured> {
  const root = scratch();
  mkdirSync(join(root, 'bin'));
  const list = services.map((Service) => JSON.stringify({ ID: Service, Service, State: 'running' })).join('\n');
  const script = `#!/bin/sh\ncase "$*" in version*) echo 2.30.0;; *) echo '${list}';; esac\n`;
  writeFileSync(join(root, 'bin/docker-compose'), script, { mode: 0o755 });
  const env = {
    ...{ HOME: root, PATH: join(root, 'bin'), GUARD_GRAFANA_PORT: await responding(t) },
    ...{ GUARD_LOKI_PORT: await responding(t), GUARD_COLLECTOR_HEALTH_PORT: await responding(t) },
  };
  return runCaptured(['dashboard', 'status'], { env, cwd: root });
}

describe('guardcli dashboard status', () => {
  it('is 0 when every service responds', async (t) => {
    const { status, stdout, stderr } = await statusWith(t, ['grafana', 'loki', 'collector']);
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(stdout, /^The dashboard is running \(/);
    assert.doesNotMatch(stdout, /dashboard up/);
  });
  it('is 1 when a service has no container, and says what to do', async (t) => {
    const { status, stdout } = await statusWith(t, ['loki', 'collector']);
    assert.equal(status, 1);
    assert.match(stdout, /^The dashboard is running in part \(/);
    assert.match(stdout, /\n {2}Grafana +http:\S+ +absent\n/);
    assert.match(stdout, /\n`guardcli dashboard up` starts what is absent or does not respond\n?$/);
  });
  it('is 1 when nothing runs', async (t) => {
    const { status, stdout } = await statusWith(t, []);
    assert.equal(status, 1);
    assert.match(stdout, /^The dashboard is not running \(.*\n`guardcli dashboard up` starts/);
  });
});
