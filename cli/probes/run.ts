/** Sends a suite over several raw connections at once and judges what comes of each probe. */
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../contract/policy/limits.ts';
import { ExternalError } from '../../platform/errors.ts';
import type { Reply } from './answer.ts';
import type { EventLog } from './events.ts';
import { createPace, type Pace } from './pace.ts';
import type { Probe } from './probe.ts';
import { type Awaited, type Exchange, openConnection, type RawConnection } from './raw-client.ts';
import { createReport, type SuiteReport } from './report.ts';
import { requestBytes } from './request-bytes.ts';
import { type Facts, type Numbered, problemsOf, resultOf, shown } from './result.ts';
import { isObjection, type Setting } from './setting.ts';
import type { Suite } from './suite.ts';
import { isPastCeiling, slownessOf, sufficientBytes } from './wire.ts';

/** More gains nothing: the proxy and this program share the processors. */
const connections = 8;

/** Below what the guard writes one by one: beyond it, events are summed and name no rule. One for each container. */
export const createObjectionPace = (now: () => number): Pace =>
  createPace(Math.floor(limits.eventsPerSecond * 0.9), now);

/** A proxy that left that many probes without an answer is not asked any more: each one takes seconds. */
const silencesBearable = 10;

/**
 * Longer requests have a connection of their own, whose first one host models speak of: Go does not count towards its
 * limit what it reads of a later one while it waits for it.
 */
const longHeadBytes = 16 * 1024;

export interface SuiteProgress {
  readonly done: number;
  readonly total: number;
  readonly failed: number;
}

export interface RunInput extends Facts {
  readonly suite: Suite;
  readonly events: EventLog;
  /** Of the container: suites that are sent to it one after the other share it. */
  readonly pace: Pace;
  /** The number of the first request: probes of one container must not share numbers. */
  readonly firstIndex: number;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly onProgress: (progress: SuiteProgress) => void;
}

function number(setting: Setting, probes: readonly Probe[], first: number): Numbered[] {
  let index = first;
  return probes.map((probe) => {
    const numbered = { probe, index, outcomes: probe.requests.map(setting.outcome) };
    index += probe.requests.length;
    return numbered;
  });
}

function exchangeOf({ probe, index, outcomes }: Numbered, { policy, host }: Setting): Exchange {
  const bytes = probe.requests.map((request, place) => requestBytes(request, index + place, host));
  const enough = sufficientBytes(policy.response, isScene(probe));
  const awaited = probe.requests.map(({ method }, place): Awaited => {
    return outcomes[place]?.kind === 'blocked' && enough !== undefined ? { method, enough } : { method };
  });
  return { bytes: Buffer.concat(bytes), awaited, slowness: slownessOf(policy.response) };
}

async function sendOne(
  numbered: Numbered,
  connection: RawConnection,
  { setting, pace }: RunInput,
): Promise<readonly Reply[]> {
  for (const outcome of numbered.outcomes) if (isObjection(outcome)) await pace.step();
  const exchange = exchangeOf(numbered, setting);
  return connection.send(exchange, isScene(numbered.probe) || exchange.bytes.length > longHeadBytes);
}

/** What was held before is let go of when the proxy notices that its client has left: a moment later. */
const [ceilingTries, ceilingWaitMs] = [50, 100];

/** A scene shows the mode itself, so one that meets the ceiling is played again. */
async function play(numbered: Numbered, connection: RawConnection, input: RunInput) {
  for (let tries = 1; ; tries += 1) {
    const replies = await sendOne(numbered, connection, input);
    const isMissed = replies.some((reply) => isPastCeiling(reply, input.setting.policy.response));
    if (!isMissed || tries === ceilingTries) return replies;
    await sleep(ceilingWaitMs);
  }
}

const isScene = ({ source }: Probe): boolean => source === 'wire';

const isSilence = (reply: Reply): boolean => reply.kind === 'broken' && reply.end === 'silence';

/** The proxy hangs, or something between us and it does. */
function silenceError({ probe }: Numbered, { address }: RunInput): ExternalError {
  const sent = probe.requests.map(({ method, target }) => shown(`${method} ${target}`)).join(', ');
  return new ExternalError(`the proxy does not answer: ${silencesBearable} probes waited in vain`, {
    code: 'proxy_silent',
    hint: `look at it by hand: guardcli sandbox, then curl http://${address.host}:${address.port}/`,
    failed: { tool: 'sandbox', output: `the last one was ${sent}` },
  });
}

/** Progress is told in percent: a view that draws every answer would take longer than the answers. */
const isStep = (done: number, total: number): boolean =>
  Math.floor((100 * done) / total) > Math.floor((100 * (done - 1)) / total);

/** Every event is written before its answer, so behind one more objection's event none is still on its way. */
async function fence(all: readonly Numbered[], index: number, input: RunInput): Promise<void> {
  const known = all.find(({ outcomes }) => outcomes.length === 1 && outcomes.every(isObjection));
  if (!known || !input.setting.policy.securityLog) return;
  const connection = openConnection(input.address);
  await sendOne({ ...known, index }, connection, input);
  await input.events.arrived(index);
  connection.close();
}

/** Sends everything and returns the report; @throws the reason of the signal when it is aborted. */
export async function runSuite(input: RunInput): Promise<SuiteReport> {
  const { setting, suite, signal, now, onProgress } = input;
  const started = now();
  const all = number(setting, suite.probes, input.firstIndex);
  const replies = new Map<Numbered, readonly Reply[]>();
  let failed = 0;
  let silences = 0;
  const work = async (queue: Iterable<Numbered>, send: typeof sendOne): Promise<void> => {
    const connection = openConnection(input.address);
    try {
      for (const numbered of queue) {
        signal.throwIfAborted();
        replies.set(numbered, await send(numbered, connection, input));
        if (replies.get(numbered)?.some(isSilence) && ++silences === silencesBearable)
          throw silenceError(numbered, input);
        if (problemsOf(numbered, replies.get(numbered) ?? [], input).length > 0) failed += 1;
        if (isStep(replies.size, all.length)) onProgress({ done: replies.size, total: all.length, failed });
      }
    } finally {
      connection.close();
    }
  };
  // Scenes one by one and before all others: a mode that holds requests holds so many of an address and no more.
  await work(
    all.filter(({ probe }) => isScene(probe)),
    play,
  );
  const queue = all.filter(({ probe }) => !isScene(probe)).values();
  await Promise.all(Array.from({ length: connections }, () => work(queue, sendOne)));
  await fence(all, input.firstIndex + all.reduce((sum, { probe }) => sum + probe.requests.length, 0), input);
  const results = all.map((numbered) => resultOf(numbered, replies.get(numbered) ?? [], input, input.events));
  return createReport(results, suite.skipped, now() - started);
}
