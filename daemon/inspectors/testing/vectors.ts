/** Vectors: conversations as data, with the events that an inspector must report. */
import * as z from 'zod/mini';
import type { Protocol } from '../../../contract/daemon/protocols.ts';
import { daemonSchema } from '../../../contract/daemon/schema.ts';
import { loadPolicy } from '../../../contract/load/index.ts';
import { compile } from '../../../engine/index.ts';
import { inspectors } from '../index.ts';
import type { InspectorContext, InspectorEvent, InspectorSession, SessionShape, Side } from '../inspector.ts';

/** The bytes of one side: `text` as latin1, or `base64`. `repeat`: the number of repetitions. */
export interface Step {
  readonly from: Side;
  readonly text?: string;
  readonly base64?: string;
  readonly repeat?: number;
}

export interface Vector {
  readonly description: string;
  /** The section of the service for its protocol. */
  readonly options?: Record<string, unknown>;
  readonly policy?: Record<string, unknown>;
  readonly client?: string;
  readonly steps: readonly Step[];
  /** How the connection ended. When absent, `end` is not called. */
  readonly shape?: SessionShape;
  readonly events: readonly InspectorEvent[];
}

export interface Piece {
  readonly from: Side;
  readonly bytes: Buffer;
}

function bytesOf({ text = '', base64, repeat = 1 }: Step): Buffer {
  const once = base64 === undefined ? Buffer.from(text, 'latin1') : Buffer.from(base64, 'base64');
  return Buffer.alloc(repeat * once.length, once);
}

export const unsplitPieces = (vector: Vector): Piece[] =>
  vector.steps.map((step) => ({ from: step.from, bytes: bytesOf(step) }));

export function* cutPieces(pieces: readonly Piece[], next: () => number): Generator<Piece> {
  for (const { from, bytes } of pieces)
    for (let at = 0; at < bytes.length; ) {
      const end = Math.min(bytes.length, at + next());
      yield { from, bytes: bytes.subarray(at, end) };
      at = end;
    }
}

/** A service with its defaults. `options`: the section for its protocol. */
export function serviceOf(protocol: Protocol, options?: Record<string, unknown>) {
  const service = {
    listen: ':2000',
    upstream: 'upstream:2001',
    protocol,
    ...(options && { [protocol]: options }),
  };
  const { services } = z.parse(daemonSchema(), { services: { it: service } });
  return services.it as NonNullable<typeof services.it>;
}

function guardOf(policy: Record<string, unknown>) {
  const loaded = loadPolicy(Buffer.from(JSON.stringify(policy)), 'guard.json');
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('; '));
  return compile(loaded.value);
}

/** Caches the results of `make`, because many conversations share their options. */
function cached<Value, Made>(make: (value: Value) => Made): (value: Value) => Made {
  const made = new Map<string, Made>();
  return (value) => {
    const key = JSON.stringify(value);
    const known = made.get(key) ?? make(value);
    made.set(key, known);
    return known;
  };
}

const sharedService = cached(([protocol, options]: [Protocol, Record<string, unknown> | undefined]) =>
  serviceOf(protocol, options),
);
const sharedGuard = cached(guardOf);

/** The bytes of the server, one by one while the client waits: a server answers bytes only after it has them. */
function* serverPieces({ login }: InspectorSession, bytes: Buffer): Generator<Piece> {
  let at = 0;
  while (at < bytes.length) {
    const end = login?.isHeld() ? at + 1 : bytes.length;
    yield { from: 'server', bytes: bytes.subarray(at, end) };
    at = end;
  }
}

/**
 * Feeds a session as a relay does: bytes of the client wait while its login is held. With `isSkipping`, leaves out the
 * bytes that need no inspection.
 */
export function feed(session: InspectorSession, pieces: Iterable<Piece>, isSkipping: boolean): InspectorEvent[] {
  const unseen = { client: 0, server: 0 };
  const events: InspectorEvent[] = [];
  let waiting: Buffer = Buffer.alloc(0);
  const feedPiece = ({ from, bytes }: Piece) => {
    const passed = Math.min(unseen[from], bytes.length);
    unseen[from] -= passed;
    if (passed === bytes.length || session.isDone()) return;
    const reported = session.feed(from, bytes.subarray(passed));
    events.push(...reported.filter(({ kind }) => kind !== 'instead')); // `instead` depends on how the bytes were split
    const left = from === 'client' && !session.isDone() ? (session.login?.left() ?? 0) : 0;
    if (from === 'client') waiting = bytes.subarray(bytes.length - left);
    if (isSkipping && left === 0) unseen[from] = session.unseen(from);
  };
  const feedWaiting = () => {
    while (waiting.length > 0 && !session.login?.isHeld() && !session.isDone()) {
      const next = waiting;
      waiting = Buffer.alloc(0);
      feedPiece({ from: 'client', bytes: next });
    }
  };
  for (const { from, bytes } of pieces) {
    if (session.isDone()) break;
    if (from === 'client') waiting = Buffer.concat([waiting, bytes]);
    else
      for (const piece of serverPieces(session, bytes)) {
        feedPiece(piece);
        feedWaiting();
      }
    feedWaiting();
  }
  return events;
}

/** Opens data ports from 40001 on. Refuses when the server announced port 1. */
function dataPorts(): NonNullable<InspectorContext['openDataPort']> {
  let port = 40_000;
  return (announced) => {
    if (announced.port === 1) return { ok: false, why: 'no_free_port' };
    port += 1;
    return { ok: true, host: '203.0.113.1', port };
  };
}

export function replay(
  protocol: Protocol,
  vector: Pick<Vector, 'options' | 'policy' | 'client' | 'shape'>,
  pieces: Iterable<Piece>,
  isSkipping = true,
): InspectorEvent[] {
  const service = sharedService([protocol, vector.options]);
  const guard = vector.policy && sharedGuard(vector.policy);
  const session = inspectors[protocol].open({
    ...{ service, guard, client: vector.client ?? '192.0.2.1' },
    ...(service.ftp?.passive && { openDataPort: dataPorts() }),
  });
  const events = feed(session, pieces, isSkipping);
  if (vector.shape) events.push(...session.end(vector.shape));
  return events;
}
