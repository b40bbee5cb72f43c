/** The work of a session for a proxy with a policy. */
import type { Policy } from '../../../contract/policy/schema.ts';
import { createEventLog, type EventLog } from '../../probes/events.ts';
import { createReport } from '../../probes/report.ts';
import { createObjectionPace, runProbes, type SuiteProgress } from '../../probes/run.ts';
import { createSetting, isBypassed, type Setting } from '../../probes/setting.ts';
import { verdictVectors } from '../../probes/sources/vectors.ts';
import { createProbeSet, type ProbeSet } from '../../probes/suite.ts';
import type { Context } from '../../program/context.ts';
import type { CaseProbes } from '../../suite/probes.ts';
import type { ProxyTarget } from '../../targets/table.ts';
import { type Plan, planSandbox } from '../plan/plan.ts';
import type { Passed } from '../plan/variables.ts';
import { newSession } from './prepare.ts';
import { urlOf } from './result.ts';
import type { Action, SuiteWorld, Work } from './work.ts';

export interface ProxyOptions {
  readonly policy: Policy;
  readonly action: Action;
  readonly port: number;
  readonly upstream: URL | undefined;
  /** Also without a suite. */
  readonly isolated: boolean;
  /** Whether the guard is compiled into the proxy, where its target has both variants. */
  readonly compiled?: boolean;
  readonly passed: Passed;
  /** Sent instead of the probes. */
  readonly cases?: CaseProbes;
}

/** A suite needs no network, except for a backend of the user and for the target of mode proxy. */
const isIsolated = ({ policy, action, upstream, isolated }: ProxyOptions): boolean =>
  isolated || (action === 'test' && upstream === undefined && policy.response.mode !== 'proxy');

function bypassNotes(setting: Setting): readonly string[] {
  if (!isBypassed(setting)) return [];
  return [`allowedIps holds ${setting.peer}, the client address of this machine in the sandbox: all its requests pass`];
}

/** Plays the browser probes, whose code is imported only here. */
async function browse(port: number, setting: Setting, { probes }: ProbeSet, { env, signal }: SuiteWorld) {
  const { runBrowser } = await import('../../probes/browser/run.ts');
  const known = probes.flatMap(({ requests }) => requests);
  return runBrowser({ setting, origin: urlOf(port), known, env, signal });
}

interface Prepared {
  readonly setting: Setting;
  /** Empty unless the session runs a suite. */
  readonly suite: ProbeSet;
}

const noSuite: ProbeSet = { probes: [], skipped: [] };

/** The suite, with the expected outcome of each request cached in the setting. */
function prepareSuite(setting: Setting, { cases }: ProxyOptions, env: Context['env']): ProbeSet {
  if (cases) return cases.suite(setting);
  // Tests of the command line skip the conformance data, which takes most of the time.
  const suite = createProbeSet(setting, env.GUARD_TEST_VECTORS === 'none' ? [] : verdictVectors());
  for (const { requests } of suite.probes) requests.forEach(setting.outcome);
  return suite;
}

/** Runs the raw probes and the browser probes in parallel. */
async function test(
  { port, upstream, cases }: ProxyOptions,
  events: EventLog,
  { setting, suite }: Prepared,
  onProgress: (progress: SuiteProgress) => void,
  world: SuiteWorld,
) {
  const { now, signal } = world;
  const started = now();
  const run = runProbes({
    ...{ setting, suite, events, signal, now, onProgress },
    address: { host: '127.0.0.1', port },
    echoes: upstream === undefined,
    firstIndex: 0,
    pace: createObjectionPace(now),
  });
  if (cases) return cases.checked(await run);
  const [raw, seen] = await Promise.all([run, browse(port, setting, suite, world)]);
  const results = [...raw.results, ...seen.results];
  return createReport(results, [...raw.skipped, ...seen.skipped], now() - started);
}

export async function proxyWork(
  target: ProxyTarget,
  options: ProxyOptions,
  { env }: Context,
): Promise<Work<Plan, Prepared>> {
  const load = (options.compiled && target.loadCompiled) || target.loadSandbox;
  const [model, proxy] = await Promise.all([target.loadHost(), load()]);
  const { policy, port, upstream, passed } = options;
  const [isolated, stubs] = [isIsolated(options), options.action === 'test'];
  const session = newSession();
  const events = createEventLog();
  return {
    target,
    ...{ action: options.action, port, take: events.take },
    parts: proxy,
    ports: () => [port],
    plan: ({ tag: image }, ipv6, action) =>
      planSandbox({
        ...{ target: proxy, image, session, ipv6, upstream, isolated, stubs, passed },
        detach: action === 'detach',
        sites: [{ policy, hostPort: port }],
      }),
    prepare: (peer) => {
      const setting = createSetting({ policy, model, host: `localhost:${port}`, peer });
      return { setting, suite: options.action === 'test' ? prepareSuite(setting, options, env) : noSuite };
    },
    notes: ({ plan, sandbox: { prepared } }) => [...plan.notes, ...bypassNotes(prepared.setting)],
    test: ({ sandbox: { prepared } }, onProgress, world) => test(options, events, prepared, onProgress, world),
  };
}
