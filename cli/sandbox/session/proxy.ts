/** What a sandbox session does for a proxy: plans the containers, and runs the probes or the cases of a suite. */

import { newSession } from '../../../containers/labels.ts';
import type { Policy } from '../../../contract/policy/schema.ts';
import { ownBans, sandboxBans } from '../../probes/bans.ts';
import { createEventLog, type EventLog } from '../../probes/events.ts';
import { createProbeSet, type ProbeSet } from '../../probes/probe-set.ts';
import type { ProbeProgress } from '../../probes/progress.ts';
import { createReport } from '../../probes/report.ts';
import { createEventPace, runProbes } from '../../probes/run.ts';
import { createSetting, isBypassed, type Setting } from '../../probes/setting.ts';
import { verdictVectors } from '../../probes/sources/vectors.ts';
import type { Context } from '../../program/context.ts';
import type { CaseProbes } from '../../suite/probes.ts';
import type { ProxyTarget } from '../../targets/table.ts';
import { type Plan, planSandbox } from '../plan/plan.ts';
import type { SandboxProxy } from '../plan/proxy.ts';
import type { Passed } from '../plan/variables.ts';
import { loadSandbox } from '../targets/index.ts';
import { urlOf } from './result.ts';
import type { Action, ProbeContext, Work } from './work.ts';

export interface ProxyOptions {
  readonly policy: Policy;
  readonly action: Action;
  readonly port: number;
  readonly upstream: URL | undefined;
  /** True with `--isolated`. Most sandboxes for probes are isolated anyway. */
  readonly isolated: boolean;
  /** Sandbox to use instead of that of the target. */
  readonly variant?: SandboxProxy | undefined;
  readonly passed: Passed;
  /** The list of `--ban-list`. */
  readonly bans?: Buffer | undefined;
  /** The cases of `--suite`, which replace the probes. */
  readonly cases?: CaseProbes;
}

/** Probes need a network only for a backend of the user, and in mode proxy. */
const isIsolated = ({ policy, action, upstream, isolated }: ProxyOptions): boolean =>
  isolated || (action === 'test' && upstream === undefined && policy.response.mode !== 'proxy');

function bypassNotes(setting: Setting): readonly string[] {
  if (!isBypassed(setting)) return [];
  return [`allowedIps holds ${setting.peer}, the client address of this machine in the sandbox: all its requests pass`];
}

async function runBrowserProbes(port: number, setting: Setting, { probes }: ProbeSet, { env, signal }: ProbeContext) {
  const { runBrowser } = await import('../../probes/browser/run.ts');
  const requests = probes.flatMap((probe) => probe.requests);
  return runBrowser({ setting, origin: urlOf(port), probeRequests: requests, env, signal });
}

interface Probes {
  readonly setting: Setting;
  /** Empty unless the session sends probes. */
  readonly probeSet: ProbeSet;
}

const noProbes: ProbeSet = { probes: [], skipped: [] };

/**
 * Returns the probes of the session. Also computes the outcome of each request, so that this happens while the proxy
 * starts.
 */
function probeSetFor(setting: Setting, { cases }: ProxyOptions, env: Context['env']): ProbeSet {
  if (cases) return cases.probeSet(setting);
  // Tests of the command line skip the conformance data, which takes most of the time.
  const probeSet = createProbeSet(setting, env.GUARD_TEST_VECTORS === 'none' ? [] : verdictVectors());
  for (const { requests } of probeSet.probes) requests.forEach(setting.outcome);
  return probeSet;
}

async function runAllProbes(
  { port, upstream, cases }: ProxyOptions,
  events: EventLog,
  { setting, probeSet }: Probes,
  onProgress: (progress: ProbeProgress) => void,
  context: ProbeContext,
) {
  const { now, signal } = context;
  const started = now();
  const run = runProbes({
    ...{ setting, probeSet, events, signal, now, onProgress },
    address: { host: '127.0.0.1', port },
    echoes: upstream === undefined,
    firstIndex: 0,
    pace: createEventPace(now),
  });
  if (cases) return cases.checked(await run);
  const [raw, browser] = await Promise.all([run, runBrowserProbes(port, setting, probeSet, context)]);
  const results = [...raw.results, ...browser.results];
  return createReport(results, [...raw.skipped, ...browser.skipped], now() - started);
}

export async function proxyWork(
  target: ProxyTarget,
  options: ProxyOptions,
  { env, now }: Context,
): Promise<Work<Plan, Probes>> {
  const [model, proxy] = await Promise.all([target.loadHost(), options.variant ?? loadSandbox(target.name)]);
  const { policy, port, upstream, passed, bans: given } = options;
  const [isolated, stubs] = [isIsolated(options), options.action === 'test'];
  const session = newSession();
  const events = createEventLog();
  const hasProbes = options.action === 'test' && options.cases === undefined;
  const bans = given ? sandboxBans(given) : ownBans(hasProbes, now());
  return {
    target,
    ...{ action: options.action, port, onLine: events.onLine },
    image: proxy,
    ports: () => [port],
    plan: ({ tag: image }, ipv6, action) =>
      planSandbox({
        ...{ target: proxy, image, session, ipv6, upstream, isolated, stubs, passed },
        bans: bans.file,
        detach: action === 'detach',
        sites: [{ policy, hostPort: port }],
      }),
    createProbes: (peer) => {
      const setting = createSetting({ policy, model, host: `localhost:${port}`, peer, bans });
      return { setting, probeSet: options.action === 'test' ? probeSetFor(setting, options, env) : noProbes };
    },
    notes: ({ plan, sandbox: { probes } }) => [...plan.notes, ...bypassNotes(probes.setting)],
    test: ({ sandbox: { probes } }, onProgress, context) => runAllProbes(options, events, probes, onProgress, context),
  };
}
