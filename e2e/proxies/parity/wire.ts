/** Each request must get the verdict that the engine predicts with its model of the proxy. */

import { isSkipped, type Probe, type ProbeRequest, type Skipped } from '../../../cli/probes/probe.ts';
import type { ProbeSet } from '../../../cli/probes/probe-set.ts';
import { failuresText } from '../../../cli/probes/report.ts';
import type { Setting } from '../../../cli/probes/setting.ts';
import { plain } from '../../../cli/program/paint.ts';
import { minimize } from '../../../conformance/differential/minimize.ts';
import type { Question } from '../../../conformance/differential/protocol.ts';
import type { Served } from '../policies.ts';
import { probeOf } from './questions.ts';

/** Maximum number of questions in a probe set. The results of the set stay in memory until it ends. */
const probeSetSize = 2000;
const shownDifferences = 10;
/** Longer questions, as JSON, are not minimized: the minimizer sends a variant for each character. */
const longestMinimised = 4096;

export interface WireCounts {
  sent: number;
  blocked: number;
  /** Requests that the proxy refuses according to its model. */
  refused: number;
  /** Requests whose target the proxy changes according to its model. */
  changed: number;
  /** Questions that no client can send. */
  skipped: number;
  different: number;
}

export interface WireReport {
  readonly counts: WireCounts;
  /** Minimized differences. */
  readonly shown: readonly string[];
}

function probeSetOf(questions: readonly Question[], { setting }: Served): { probeSet: ProbeSet; sent: Question[] } {
  const rows = questions.map((question, index) => probeOf(question, setting, `question:${index}`));
  const probeSet = {
    probes: rows.filter((row): row is Probe => !isSkipped(row)),
    skipped: rows.filter((row): row is Skipped => isSkipped(row)),
  };
  return { probeSet, sent: questions.filter((_, index) => !isSkipped(rows[index] as Probe | Skipped)) };
}

/** Returns which questions get another verdict than expected. A question that cannot be sent does not differ. */
async function whichDiffer(questions: readonly Question[], served: Served): Promise<boolean[]> {
  const { probeSet } = probeSetOf(questions, served);
  const report = await served.send(probeSet);
  const wrong = new Set(report.results.filter(({ ok }) => !ok).map(({ id }) => id));
  return questions.map((_, index) => wrong.has(`question:${index}`));
}

const smallestOf = async (question: Question, served: Served): Promise<Question> =>
  JSON.stringify(question).length > longestMinimised
    ? question
    : minimize(question, (questions) => whichDiffer(questions, served));

async function textOf(smallest: Question, served: Served): Promise<string> {
  const report = await served.send(probeSetOf([smallest], served).probeSet);
  return `line      ${JSON.stringify(smallest)}\npolicy    ${JSON.stringify(served.policy)}\n${failuresText(report, plain)}`;
}

async function sendAll(
  questions: readonly Question[],
  served: Served,
  { counts, shown }: { counts: WireCounts; shown: Map<string, string> },
): Promise<void> {
  for (let start = 0; start < questions.length; start += probeSetSize) {
    const { probeSet, sent } = probeSetOf(questions.slice(start, start + probeSetSize), served);
    const report = await served.send(probeSet);
    counts.skipped += probeSet.skipped.length;
    for (const [index, { ok }] of report.results.entries()) {
      const { setting } = served;
      const request = probeSet.probes[index]?.requests[0];
      if (request) countOutcome(counts, setting, request);
      if (ok) continue;
      counts.different += 1;
      if (shown.size === shownDifferences) continue;
      const smallest = await smallestOf(sent[index] as Question, served);
      const line = JSON.stringify(smallest);
      if (!shown.has(line)) shown.set(line, await textOf(smallest, served));
    }
  }
}

function countOutcome(counts: WireCounts, { outcome, received }: Setting, request: ProbeRequest): void {
  const { kind } = outcome(request);
  const sent = received(request);
  counts.sent += 1;
  if (kind === 'refused') counts.refused += 1;
  if (kind === 'blocked') counts.blocked += 1;
  if (sent.kind === 'passed' && sent.target !== request.target) counts.changed += 1;
}

/** Sends the questions policy by policy, because the guard limits its events per second. */
export async function compareOnWire(questions: readonly Question[], sites: readonly Served[]): Promise<WireReport> {
  const counts: WireCounts = { sent: 0, blocked: 0, refused: 0, changed: 0, skipped: 0, different: 0 };
  const shown = new Map<string, string>();
  const byPolicy = Map.groupBy(questions, ({ q }) => q);
  for (const [index, served] of sites.entries()) await sendAll(byPolicy.get(index) ?? [], served, { counts, shown });
  return { counts, shown: [...shown.values()] };
}
