/** Manifests match the schemas of Kubernetes, Traefik and the Gateway API. PyYAML reads the same texts (YAML 1.1). */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { parse, stringify } from 'yaml';
import { findLocalGo } from '../../artefacts/go.ts';
import { generateCaddy } from '../../cli/generate/caddy.ts';
import { generateCaddyKubernetes } from '../../cli/generate/caddy-kubernetes.ts';
import { generateNginx } from '../../cli/generate/nginx.ts';
import { generateNginxKubernetes } from '../../cli/generate/nginx-kubernetes.ts';
import { generateDaemonKubernetes } from '../../cli/generate/tcp-guard-kubernetes.ts';
import { generateTraefikKubernetes } from '../../cli/generate/traefik-kubernetes.ts';
import { packageRoot } from '../../platform/assets.ts';
import { command } from '../../platform/command.ts';
import { hostileTexts, load, policies } from '../support/carried-policies.ts';
import { commentedExample } from './comments.ts';

const skip = (await findLocalGo()) ? false : 'there is no Go to download the resource definitions with';

/** Files with resource definitions in Go modules that Traefik needs. */
const definitionFiles = {
  'github.com/traefik/traefik/v3': 'docs/content/reference/dynamic-configuration/kubernetes-crd-definition-v1.yml',
  'sigs.k8s.io/gateway-api': 'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml',
};

const definitions = (): Promise<string[]> =>
  Promise.all(
    Object.entries(definitionFiles).map(async ([module, file]) => {
      const options = { cwd: join(packageRoot, 'sandbox-images/traefik'), env: { GOFLAGS: '', GOWORK: 'off' } };
      const downloaded = JSON.parse(await command('go', ['mod', 'download', '-json', module], options));
      return readFileSync(join(downloaded.Dir, file), 'utf8');
    }),
  );

/** Returns a route with the filters that the comments of the Middleware show. */
function route(): string {
  const filters = parse(commentedExample(generateTraefikKubernetes(load({})), 'filters:'));
  const rules = [{ ...filters, backendRefs: [{ name: 'site', port: 80 }] }];
  const spec = { parentRefs: [{ name: 'edge' }], rules };
  return stringify({ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata: { name: 'x' }, spec });
}

const bodies = hostileTexts.map((body): readonly [string, object] => [JSON.stringify(body), { response: { body } }]);
const examples = globSync('examples/tcp-guard-*.yaml', { cwd: packageRoot });

interface Given {
  readonly manifests: Record<string, string>;
  /** Data of ConfigMaps, by the names of the manifest and of the ConfigMap. */
  readonly data: Record<string, Record<string, object>>;
}

function givenManifests(): Given {
  const given: Given = { manifests: { HTTPRoute: route() }, data: {} };
  for (const [name, file] of [...Object.entries(policies), ...bodies]) {
    const policy = load(file);
    given.manifests[`Traefik: ${name}`] = generateTraefikKubernetes(policy);
    given.manifests[`Caddy: ${name}`] = generateCaddyKubernetes(policy);
    given.data[`Caddy: ${name}`] = { 'guard-caddy': { 'guard.caddy': generateCaddy(policy) } };
    given.manifests[`nginx: ${name}`] = generateNginxKubernetes(policy);
    given.data[`nginx: ${name}`] = { 'guard-nginx': { 'guard.conf': generateNginx(policy) } };
  }
  for (const file of examples) {
    const tcp = parse(readFileSync(join(packageRoot, file), 'utf8'));
    given.manifests[file] = generateDaemonKubernetes(load({ tcp }));
  }
  return given;
}

/** Returns the output about failed manifests, and its last line, which counts them. */
async function validate(given: Given): Promise<{ failed: string[]; last: string }> {
  const args = ['scripts/in-test-image.ts', '--image', 'api', '--stdin', '--'];
  const child = spawn(process.execPath, [...args, '/opt/schemathesis/bin/python', 'e2e/kubernetes/validate.py'], {
    cwd: packageRoot,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify({ ...given, definitions: await definitions() }));
  const lines = (await text(child.stdout)).trimEnd().split('\n');
  return { failed: lines.filter((line) => !line.startsWith('ok ')).slice(0, -1), last: lines.at(-1) ?? '' };
}

test('every generated manifest matches its schema and has its texts', { skip }, async () => {
  const given = givenManifests();
  assert.ok(examples.length >= 3);
  assert.deepEqual(await validate(given), {
    failed: [],
    last: `${Object.keys(given.manifests).length} passed, 0 failed`,
  });
});

test('the schemas refuse an unknown field of each kind of object, and another text', { skip }, async () => {
  const { manifests, data } = givenManifests();
  const [daemon = ''] = examples;
  const broken = {
    HTTPRoute: manifests.HTTPRoute?.replace('extensionRef', 'extension') ?? '',
    Middleware: generateTraefikKubernetes(load({})).replace('  plugin:', '  plugins:'),
    StatefulSet: manifests[daemon]?.replace('readOnlyRootFilesystem', 'readOnlyRoot') ?? '',
    'Caddy: ': generateCaddyKubernetes(load({})).replace('    guard', '    guarded'),
  };
  const expected = { 'Caddy: ': { 'guard-caddy': { 'guard.caddy': generateCaddy(load({})) } } };
  const { failed, last } = await validate({ manifests: broken, data: { ...data, ...expected } });
  assert.deepEqual([failed.filter((line) => line.startsWith('failed')).length, last], [4, '0 passed, 4 failed']);
});
