/** Builds the image of tcp-guard and runs it as its compose file does. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';
import { until } from '../../platform/testing/until.ts';
import { docker, skip, temporaryFile } from '../support/guardcli.ts';
import { imageOf, packagedImage } from '../support/packaged-image.ts';

const hardened = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges:true', '--tmpfs', '/tmp'];
const runtime = ['--tmpfs', '/run/guard:uid=65532,gid=65532,mode=0750'];
const volumes = ['-v', '/var/lib/guard', '-v', '/var/log/guard'];
const file = '/var/lib/guard/tcp-guard.yaml';
const health = `fetch('http://127.0.0.1:9091/health').then((answer) => answer.text()).then(console.log)`;

test('the packaged image is small and serves without a privilege, and its health check says so', {
  skip,
}, async (t) => {
  const { tag, create } = await packagedImage(t, imageOf('tcp-guard'));
  assert.match(await docker('run', '--rm', ...hardened, tag, '--version'), /^\d+\.\d+\.\d+$/);
  const id = await create([...hardened, ...runtime, ...volumes], '-c', file);
  await docker('cp', join(packageRoot, 'packaging/container/tcp-guard.yaml'), `${id}:${file}`);
  await docker('start', id);
  await until(async () => {
    assert.equal(await docker('inspect', '--format', '{{.State.Running}}', id), 'true', await docker('logs', id));
    return (await docker('inspect', '--format', '{{.State.Health.Status}}', id)) === 'healthy';
  }, 'the container to be healthy');
});

test('the image for hosts has nft and journalctl, and bans in the firewall with two capabilities of root', {
  skip,
}, async (t) => {
  const { tag, create } = await packagedImage(t, imageOf('tcp-guard-host'));
  const two = ['--cap-add', 'NET_ADMIN', '--cap-add', 'DAC_READ_SEARCH'];
  const program = (name: string, ...args: string[]) => docker('run', '--rm', '--entrypoint', name, tag, ...args);
  assert.match(await program('journalctl', '--version'), /^systemd /);
  const id = await create([...hardened, ...two, '--tmpfs', '/run/guard', ...volumes], '-c', file);
  const config = { version: 1, bans: { scope: 'host' }, port_scan: { listen: [':2323'] } };
  await docker('cp', temporaryFile('tcp-guard.yaml', JSON.stringify(config)), `${id}:${file}`);
  await docker('start', id);
  const inside = (...args: string[]) => docker('exec', id, ...args);
  await until(async () => {
    assert.equal(await docker('inspect', '--format', '{{.State.Running}}', id), 'true', await docker('logs', id));
    return (await inside('nft', 'list', 'ruleset').catch(() => '')).includes('table inet request_guard');
  }, 'the table of the firewall');
  assert.match(await inside('node', '-e', health), /"status":"ok"/);
});
