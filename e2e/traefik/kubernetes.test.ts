/** Traefik reads the Middleware of `guardcli generate` from Kubernetes, for both kinds of routes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { type TestContext, test } from 'node:test';
import { parse } from 'yaml';
import { generateTraefikKubernetes } from '../../cli/generate/traefik-kubernetes.ts';
import { loadPolicy } from '../../contract/load/index.ts';
import { until } from '../../platform/testing/until.ts';
import { type KubernetesObject, startApiServer } from '../kubernetes/api-server.ts';
import { commentedExample } from '../kubernetes/comments.ts';
import { freePort } from '../support/guardcli.ts';
import { listen } from '../support/listen.ts';
import { startTraefik } from './process.ts';

const policy = { secret: 'urn:k8s:secret:keys:guard', blockPatterns: ['^/a{1,2},b$'], response: { mode: 'json' } };

function generated(): string {
  const loaded = loadPolicy(Buffer.from(JSON.stringify(policy)), 'policy');
  assert.ok(loaded.ok);
  return generateTraefikKubernetes(loaded.value);
}

async function backend(t: TestContext): Promise<number> {
  const server = createServer((_request, response) => response.end('from the backend'));
  return listen(t, server);
}

/** A service whose only endpoint is the backend. */
const backendObjects = (port: number): KubernetesObject[] => [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'site' },
    spec: { clusterIP: '10.0.0.1', ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
  },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'site-1', labels: { 'kubernetes.io/service-name': 'site' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
    ports: [{ name: 'http', port, protocol: 'TCP' }],
  },
];

/** Returns routes with the filters that the comments of the Middleware show. */
function routes(text: string, entryPort: number): KubernetesObject[] {
  const gateway = 'gateway.networking.k8s.io/v1';
  const [filters, middlewares] = [
    parse(commentedExample(text, 'filters:')),
    parse(commentedExample(text, 'middlewares:')),
  ];
  // The default that an API server would fill in.
  const matches = [{ path: { type: 'PathPrefix', value: '/' } }];
  const rule = {
    ...filters,
    matches,
    backendRefs: [{ group: '', kind: 'Service', name: 'site', port: 80, weight: 1 }],
  };
  const parentRefs = [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }];
  const allowedRoutes = { namespaces: { from: 'Same' } };
  const route = { kind: 'Rule', match: 'Host(`ingress.example`)', services: [{ name: 'site', port: 80 }] };
  return [
    {
      apiVersion: gateway,
      kind: 'GatewayClass',
      metadata: { name: 'traefik', namespace: '' },
      spec: { controllerName: 'traefik.io/gateway-controller' },
    },
    {
      apiVersion: gateway,
      kind: 'Gateway',
      metadata: { name: 'edge' },
      spec: {
        gatewayClassName: 'traefik',
        listeners: [{ name: 'web', protocol: 'HTTP', port: entryPort, allowedRoutes }],
      },
    },
    {
      apiVersion: gateway,
      kind: 'HTTPRoute',
      metadata: { name: 'site' },
      spec: { hostnames: ['gateway.example'], parentRefs, rules: [rule] },
    },
    {
      apiVersion: 'traefik.io/v1alpha1',
      kind: 'IngressRoute',
      metadata: { name: 'site' },
      spec: { entryPoints: ['edge'], routes: [{ ...route, ...middlewares }] },
    },
  ];
}

const keys: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'keys' },
  data: { guard: Buffer.from('a secret of 32 characters or more').toString('base64') },
};

async function status(port: number, host: string, path: string): Promise<number> {
  const [response] = await once(get({ port, host: '127.0.0.1', path, headers: { host }, agent: false }), 'response');
  response.resume();
  await once(response, 'end');
  return response.statusCode;
}

test('HTTPRoute and IngressRoute with the generated Middleware block what the policy blocks', async (t) => {
  const entryPort = await freePort();
  const text = generated();
  const namespaces = [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', namespace: '' } }];
  const objects = [parse(text), keys, ...namespaces, ...backendObjects(await backend(t)), ...routes(text, entryPort)];
  const endpoint = await startApiServer(t, objects);
  const traefik = await startTraefik(
    t,
    {},
    {
      entryPoints: { edge: { address: `127.0.0.1:${entryPort}` } },
      providers: { kubernetesCRD: { endpoint }, kubernetesGateway: { endpoint } },
    },
  );
  for (const host of ['gateway.example', 'ingress.example']) {
    const serves = async (): Promise<boolean> => (await status(entryPort, host, '/').catch(() => 0)) === 200;
    await until(serves, () => `a route of ${host}\n${traefik.output()}`);
    for (const [path, wanted] of Object.entries({ '/.env': 403, '/aa,b': 403, '/aaa,b': 200 }))
      assert.deepEqual([host, path, await status(entryPort, host, path)], [host, path, wanted], traefik.output());
  }
});
