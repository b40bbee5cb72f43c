import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { listen } from '../support/listen.ts';

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

const version = '1';
const json = { 'content-type': 'application/json' };

/** Name of a kind in paths, such as `endpointslices`, `gateways`. */
const resourceOf = (kind: string): string => `${kind.toLowerCase()}${kind.endsWith('ss') ? 'es' : 's'}`;

/** Path of a list over all namespaces, such as `/apis/apps/v1/deployments`. */
const listPath = ({ apiVersion, kind }: KubernetesObject): string =>
  `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}/${resourceOf(kind)}`;

/** A list without apiVersion and kind. Clients read it as the type that they requested. */
const listOf = (items: readonly KubernetesObject[]): object => ({ metadata: { resourceVersion: version }, items });

/** Sends no events. Refuses a watch that also requests the list, like old releases. */
function respondToWatch(response: ServerResponse, wantsList: boolean): void {
  const refusal = { apiVersion: 'v1', kind: 'Status', status: 'Failure', reason: 'Invalid', code: 422 };
  response.writeHead(wantsList ? refusal.code : 200, json);
  if (wantsList) response.end(JSON.stringify(refusal));
  else response.flushHeaders();
}

function respond(objects: readonly KubernetesObject[], request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== 'GET') {
    request.pipe(response.writeHead(200, json));
    return;
  }
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const found = objects.filter((object) => listPath(object) === pathname);
  if (searchParams.has('watch')) respondToWatch(response, searchParams.has('sendInitialEvents'));
  else response.writeHead(200, json).end(JSON.stringify(listOf(found)));
}

export async function startApiServer(t: TestContext, objects: readonly KubernetesObject[]): Promise<string> {
  const stored = objects.map((object, index) => ({
    ...object,
    metadata: { namespace: 'default', uid: `uid-${index}`, resourceVersion: version, ...object.metadata },
  }));
  const server: Server = createServer((request, response) => respond(stored, request, response));
  return `http://127.0.0.1:${await listen(t, server)}`;
}
