import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { loadDaemon } from '../contract/load/daemon.ts';
import { parseDuration } from '../contract/values/duration.ts';
import { packageRoot } from '../platform/assets.ts';
import { scratchFolder } from '../platform/scratch-folder.ts';

const read = (path: string): string => readFileSync(join(packageRoot, path), 'utf8');

const configurations = globSync(['examples/tcp-guard*.yaml', 'packaging/container/tcp-guard.yaml'], {
  cwd: packageRoot,
}).sort();

describe('a configuration of the package', () => {
  it('exists for SSH, mail and databases', () => {
    const wanted = ['ssh', 'mail', 'databases'].map((name) => `examples/tcp-guard-${name}.yaml`);
    for (const path of wanted) assert.ok(configurations.includes(path), path);
  });

  for (const path of configurations)
    it(`loads without a problem or warning and without environment variables: ${path}`, () => {
      const loaded = loadDaemon(Buffer.from(read(path)), path, {});
      assert.deepEqual(loaded.ok ? loaded.warnings : loaded.problems, []);
    });
});

const missing = (program: string): string | false =>
  spawnSync(program, ['--version']).status === 0 ? false : `${program} is not installed`;

/** Returns the path of a unit whose program exists. Otherwise systemd reports that it is missing. */
function unit(): string {
  const folder = scratchFolder('guard-unit-');
  const file = join(folder, 'tcp-guard.service');
  writeFileSync(file, read('packaging/systemd/tcp-guard.service').replace('/usr/local/bin/tcp-guard', '/bin/true'));
  return file;
}

/** Maximum exposure on systemd's scale from 0 to 10. It is not 0, because the daemon needs the network. */
const mostExposure = 2;

const directives = (name: string): string[] =>
  read('packaging/systemd/tcp-guard.service')
    .split('\n')
    .flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []));

describe('the notifications of the systemd unit', () => {
  it('are those that the daemon sends: it is ready, and it responds', () => {
    assert.deepEqual(directives('Type'), ['notify']);
    assert.deepEqual(directives('WatchdogSec'), ['30s']);
  });

  it('are accepted from systemd-notify, which is not the main process', () => {
    assert.deepEqual(directives('NotifyAccess'), ['all']);
  });

  it('include the end of the daemon, for which systemd waits longer than it drains by default', () => {
    const loaded = loadDaemon(Buffer.from(read('examples/tcp-guard-ssh.yaml')), 'examples/tcp-guard-ssh.yaml', {});
    assert.ok(loaded.ok);
    const [limit = ''] = directives('TimeoutStopSec');
    assert.ok((parseDuration(limit) ?? 0) > (parseDuration(loaded.value.global.drain) ?? Infinity), limit);
  });
});

describe('the systemd unit', { skip: missing('systemd-analyze') }, () => {
  it('passes systemd-analyze without a warning', () => {
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', unit()], { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
  });

  it('allows the daemon to read the addresses of the host', () => {
    assert.match(read('packaging/systemd/tcp-guard.service'), /^RestrictAddressFamilies=.*\bAF_NETLINK\b/m);
  });

  it('is hardened', () => {
    const args = ['security', '--offline=yes', '--no-pager', `--threshold=${mostExposure * 10}`, unit()];
    const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    assert.equal(status, 0, stdout);
  });
});

it('every command line of the daemon has the Node arguments of its interpreter line', () => {
  const [, argument = ''] = /^#!\/usr\/bin\/env -S node (\S+)\n/.exec(read('daemon/app/start.ts')) ?? [];
  assert.match(argument, /^--inspect-port=/);
  for (const path of ['packaging/README.md', 'packaging/container/Dockerfile', 'cli/sandbox/targets/tcp-guard.ts'])
    assert.ok(read(path).includes(argument), path);
});

it('logrotate accepts the rotation', { skip: missing('logrotate') }, () => {
  const file = join(scratchFolder('guard-rotation-'), 'tcp-guard');
  const [user = '', group = ''] = ['-un', '-gn'].map((name) => String(spawnSync('id', [name]).stdout).trim());
  // The user of the package does not exist on the machine of the test.
  const text = read('packaging/logrotate/tcp-guard').replace('su guard guard', `su ${user} ${group}`);
  writeFileSync(file, text, { mode: 0o600 });
  const args = ['--debug', file];
  const { status, stderr } = spawnSync('logrotate', args, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.doesNotMatch(stderr, /error/i);
});

it('the compose file gives the daemon no privileges, and Redis no other network', () => {
  const { services, networks } = parse(read('packaging/container/compose.yaml'));
  const { read_only, cap_drop, security_opt, privileged } = services['tcp-guard'];
  assert.deepEqual(
    [read_only, cap_drop, security_opt, privileged],
    [true, ['ALL'], ['no-new-privileges:true'], undefined],
  );
  assert.deepEqual([services.redis.ports, services.redis.networks], [undefined, ['inside']]);
  assert.equal(networks.inside.internal, true);
});

it('the compose file for hosts gives root two capabilities, and the network of the host', () => {
  const { services } = parse(read('packaging/container/host.compose.yaml'));
  const { user, network_mode, read_only, cap_drop, cap_add, security_opt, privileged } = services['tcp-guard'];
  assert.deepEqual(
    [user, network_mode, read_only, cap_drop, cap_add, security_opt, privileged],
    ['0:0', 'host', true, ['ALL'], ['NET_ADMIN', 'DAC_READ_SEARCH'], ['no-new-privileges:true'], undefined],
  );
});

interface Collector {
  readonly service: {
    readonly extensions: readonly string[];
    readonly pipelines: { readonly logs: Readonly<Record<string, readonly string[]>> };
  };
  readonly [kind: string]: unknown;
}

it('the collector defines every component that its pipeline and its storage use', () => {
  const config = parse(read('packaging/otel/collector.yaml')) as Collector;
  const { extensions, pipelines } = config.service;
  for (const [kind, names] of Object.entries({ ...pipelines.logs, extensions }))
    assert.deepEqual(Object.keys(config[kind] as object), names, kind);
});
