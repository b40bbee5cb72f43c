/** Plays the start of a conversation through tcp-guard and compares the replies. */
import { Duplex } from 'node:stream';
import { type ConnectionOptions, connect } from 'node:tls';
import type { Client } from './client.ts';
import { conversations, type Turn } from './conversations.ts';
import { targetsOf } from './http-targets.ts';
import type { Problem } from './probe.ts';
import type { PublishedService, ServiceConfig } from './published.ts';

/** Returns a name that the first entry of a list matches: `*.example.com` matches every name below it. */
export const nameFor = ([first]: readonly string[] = [], otherwise: string): string =>
  first === undefined ? otherwise : first.replace(/^\*\./, 'probe.');

/** The ClientHello of a real TLS client. */
export async function clientHello(options: ConnectionOptions): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const wire = new Duplex({
    read: () => {},
    write: (chunk: Buffer, _encoding, done) => {
      resolve(chunk);
      done();
    },
  });
  const client = connect({ ...options, socket: wire });
  client.on('error', () => {});
  const hello = await promise;
  client.destroy();
  return hello;
}

const sentBytes = Buffer.from('probe\n');
/** A backend without a script echoes what it receives. */
const echoTurn: Turn = { send: sentBytes, reply: sentBytes };

/** Returns a turn that sends a whole HTTP request. The request contains `send`, to which the backend replies. */
export function httpTurn({ config: { http }, policy }: PublishedService, { send, reply }: Turn, target?: string): Turn {
  const host = nameFor(http?.allow_hosts, 'probe.example');
  const passing = policy ? targetsOf(policy, host).passing : '/probe';
  const start = `GET ${target ?? passing} HTTP/1.1\r\nHost: ${host}`;
  const isEnd = send.toString('latin1').startsWith('\r\n');
  return { send: Buffer.concat([Buffer.from(isEnd ? start : `${start}\r\n`), send]), reply };
}

/** Returns a failed login for the service. Undefined when the protocol shows none in plain text. */
export function badLoginOf(service: PublishedService, password: string): readonly Turn[] | undefined {
  const { protocol } = service.config;
  const turns = conversations[protocol].badLogin?.(password);
  return protocol === 'http' ? turns?.map((turn) => httpTurn(service, turn)) : turns;
}

async function helloOf(service: PublishedService): Promise<readonly Turn[]> {
  const { protocol } = service.config;
  const { hello: turns = [] } = conversations[protocol];
  if (protocol === 'http') return turns.map((turn) => httpTurn(service, turn));
  if (protocol === 'generic') return [echoTurn];
  if (protocol !== 'tls') return turns;
  const hello = await clientHello(handshakeOf(service.config));
  return [{ send: hello, reply: Buffer.alloc(0) }]; // only `refusalProblem` sends it, and expects no reply
}

/** A handshake that the service allows. */
export const handshakeOf = ({ tls }: ServiceConfig): ConnectionOptions => ({
  servername: nameFor(tls?.allow_sni, 'probe.example'),
});

const shownBytes = (bytes: Buffer): string => `"${bytes.toString('latin1').slice(0, 100)}"`;

/** Compares the bytes after `offset`. */
async function replyProblem(client: Client, offset: number, expected: Buffer): Promise<Problem> {
  await client.has(offset + expected.length);
  const came = client.received().subarray(offset, offset + expected.length);
  if (came.equals(expected)) return undefined;
  return came.length === 0
    ? `nothing arrived, expected ${shownBytes(expected)}`
    : `${shownBytes(came)} arrived, expected ${shownBytes(expected)}`;
}

/** Plays the turns and compares the replies, until one of them differs. */
export async function converse(
  client: Client,
  protocol: ServiceConfig['protocol'],
  turns: readonly Turn[],
): Promise<Problem> {
  const { greeting = Buffer.alloc(0) } = conversations[protocol];
  let problem = await replyProblem(client, 0, greeting);
  let offset = greeting.length;
  for (const { send, reply } of turns) {
    if (problem !== undefined) return problem;
    client.send(send);
    problem = await replyProblem(client, offset, reply);
    offset += reply.length;
  }
  return problem;
}

/** Checks that the client reaches the backend. */
export async function relayProblem(client: Client, service: PublishedService): Promise<Problem> {
  const { config } = service;
  if (config.protocol === 'tls') return tlsProblem(client, handshakeOf(config));
  return converse(client, config.protocol, await helloOf(service));
}

/** Exchanges bytes with the backend after a handshake. */
export async function tlsProblem(client: Client, options: ConnectionOptions): Promise<Problem> {
  const problem = await client.secure(options);
  return problem === undefined ? converse(client, 'tls', [echoTurn]) : `the handshake: ${problem}`;
}

const lineEnd = 0x0a;

/**
 * Checks that the client is refused as the service configures. The client sends first, because on a silent connection
 * an accepted client looks refused.
 */
export async function refusalProblem(
  client: Client,
  service: PublishedService,
  turns?: readonly Pick<Turn, 'send'>[],
): Promise<Problem> {
  const isHeld = service.config.response.mode === 'tarpit';
  for (const { send } of turns ?? (await helloOf(service))) client.send(send);
  await client.has(isHeld ? 2 : 1);
  const came = client.received();
  if (isHeld) return came.length >= 2 && came.every((byte) => byte === lineEnd) ? undefined : 'it is not in a tarpit';
  if (came.length > 0) return `it received ${shownBytes(came)}`;
  return (await client.ends()) ? undefined : 'its connection stays open';
}
