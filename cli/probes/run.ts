/**
 * Sends a probe set over parallel connections and checks the outcome of each probe. A wire probe is a probe of the
 * response mode, with the source `wire`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../contract/policy/limits.ts';
import type { EventLog } from './events.ts';
import { createPace, type Pace } from './pace.ts';
import type { Probe } from './probe.ts';
import type { ProbeSet } from './probe-set.ts';
import { initialProgress, type ProbeProgress, withProbe } from './progress.ts';
import { type Awaited, type Exchange, openConnection, type RawConnection, type Server } from './raw-client.ts';
import { createReport, type ProbeReport } from './report.ts';
import { partsOf, requestBytes } from './request-bytes.ts';
import type { Reply } from './response.ts';
import { type CheckContext, type Numbered, problemsOf, requestText, resultOf } from './result.ts';
import { isBlockedOrDetected, responseOf, type Setting } from './setting.ts';
import { createDiagnosis } from './symptoms.ts';
import { extraTimeoutMsOf, isHoldFallback, sufficientBytes } from './wire.ts';

/** More connections are not faster: the proxy shares the processors with this program. */
const parallelConnections = 8;

/**
 * Creates the pace of requests that cause a security event: three quarters of the rate up to which the guard writes
 * every event. All probes of a container must share one pace.
 */
export const createEventPace = (now: () => number): Pace => createPace(Math.floor(limits.eventsPerSecond * 0.75), now);

/**
 * Exchanges with more bytes get a new connection. On a kept connection, Go reads bytes of the next request while it
 * waits, and does not count them toward its limit for heads.
 */
const longHeadBytes = 16 * 1024;

export interface RunInput extends CheckContext {
  readonly probeSet: ProbeSet;
  /** Absent when the server does not give its events. */
  readonly events?: EventLog;
  /** Shared by all probe sets of a container. */
  readonly pace: Pace;
  /** Opens a connection. Default: one for HTTP/1.1. */
  readonly open?: (server: Server) => RawConnection;
  /** Number of the first request, unique in a container. */
  readonly firstIndex: number;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly onProgress: (progress: ProbeProgress) => void;
}

function numberProbes(setting: Setting, probes: readonly Probe[], first: number): Numbered[] {
  let index = first;
  return probes.map((probe) => {
    const numbered = { probe, index, outcomes: probe.requests.map(setting.outcome) };
    index += probe.requests.length;
    return numbered;
  });
}

function exchangeOf({ probe, index, outcomes }: Numbered, { policy, host }: Setting): Exchange {
  const bytes = probe.requests.map((request, place) => requestBytes(request, index + place, host));
  const requests = probe.requests.map((request, place) => partsOf(request, index + place, host));
  const awaited = probe.requests.map(({ method }, place): Awaited => {
    const outcome = outcomes[place];
    if (outcome?.kind !== 'blocked') return { method };
    const enough = sufficientBytes(responseOf(outcome, policy), isWireProbe(probe));
    return enough === undefined ? { method } : { method, enough };
  });
  return { bytes: Buffer.concat(bytes), requests, awaited, extraTimeoutMs: extraTimeoutMsOf(policy) };
}

async function sendProbe(
  numbered: Numbered,
  connection: RawConnection,
  { setting, pace }: RunInput,
): Promise<readonly Reply[]> {
  for (const outcome of numbered.outcomes) if (isBlockedOrDetected(outcome)) await pace.step();
  const exchange = exchangeOf(numbered, setting);
  return connection.send(exchange, isWireProbe(numbered.probe) || exchange.bytes.length > longHeadBytes);
}

/**
 * Attempts at a wire probe, and milliseconds between them. The proxy releases a held request after its client
 * disconnects.
 */
const [wireProbeAttempts, wireProbeRetryMs] = [50, 100];

/** Repeats a wire probe that reached the limit of held requests, because it must show the mode itself. */
async function sendWireProbe(numbered: Numbered, connection: RawConnection, input: RunInput) {
  for (let attempt = 1; ; attempt += 1) {
    const replies = await sendProbe(numbered, connection, input);
    const isHoldLimited = replies.some((reply) => isHoldFallback(reply, input.setting.policy.response));
    if (!isHoldLimited || attempt === wireProbeAttempts) return replies;
    await sleep(wireProbeRetryMs);
  }
}

const isWireProbe = ({ source }: Probe): boolean => source === 'wire';

/**
 * True when the progress grew by a percent. Redrawing a view for each response would take longer than the responses.
 */
const isPercentStep = (done: number, total: number): boolean =>
  Math.floor((100 * done) / total) > Math.floor((100 * (done - 1)) / total);

/**
 * Sends one more request that causes an event, and waits for the event. The guard writes events in the order of
 * requests, so all other events have arrived before.
 */
async function waitForEvents(all: readonly Numbered[], index: number, input: RunInput): Promise<void> {
  const blockedProbe = all.find(({ outcomes }) => outcomes.length === 1 && outcomes.every(isBlockedOrDetected));
  if (!blockedProbe || !input.events || !input.setting.policy.securityLog) return;
  const { open = openConnection } = input;
  const connection = open(input.address);
  await sendProbe({ ...blockedProbe, index }, connection, input);
  await input.events.arrived(index);
  connection.close();
}

/**
 * Sends the probe set and returns its report.
 * @throws the reason of the signal when it is aborted, or the ExternalError of a symptom that ends the probe set
 */
export async function runProbes(input: RunInput): Promise<ProbeReport> {
  const { setting, probeSet, signal, now, onProgress, open = openConnection } = input;
  const started = now();
  const all = numberProbes(setting, probeSet.probes, input.firstIndex);
  const replies = new Map<Numbered, readonly Reply[]>();
  let progress = initialProgress(all.length);
  const diagnose = createDiagnosis(input);
  const hopeless = new AbortController();
  const stop = AbortSignal.any([signal, hopeless.signal]);
  const work = async (queue: Iterable<Numbered>, send: typeof sendProbe): Promise<void> => {
    const connection = open(input.address);
    stop.addEventListener('abort', connection.close);
    try {
      for (const numbered of queue) {
        stop.throwIfAborted();
        const received = await send(numbered, connection, input);
        replies.set(numbered, received);
        const error = diagnose(numbered, received);
        if (error) hopeless.abort(error);
        const { id, requests } = numbered.probe;
        const ok = problemsOf(numbered, received, input).length === 0;
        progress = withProbe(progress, { id, ok, request: requestText(requests) });
        if (isPercentStep(replies.size, all.length)) onProgress(progress);
      }
      stop.throwIfAborted();
    } finally {
      stop.removeEventListener('abort', connection.close);
      connection.close();
    }
  };
  // Wire probes run one at a time: a mode that holds requests limits their number per address.
  await work(
    all.filter(({ probe }) => isWireProbe(probe)),
    sendWireProbe,
  );
  const queue = all.filter(({ probe }) => !isWireProbe(probe)).values();
  await Promise.all(Array.from({ length: parallelConnections }, () => work(queue, sendProbe)));
  await waitForEvents(all, input.firstIndex + all.reduce((sum, { probe }) => sum + probe.requests.length, 0), input);
  const results = all.map((numbered) => resultOf(numbered, replies.get(numbered) ?? [], input, input.events));
  return createReport(results, probeSet.skipped, now() - started);
}
