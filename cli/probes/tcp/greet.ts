/** The start of a conversation through tcp-guard, with every byte of the answer compared. */
import { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import type { ServiceConfig } from '../../sandbox/targets/tcp-guard.ts';
import type { Client } from './client.ts';
import { conversations, type Turn } from './conversations.ts';
import type { Outcome } from './probe.ts';

/** A name that a list of names takes: `*.example.com` takes every one below it. */
const nameFor = ([first]: readonly string[] = [], otherwise: string): string =>
  first === undefined ? otherwise : first.replace(/^\*\./, 'probe.');

/** The first message of a handshake, as a real client makes it. */
async function clientHello(servername: string): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const wire = new Duplex({
    read: () => {},
    write: (chunk: Buffer, _encoding, done) => {
      resolve(chunk);
      done();
    },
  });
  const client = connect({ socket: wire, servername });
  client.on('error', () => {});
  const hello = await promise;
  client.destroy();
  return hello;
}

/** A request around the part that the backend answers. */
function httpTurn({ http }: ServiceConfig, { send, reply }: Turn): Turn {
  const start = `GET /probe HTTP/1.1\r\nHost: ${nameFor(http?.allow_hosts, 'probe.example')}`;
  const isEnd = send.toString('latin1').startsWith('\r\n');
  return { send: Buffer.concat([Buffer.from(isEnd ? start : `${start}\r\n`), send]), reply };
}

/** What a client says whose login fails; undefined: the protocol shows none in clear. */
export function badLoginOf(service: ServiceConfig): readonly Turn[] | undefined {
  const { badLogin } = conversations[service.protocol];
  return service.protocol === 'http' ? badLogin?.map((turn) => httpTurn(service, turn)) : badLogin;
}

/** What a client of the service says first, and what it is answered. */
export async function helloOf(service: ServiceConfig): Promise<readonly Turn[]> {
  const { protocol, tls } = service;
  const { hello: turns = [] } = conversations[protocol];
  if (protocol === 'http') return turns.map((turn) => httpTurn(service, turn));
  const sent = Buffer.from('probe\n');
  if (protocol === 'generic') return [{ send: sent, reply: sent }];
  if (protocol !== 'tls') return turns;
  const hello = await clientHello(nameFor(tls?.allow_sni, 'probe.example'));
  return [{ send: hello, reply: hello }];
}

const shown = (bytes: Buffer): string => `"${bytes.toString('latin1').slice(0, 100)}"`;

/** Whether the bytes that came behind `offset` are those; undefined: they are. */
async function compare(client: Client, offset: number, expected: Buffer): Promise<Outcome> {
  await client.has(offset + expected.length);
  const came = client.received().subarray(offset, offset + expected.length);
  if (came.equals(expected)) return undefined;
  return came.length === 0
    ? `nothing came, expected ${shown(expected)}`
    : `${shown(came)} came, expected ${shown(expected)}`;
}

/** Says all turns and compares the answers. A PROXY header that tcp-guard sends is none of the client's business. */
export async function converse(
  client: Client,
  protocol: ServiceConfig['protocol'],
  turns: readonly Turn[],
): Promise<Outcome> {
  const { greeting = Buffer.alloc(0) } = conversations[protocol];
  let problem = await compare(client, 0, greeting);
  let offset = greeting.length;
  for (const { send, reply } of turns) {
    if (problem !== undefined) return problem;
    client.send(send);
    problem = await compare(client, offset, reply);
    offset += reply.length;
  }
  return problem;
}

/** Whether a client gets through to the backend. */
export async function passes(client: Client, service: ServiceConfig): Promise<Outcome> {
  return converse(client, service.protocol, await helloOf(service));
}

const lineEnd = 0x0a;

/**
 * Whether a client is kept out as the service says: without a byte, or byte by byte in a tarpit. It speaks first: where
 * nobody says anything, a client that was let in looks the same.
 */
export async function isRefused(client: Client, service: ServiceConfig): Promise<Outcome> {
  const isHeld = service.response.mode === 'tarpit';
  for (const { send } of await helloOf(service)) client.send(send);
  await client.has(isHeld ? 2 : 1);
  const came = client.received();
  if (isHeld) return came.length >= 2 && came.every((byte) => byte === lineEnd) ? undefined : 'it is in no tarpit';
  if (came.length > 0) return `it got ${shown(came)}`;
  return (await client.ends()) ? undefined : 'its connection stays open';
}
