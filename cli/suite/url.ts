/** `guardcli probe`: sends the cases of a suite to a URL. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { type HostModel, hostsOf, withoutHost } from '../../engine/hosts/received.ts';
import { ExternalError, UsageError } from '../../platform/errors.ts';
import { policyFor } from '../evaluate/policy.ts';
import { dial, type Server } from '../probes/raw-client.ts';
import { createEventPace, runProbes } from '../probes/run.ts';
import { createSetting } from '../probes/setting.ts';
import type { Context } from '../program/context.ts';
import type { ProxyTarget } from '../targets/table.ts';
import type { LoadedSuite, SuitePolicy } from './case.ts';
import { selectCases } from './only.ts';
import { caseProbes } from './probes.ts';
import { readSuite } from './read.ts';
import type { SuiteResult } from './result.ts';

export interface UrlSuite {
  readonly origin: URL;
  readonly file: string;
  readonly only: readonly string[] | undefined;
  readonly config: string | undefined;
  readonly proxy: ProxyTarget | undefined;
}

/** Model of an unknown proxy: every request reaches the guard as sent. */
const unknownProxy: HostModel = {
  receives: (request) => {
    const { target } = request;
    const [host = ''] = hostsOf(request);
    return { kind: 'passed', target, backend: target, host, headers: withoutHost(request) };
  },
  sentUpgrade: () => '', // no case checks it
  receivesHeader: () => true,
};

/** The address that the server sees is unknown. An empty one is in no list of the policy. */
const unknownPeer = '';

function policyOf({ name, cases }: LoadedSuite): SuitePolicy {
  const [first, ...others] = new Set(cases.map(({ policy }) => policy));
  if (first && others.every(({ policy }) => isDeepStrictEqual(policy, first.policy))) return first;
  throw new UsageError(`${name} has several policies, and a server runs one`, {
    code: 'several_policies',
    hint: 'pass the policy that the server runs with -c; cases under other policies are skipped',
  });
}

async function loadSuiteAndPolicy({ file, only, config }: UrlSuite, context: Context) {
  const givenPolicy = config === undefined ? undefined : await policyFor({ config }, context);
  const suite = selectCases(await readSuite({ file, config: givenPolicy }, context), only);
  return { suite, policy: (givenPolicy ?? policyOf(suite)).policy };
}

function addressOf({ hostname, port, protocol }: URL): Server {
  const isTls = protocol === 'https:';
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (isTls ? 443 : 80), isTls };
}

function unreachableError(origin: string, socket: Socket, cause: NodeJS.ErrnoException): ExternalError {
  const isUntrusted = socket instanceof TLSSocket && Boolean(socket.authorizationError);
  const failed = (output: string) => ({ cause, failed: { tool: origin, output } });
  if (isUntrusted) {
    // After the semicolon, Node advises about its options.
    const [reason = ''] = cause.message.split(';');
    const hint =
      'use a name that it covers; NODE_EXTRA_CA_CERTS=<file> in the environment adds a certificate authority';
    return new ExternalError(`the certificate of ${origin} is not valid`, {
      ...{ code: 'bad_certificate', hint, ...failed(reason) },
    });
  }
  const message = `cannot connect to ${origin}`;
  if (cause.code?.startsWith('ERR_SSL_')) {
    const hint = 'check the port, or pass http:// if the server does not use TLS';
    return new ExternalError(message, { code: 'no_tls', hint, ...failed(`the TLS handshake failed: ${cause.code}`) });
  }
  const hint = 'check the address, and that the server runs';
  return new ExternalError(message, { code: 'unreachable', hint, ...failed(cause.message) });
}

/** Milliseconds to connect and to finish the TLS handshake. */
const connectTimeoutMs = 15_000;

/** A wrong address or certificate gives one error here, not one for each case. */
async function refuseUnreachable(server: Server, origin: string, signal: AbortSignal): Promise<void> {
  const socket = dial(server);
  const timer = setTimeout(() => socket.destroy(new Error(`no response in ${connectTimeoutMs} ms`)), connectTimeoutMs);
  try {
    await once(socket, server.isTls ? 'secureConnect' : 'connect', { signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw unreachableError(origin, socket, cause as NodeJS.ErrnoException);
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/**
 * Sends the cases of a suite to a server.
 * @throws UsageError, ConfigError, ExternalError when the server does not respond, the reason of the signal
 */
export async function probeUrl(options: UrlSuite, context: Context): Promise<SuiteResult> {
  const { origin, proxy } = options;
  const { now, signal } = context;
  const { suite, policy } = await loadSuiteAndPolicy(options, context);
  const address = addressOf(origin);
  await refuseUnreachable(address, origin.origin, signal);
  const model = proxy ? await proxy.loadHost() : unknownProxy;
  const setting = createSetting({ policy, model, host: origin.host, peer: unknownPeer });
  const probes = caseProbes(suite, { policy, isProxyKnown: proxy !== undefined });
  const report = await runProbes({
    ...{ setting, probeSet: probes.probeSet(setting), address, echoes: false, firstIndex: 0 },
    ...{ signal, now, pace: createEventPace(now), onProgress: () => {} },
  });
  return probes.result(probes.checked(report), origin.origin);
}
