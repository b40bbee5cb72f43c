/** Sends a suite over several raw connections at once and judges what comes of each probe. */
import { limits } from '../../contract/limits.ts';
import { ExternalError } from '../errors.ts';
import { printable } from '../escape.ts';
import type { Answer, Reply } from './answer.ts';
import type { EventLog } from './events.ts';
import { endsConnection, type JudgeOptions, judge } from './judge.ts';
import { createPace, type Pace } from './pace.ts';
import type { Probe, ProbeRequest } from './probe.ts';
import { openConnection, type RawConnection } from './raw-client.ts';
import { type Address, repeatLine } from './repeat.ts';
import { createReport, type ProbeResult, type SuiteReport } from './report.ts';
import { requestBytes } from './request-bytes.ts';
import { isObjection, type Outcome, type Setting } from './setting.ts';
import type { Suite } from './suite.ts';

/** More gains nothing: the proxy and this program share the processors. */
const connections = 8;

/** Below what the guard writes one by one: beyond it, events are summed and name no rule. */
const objectionsPerSecond = Math.floor(limits.eventsPerSecond * 0.9);

/** A proxy that left that many probes without an answer is not asked any more: each one takes seconds. */
const silencesBearable = 10;

/** Bytes of a request or body that a report shows. */
const shownBytes = 2000;

export interface SuiteProgress {
  readonly done: number;
  readonly total: number;
  readonly failed: number;
}

export interface RunInput {
  readonly setting: Setting;
  readonly suite: Suite;
  readonly address: Address;
  readonly events: EventLog;
  readonly echoes: boolean;
  /** The number of the first request: probes of one container must not share numbers. */
  readonly firstIndex: number;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly onProgress: (progress: SuiteProgress) => void;
}

/** A probe with the numbers of its requests and what must come of each. */
interface Numbered {
  readonly probe: Probe;
  readonly index: number;
  readonly outcomes: readonly Outcome[];
}

const shown = (text: string): string => printable(text.length > shownBytes ? `${text.slice(0, shownBytes)}...` : text);

function outcomeText(outcome: Outcome): string {
  if (outcome.kind === 'refused') return `refused by the proxy with ${outcome.status}`;
  const { reason, rule, target } = outcome.verdict;
  const by = [reason, ...(rule === undefined ? [] : [rule]), ...(target === undefined ? [] : [`in ${target}`])];
  return `${outcome.kind} (${by.join(', ')})`;
}

function replyText(reply: Reply | undefined): string {
  if (!reply) return 'nothing';
  if (reply.kind === 'closed') return 'a close without a byte';
  if (reply.kind === 'broken') return `${reply.reason}${reply.received === '' ? '' : `: ${shown(reply.received)}`}`;
  return `status ${reply.status}, ${reply.body.length} bytes${bodyStart(reply)}`;
}

function bodyStart({ body }: Answer): string {
  const line = body.slice(0, 200).split(/\r?\n/)[0] ?? '';
  return line === '' ? '' : `: ${printable(line)}`;
}

function number(setting: Setting, probes: readonly Probe[], first: number): Numbered[] {
  let index = first;
  return probes.map((probe) => {
    const numbered = { probe, index, outcomes: probe.requests.map(setting.outcome) };
    index += probe.requests.length;
    return numbered;
  });
}

/** Waits for the events of what was objected to and answered. */
async function awaitEvents({ index, outcomes }: Numbered, replies: readonly Reply[], { events, setting }: RunInput) {
  if (!setting.policy.securityLog) return;
  const expected = outcomes.flatMap((outcome, place) =>
    isObjection(outcome) && replies[place] ? [index + place] : [],
  );
  await Promise.all(expected.map(events.arrived));
}

/** Requests up to the one that ends the connection; none behind it is answered. */
function answered({ probe, outcomes }: Numbered, setting: Setting): readonly ProbeRequest[] {
  const last = outcomes.findIndex((outcome) => endsConnection(outcome, setting.policy));
  return last < 0 ? probe.requests : probe.requests.slice(0, last + 1);
}

function problemsOf(numbered: Numbered, replies: readonly Reply[], input: RunInput): string[] {
  const options: JudgeOptions = { policy: input.setting.policy, echoes: input.echoes };
  const expected = answered(numbered, input.setting);
  const problems = expected.flatMap((request, place) => {
    const observed = { reply: replies[place], events: input.events.of(numbered.index + place) };
    const found = judge(request, numbered.outcomes[place] as Outcome, observed, options);
    return expected.length > 1 ? found.map((problem) => `request ${place + 1}: ${problem}`) : found;
  });
  const extra = replies[expected.length];
  return extra && extra.kind !== 'closed'
    ? [...problems, `more came than was expected: ${replyText(extra)}`]
    : problems;
}

function resultOf(numbered: Numbered, replies: readonly Reply[], input: RunInput): ProbeResult {
  const { probe, outcomes, index } = numbered;
  const { id, source, description, requests } = probe;
  const problems = problemsOf(numbered, replies, input);
  const result = {
    id,
    source,
    description,
    ok: problems.length === 0,
    request: requests.map(({ method, target }) => shown(`${method} ${target}`)).join(', '),
    expected: outcomes.map(outcomeText).join(', then '),
    got: replies.map(replyText).join(', then '),
    problems,
  };
  if (result.ok) return result;
  const bytes = requests.map((request, place) => requestBytes(request, index + place, input.setting.host));
  const sent = shown(Buffer.concat(bytes).toString('latin1'));
  return { ...result, sent, repeat: repeatLine(requests, index, input.address) };
}

async function sendOne(numbered: Numbered, connection: RawConnection, pace: Pace, input: RunInput) {
  const { probe, index, outcomes } = numbered;
  for (const outcome of outcomes) if (isObjection(outcome)) await pace.step();
  const bytes = probe.requests.map((request, place) => requestBytes(request, index + place, input.setting.host));
  const exchange = { bytes: Buffer.concat(bytes), methods: probe.requests.map(({ method }) => method) };
  const replies = await connection.send(exchange, probe.source === 'wire');
  await awaitEvents(numbered, replies, input);
  return replies;
}

const isSilence = (reply: Reply): boolean => reply.kind === 'broken' && reply.isTimeout;

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

/** One more objection, whose event comes behind all those that were written before it. */
async function fence(all: readonly Numbered[], index: number, input: RunInput): Promise<void> {
  const known = all.find(({ outcomes }) => outcomes.length === 1 && outcomes.every(isObjection));
  if (!known || !input.setting.policy.securityLog) return;
  const connection = openConnection(input.address);
  const pace = createPace(objectionsPerSecond, input.now);
  await sendOne({ ...known, index }, connection, pace, input);
  connection.close();
}

/** Sends everything and returns the report; @throws the reason of the signal when it is aborted. */
export async function runSuite(input: RunInput): Promise<SuiteReport> {
  const { setting, suite, signal, now, onProgress } = input;
  const started = now();
  const all = number(setting, suite.probes, input.firstIndex);
  const replies = new Map<Numbered, readonly Reply[]>();
  const queue = all.values();
  const pace = createPace(objectionsPerSecond, now);
  let failed = 0;
  let silences = 0;
  const work = async (): Promise<void> => {
    const connection = openConnection(input.address);
    try {
      for (const numbered of queue) {
        signal.throwIfAborted();
        replies.set(numbered, await sendOne(numbered, connection, pace, input));
        if (replies.get(numbered)?.some(isSilence) && ++silences === silencesBearable)
          throw silenceError(numbered, input);
        if (problemsOf(numbered, replies.get(numbered) ?? [], input).length > 0) failed += 1;
        if (isStep(replies.size, all.length)) onProgress({ done: replies.size, total: all.length, failed });
      }
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  await fence(all, input.firstIndex + all.reduce((sum, { probe }) => sum + probe.requests.length, 0), input);
  const results = all.map((numbered) => resultOf(numbered, replies.get(numbered) ?? [], input));
  return createReport(results, suite.skipped, now() - started);
}
