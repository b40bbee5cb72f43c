import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { loadPolicy } from '../../contract/load/index.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { UsageError } from '../../platform/errors.ts';
import '../testing/snapshots.ts';
import { generateCaddy } from './caddy.ts';
import { generateCaddyKubernetes } from './caddy-kubernetes.ts';
import { configMap } from './config-map.ts';
import { generateNginx } from './nginx.ts';
import { generateNginxKubernetes } from './nginx-kubernetes.ts';
import { generateDaemonKubernetes } from './tcp-guard-kubernetes.ts';
import { generateTraefikKubernetes } from './traefik-kubernetes.ts';

function load(file: object): Policy {
  const loaded = loadPolicy(Buffer.from(JSON.stringify(file)), 'policy');
  assert.ok(loaded.ok, JSON.stringify(loaded.ok || loaded.problems));
  return loaded.value;
}

const documents = (text: string) => parseAllDocuments(text).map((document) => document.toJS());
const isRefusal = (start: string) => (error: unknown) => error instanceof UsageError && error.message.startsWith(start);

const policy = load({ blockPatterns: ['^/a{1,2},b$'], response: { mode: 'html', body: '<p>\n\t"{{x}}"\n</p>\n' } });
const service = { listen: ':2222', upstream: 'ssh:22', protocol: 'ssh' };

describe('a policy for Traefik in Kubernetes', () => {
  it('matches the snapshot', (t: TestContext) => t.assert.snapshot(generateTraefikKubernetes(policy)));
  it('keeps a reference to a Secret where the policy has a secret', () => {
    const { spec } = parse(generateTraefikKubernetes(load({ secret: 'urn:k8s:secret:keys:guard' })));
    assert.equal(spec.plugin.guard.secret, 'urn:k8s:secret:keys:guard');
  });
  it('refuses a body that Traefik would replace by a Secret', () => {
    const body = load({ response: { body: 'urn:k8s:secret:keys:guard' } });
    assert.throws(() => generateTraefikKubernetes(body), isRefusal('response.body begins with "urn:k8s:secret:"'));
  });
});

describe('a ConfigMap', () => {
  const forms = {
    'guard.caddy': [generateCaddyKubernetes, generateCaddy],
    'guard.conf': [generateNginxKubernetes, generateNginx],
  } as const;
  for (const [file, [inMap, alone]] of Object.entries(forms))
    it(`has the bytes of ${file}`, () => {
      const [{ data }] = documents(inMap(policy));
      assert.deepEqual(data, { [file]: alone(policy) });
    });
  it('with more data than Kubernetes accepts is refused', () => {
    const file = { map: 'guard', file: 'guard.conf', text: 'x'.repeat(1024 * 1024) };
    assert.doesNotThrow(() => configMap(file));
    assert.throws(
      () => configMap({ ...file, text: `${file.text}x` }),
      isRefusal('guard.conf has more than 1048576 bytes'),
    );
  });
});

describe('tcp-guard in Kubernetes', () => {
  const manifests = (tcp: object) => documents(generateDaemonKubernetes(load({ tcp })));

  it('matches the snapshot without its configuration', (t: TestContext) => {
    const text = generateDaemonKubernetes(load({ tcp: { services: { ssh: service } } }));
    const [head, , ...others] = text.split('---\n');
    t.assert.snapshot([head, ...others].join('---\n'));
  });
  it('allows ports below 1024 only where a service needs one', () => {
    const sysctls = (listen: string) =>
      manifests({ services: { ssh: { ...service, listen } } })[1].spec.template.spec.securityContext.sysctls;
    assert.deepEqual(sysctls(':22'), [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }]);
    assert.equal(sysctls(':1024'), undefined);
  });
  it('lists each port of the enabled services once', () => {
    const services = { a: service, b: { ...service, listen: '127.0.0.1:2222' }, c: { ...service, listen: ':2223' } };
    const [, , { spec }] = manifests({ services: { ...services, b: { ...services.b, enabled: false } } });
    assert.deepEqual(
      spec.ports.map(({ port }: { port: number }) => port),
      [2222, 2223],
    );
  });
  it('has no Service without a port, because Kubernetes refuses one', () => {
    for (const tcp of [{}, { services: { ssh: { ...service, enabled: false } } }])
      assert.deepEqual(
        manifests(tcp).map(({ kind }) => kind),
        ['ConfigMap', 'StatefulSet', 'PodDisruptionBudget'],
      );
  });
  it('writes to the folders of the configuration, and nowhere else', () => {
    const global = { log_file: '/srv/log/audit.jsonl', data_dir: '/srv/data' };
    const api = { socket: '/srv/run/api.sock' };
    const [, { spec }] = manifests({ global, api, services: { ssh: service } });
    const mounts = spec.template.spec.containers[0].volumeMounts as { mountPath: string; readOnly?: true }[];
    const written = mounts.filter(({ readOnly }) => !readOnly).map(({ mountPath }) => mountPath);
    assert.deepEqual(written.sort(), ['/srv/data', '/srv/log', '/srv/run', '/tmp']);
  });
  it('has a memory limit for each process, and none for a number of processes that depends on the node', () => {
    const limits = (global: object) =>
      manifests({ global, services: { ssh: service } })[1].spec.template.spec.containers[0].resources.limits;
    assert.deepEqual(
      [limits({ data_plane: 'net' }), limits({}), limits({ workers: 3 }), limits({ workers: 0 })],
      [{ memory: '256Mi' }, { memory: '512Mi' }, { memory: '1024Mi' }, undefined],
    );
  });
  it('asks the socket for the health of a daemon without another API', () => {
    const api = { listen: '', socket: '/run/guard/api.sock' };
    const [, { spec }] = manifests({ api, services: { ssh: service } });
    assert.match(
      spec.template.spec.containers[0].livenessProbe.exec.command[2],
      /"socketPath":"\/run\/guard\/api.sock"/,
    );
  });
  it('has no probes for a daemon without an API', () => {
    const [, { spec }] = manifests({ api: { listen: '' }, services: { ssh: service } });
    assert.equal(spec.template.spec.containers[0].livenessProbe, undefined);
  });
});

it('tcp-guard in Kubernetes has the fast data plane, whose Node the image brings, unless the policy names one', () => {
  const planeOf = (global: object): unknown =>
    /^ +data_plane: (\w+)$/m.exec(generateDaemonKubernetes(load({ tcp: { global, services: { ssh: service } } })))?.[1];
  assert.deepEqual([planeOf({}), planeOf({ data_plane: 'net' })], ['auto', 'net']);
});
