/** Runs the probes of a tcp-guard sandbox one after another. */

import { printable } from '../../../platform/escape.ts';
import type { Skipped } from '../probe.ts';
import { tcpSources } from '../probe.ts';
import { initialProgress, type ProbeProgress, withProbe } from '../progress.ts';
import { createReport, type ProbeReport, type ProbeResult } from '../report.ts';
import { createAddresses } from './addresses.ts';
import { createApi } from './api.ts';
import { apiProbes } from './api-probes.ts';
import { banProbes } from './bans.ts';
import { Client } from './client.ts';
import { externalBanProbes } from './external-bans.ts';
import { type Lab, type TcpProbe, Unsuitable } from './probe.ts';
import { proxyHeader } from './proxy-header.ts';
import { type PublishedDaemon, probeService } from './published.ts';
import { relayProbes, serviceProbes } from './services.ts';

export interface TcpRun {
  readonly plan: PublishedDaemon;
  readonly port: number;
  readonly token: string;
  readonly peer?: string;
  /** Milliseconds for a reply. The default is long enough for a busy machine. */
  readonly patienceMs?: number;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly onProgress: (progress: ProbeProgress) => void;
}

const defaultPatienceMs = 15_000;

function orUnsuitable<T>(value: T | undefined, why: string): T {
  if (value === undefined) throw new Unsuitable(why);
  return value;
}

/** Creates the lab for the probes. `used` collects every connection that a probe opens. */
function createLab({ plan, port, token, peer, patienceMs = defaultPatienceMs }: TcpRun, used: Client[]): Lab {
  const { services, daemon } = plan;
  const addresses = createAddresses(daemon, plan.countryOf);
  const plain = services.find(({ name }) => name === probeService);
  if (!plain) throw new Error(`the sandbox has no ${probeService}`);
  let source = 1024;
  const open = (hostPort: number, first: Buffer): Client => {
    const client = new Client(hostPort, first, patienceMs);
    used.push(client);
    return client;
  };
  return {
    ...{ api: createApi(port, token, patienceMs), daemon, services, plain, peer, patienceMs },
    connect: ({ hostPort }, ip, version = 'v1') => {
      source += 1;
      return open(hostPort, ip === '' ? Buffer.alloc(0) : proxyHeader(ip, source, version));
    },
    dial: (hostPort, first = '') => open(hostPort, Buffer.from(first)),
    nextAllowedAddress: ({ config, policy }) =>
      orUnsuitable(addresses.nextAllowed(config, policy), 'no allowed address can be banned'),
    nextDeniedAddress: ({ config }) => orUnsuitable(addresses.nextDenied(config), 'the filters refuse no address'),
    nextGeoBlockedAddress: ({ config }) =>
      orUnsuitable(addresses.nextGeoBlocked(config), 'the country lists refuse no address'),
  };
}

async function runProbe(
  { id, source, description, expected, run }: TcpProbe,
  lab: Lab,
): Promise<ProbeResult | Skipped> {
  try {
    const problem = await run(lab);
    const ok = problem === undefined;
    const row = { id, source, description, ok, request: description, expected };
    return { ...row, got: ok ? expected : printable(problem), problems: ok ? [] : [problem] };
  } catch (error) {
    if (error instanceof Unsuitable) return { id, source, reason: error.message };
    const problem = (error as Error).message;
    const row = { id, source, description, ok: false, request: description, expected };
    return { ...row, got: printable(problem), problems: [problem] };
  }
}

/** Runs the probes and returns their report. @throws the reason of the signal when it is aborted */
export async function runTcpProbes(input: TcpRun): Promise<ProbeReport> {
  const { plan, signal, now, onProgress } = input;
  const started = now();
  const used: Client[] = [];
  const lab = createLab(input, used);
  const own = plan.services.filter((service) => service !== lab.plain);
  const probes = [...relayProbes, ...serviceProbes(own), ...banProbes, ...externalBanProbes(plan), ...apiProbes];
  const results: ProbeResult[] = [];
  const skipped: Skipped[] = [];
  let progress = initialProgress(probes.length);
  for (const probe of probes) {
    signal.throwIfAborted();
    const row = await runProbe(probe, lab);
    if ('reason' in row) skipped.push(row);
    else results.push(row);
    for (const client of used.splice(0)) client.close();
    progress = withProbe(progress, 'reason' in row ? { id: row.id, ok: true, request: row.reason } : row);
    onProgress(progress);
  }
  return createReport(results, skipped, now() - started, tcpSources);
}
