/**
 * Connections whose two ends act at random. The number of a connection determines what its ends do, and every byte that
 * arrives is checked.
 */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { randomNumbers } from '../../inspectors/testing/random.ts';

const parallelConnections = 64;
/** The largest number of ends that do not read. When one more stalls, the first of them reads again. */
const mostStalled = 16;
const longest = 300_000;
/** The longest stream of a connection that stalls: more bytes than fit into buffers. */
const longestStalled = 3_000_000;
/** The share of connections that stall, of ends that reset, and of ends that send their first bytes one by one. */
const share = { stalls: 0.03, resets: 0.15, singles: 0.1 };
const singleByteWrites = 100;

const numberBytes = 4;
const pool = randomBytes(4 * 1024 * 1024);
const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** What one end of a connection does. */
interface Plan {
  readonly bytes: Buffer;
  /** The number of sent bytes after which the end resets. Undefined when it finishes sending after the last byte. */
  readonly resetAfter: number | undefined;
  /** After these numbers of sent bytes, the end pauses for a turn of the event loop. */
  readonly pauses: readonly number[];
  /** The number of received bytes after which the end stops reading for a while. */
  readonly stallAfter: number;
}

function plansOf(id: number): readonly [Plan, Plan] {
  const random = randomNumbers(id);
  const below = (length: number): number => Math.floor(random() * length);
  const isStalled = random() < share.stalls;
  const most = isStalled ? longestStalled : longest;
  const plan = (prefix: Buffer): Plan => {
    const length = Math.floor(random() ** 3 * most);
    const from = below(pool.length - length);
    const bytes = Buffer.concat([prefix, pool.subarray(from, from + length)]);
    return {
      bytes,
      resetAfter: random() < share.resets ? below(bytes.length + 1) : undefined,
      pauses:
        random() < share.singles
          ? Array.from({ length: singleByteWrites }, (_, index) => index + prefix.length)
          : Array.from({ length: 8 }, () => prefix.length + Math.floor(random() ** 2 * length)),
      stallAfter: isStalled && random() < 0.7 ? below(1000) : Number.POSITIVE_INFINITY,
    };
  };
  const number = Buffer.alloc(numberBytes);
  number.writeUInt32BE(id);
  return [plan(number), plan(Buffer.alloc(0))];
}

interface Outcome {
  readonly bytes: number;
  readonly digest: string;
  readonly isWhole: boolean;
}

async function send(socket: Socket, { bytes, resetAfter, pauses }: Plan): Promise<void> {
  const last = resetAfter ?? bytes.length;
  const stops = [...pauses.filter((at) => at < last), last].sort((a, b) => a - b);
  let at = 0;
  for (const stop of stops) {
    socket.write(bytes.subarray(at, stop));
    at = stop;
    await turn();
  }
  if (resetAfter === undefined) socket.end();
  else socket.resetAndDestroy();
}

function checkReceived(name: string, { bytes: sent, resetAfter }: Plan, other: Plan, outcome: Outcome): void {
  const { bytes, digest, isWhole } = outcome;
  assert.equal(digest, hash(sent.subarray(0, bytes)), `${name}: the first ${bytes} bytes`);
  const isUndisturbed = resetAfter === undefined && other.resetAfter === undefined;
  if (isUndisturbed || isWhole) assert.equal(bytes, sent.length, `${name}: all bytes`);
  assert.equal(isWhole || !isUndisturbed, true, `${name}: ends regularly`);
}

export interface Tally {
  readonly connections: number;
  readonly bytes: number;
  readonly stalls: number;
}

export class RandomConnections {
  readonly #server: Server;
  #last: number;
  readonly #upstreams = new Map<number, Promise<Outcome>>();
  /** Functions that make the stalled ends read. */
  readonly #stalled: (() => void)[] = [];
  #isOver = false;
  #tally = { connections: 0, bytes: 0, stalls: 0 };

  private constructor(seed: number) {
    this.#last = seed;
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#serveUpstream(socket));
  }

  /** The first connection has the number `seed` + 1. */
  static async open(seed: number): Promise<RandomConnections> {
    const connections = new RandomConnections(seed);
    await once(connections.#server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }), 'listening');
    return connections;
  }

  get upstreamPort(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
  }

  /** Makes connections to a port that leads to the upstream, until `isOver`. @throws AssertionError for a wrong byte */
  async run(port: number, isOver: (begun: number) => boolean): Promise<Tally> {
    this.#tally = { connections: 0, bytes: 0, stalls: 0 };
    this.#isOver = false;
    let begun = 0;
    const lane = async (): Promise<void> => {
      while (!isOver(begun)) {
        begun += 1;
        await this.#runConnection(port);
      }
      this.#isOver = true;
      for (const resume of this.#stalled.splice(0)) resume();
    };
    await Promise.all(Array.from({ length: parallelConnections }, lane));
    // Check connections that reached the upstream after their client had reset them.
    for (const id of [...this.#upstreams.keys()]) await this.#checkUpstream(id);
    return this.#tally;
  }

  async #runConnection(port: number): Promise<void> {
    const id = ++this.#last;
    const [up, down] = plansOf(id);
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    checkReceived(`upstream ${id}`, down, up, await this.#runPlan(socket, up));
    if (!(await this.#checkUpstream(id)))
      assert.notEqual(up.resetAfter, undefined, `client ${id} reached its upstream`);
    this.#tally.connections += 1;
  }

  async #checkUpstream(id: number): Promise<boolean> {
    const outcome = await this.#upstreams.get(id);
    const [up, down] = plansOf(id);
    if (outcome) checkReceived(`client ${id}`, up, down, outcome);
    return this.#upstreams.delete(id);
  }

  /** Acts as the upstream of a connection. The number of the connection arrives first, maybe in pieces. */
  #serveUpstream(socket: Socket): void {
    const leave = () => socket.destroy(); // the client reset the connection before the whole number arrived
    const begin = () => {
      const number = socket.read(numberBytes) as Buffer | null;
      if (!number) return;
      if (number.length < numberBytes) return void leave();
      socket.off('readable', begin).off('end', leave).unshift(number);
      const id = number.readUInt32BE();
      this.#upstreams.set(id, this.#runPlan(socket, plansOf(id)[1]));
    };
    socket
      .on('error', () => {})
      .on('readable', begin)
      .on('end', leave);
  }

  /** Carries out a plan. Reads until the connection is closed. */
  #runPlan(socket: Socket, plan: Plan): Promise<Outcome> {
    const digest = createHash('sha256');
    let count = 0;
    let isWhole = false;
    let { stallAfter } = plan;
    socket
      .on('error', () => {})
      .on('data', (chunk: Buffer) => {
        digest.update(chunk);
        count += chunk.length;
        this.#tally.bytes += chunk.length;
        if (count <= stallAfter) return;
        stallAfter = Number.POSITIVE_INFINITY;
        this.#stall(socket);
      });
    socket.on('end', () => {
      isWhole = true;
    });
    const closed = new Promise<Outcome>((resolve) =>
      socket.on('close', () => resolve({ bytes: count, digest: digest.digest('hex'), isWhole })),
    );
    void send(socket, plan);
    return closed;
  }

  #stall(socket: Socket): void {
    if (this.#isOver) return;
    this.#tally.stalls += 1;
    this.#stalled.push(() => socket.resume());
    socket.pause();
    if (this.#stalled.length > mostStalled) this.#stalled.shift()?.();
  }
}
