/** One run of the sandbox command, from the policy to the last removal. */

import { UsageError } from '../../platform/errors.ts';
import { createEventLog, type EventLog } from '../probes/events.ts';
import { createReport, type SuiteReport } from '../probes/report.ts';
import { createObjectionPace, runSuite } from '../probes/run.ts';
import { createSetting, isBypassed, type Setting } from '../probes/setting.ts';
import { verdictVectors } from '../probes/sources/vectors.ts';
import { createSuite, type Suite } from '../probes/suite.ts';
import type { Context } from '../program/context.ts';
import type { Containers } from './containers.ts';
import { dryRun } from './dry-run.ts';
import { type Recipe, recipe } from './image.ts';
import { afterCleaning, launch, type Sandbox } from './lifecycle.ts';
import type { SandboxLine } from './output.ts';
import { missingVariables, type Plan } from './plan.ts';
import { planOf, prepare, type SessionOptions } from './prepare.ts';
import { postReaper } from './reaper.ts';
import type { Reporter } from './reporter.ts';

interface Named {
  readonly target: string;
  readonly url: string;
  /** What the user has to know about this sandbox. */
  readonly notes: readonly string[];
}

/** What the command prints with `--json`. */
export type SandboxResult =
  | { readonly action: 'dry_run'; readonly target: string; readonly script: string }
  | (Named & { readonly action: 'detached'; readonly container: string })
  | (Named & { readonly action: 'stopped'; readonly events: number })
  | (Named & { readonly action: 'tested'; readonly report: SuiteReport });

export const urlOf = (port: number): string => `http://localhost:${port}`;

/** The plan as text. Needs no runtime: only what is compiled is made, so that the text works when pasted. */
export async function describeSandbox(
  options: SessionOptions,
  reporter: Reporter,
  context: Context,
): Promise<SandboxResult> {
  const onLine = (line: string): void => reporter.tell({ kind: 'build', line });
  const made = await recipe(options.target, { signal: context.signal, onLine });
  // As with `docker run -d`: nobody holds what is pasted.
  const script = await dryRun(planOf({ ...options, action: 'detach' }, made.tag, true, context), made);
  return { action: 'dry_run', target: options.target.name, script };
}

/** Lines of the sandbox as news, except for the runner's own. */
function tellLine({ tell }: Reporter): (line: SandboxLine) => void {
  return (line) => {
    if (line.type === 'guard_block' || line.type === 'guard_detect') tell({ kind: 'event', event: line });
    else if (line.type === 'guard_block_summary') tell({ kind: 'summary', count: line.count });
  };
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

interface Running {
  readonly options: SessionOptions;
  readonly sandbox: Sandbox;
  readonly container: string;
  readonly setting: Setting;
  /** Empty unless it is tested. */
  readonly suite: Suite;
  readonly events: EventLog;
  /** Requests that were reported so far. */
  readonly count: () => number;
  readonly named: Named;
}

function bypassNote(setting: Setting): readonly string[] {
  if (!isBypassed(setting)) return [];
  return [
    `allowedIps holds ${setting.peer}, the address that this machine has in the sandbox: all it sends is let through`,
  ];
}

/** The probes of a browser, whose code is only loaded here. */
async function watched({ port }: SessionOptions, setting: Setting, { probes }: Suite, { env, signal }: Context) {
  const { runBrowser } = await import('../probes/browser/run.ts');
  const known = probes.flatMap(({ requests }) => requests);
  return runBrowser({ setting, origin: urlOf(port), known, env, signal });
}

/** The suite with the outcome of each request, which the setting remembers. */
function prepareSuite(setting: Setting): Suite {
  const suite = createSuite(setting, verdictVectors());
  for (const { requests } of suite.probes) requests.forEach(setting.outcome);
  return suite;
}

async function test(
  { options, sandbox, setting, suite, events, named }: Running,
  reporter: Reporter,
  context: Context,
) {
  const started = context.now();
  const ended = new AbortController();
  const signal = AbortSignal.any([context.signal, ended.signal]);
  const address = { host: '127.0.0.1', port: options.port };
  const run = runSuite({
    ...{ setting, suite, address, events },
    echoes: options.upstream === undefined,
    firstIndex: 0,
    signal,
    now: context.now,
    pace: createObjectionPace(context.now),
    onProgress: (progress) => reporter.tell({ kind: 'suite', suite: progress }),
  });
  const both = Promise.all([run, watched(options, setting, suite, { ...context, signal })]);
  const [raw, seen] = await Promise.race([both, sandbox.died]).finally(() => ended.abort());
  const report = createReport(
    [...raw.results, ...seen.results],
    [...raw.skipped, ...seen.skipped],
    context.now() - started,
  );
  return { ...named, action: 'tested', report } as const;
}

async function follow({ sandbox, named, count }: Running, { tell }: Reporter, { signal }: Context) {
  tell({ kind: 'serving', url: named.url });
  await Promise.race([untilAborted(signal), sandbox.died]);
  return { ...named, action: 'stopped', events: count() } as const;
}

/** Removes the sandbox behind the work, whatever becomes of it. */
export async function removedAfter<T>(
  { sandbox }: Pick<Running, 'sandbox'>,
  reporter: Reporter,
  work: () => Promise<T>,
): Promise<T> {
  const remove = (): Promise<void> => reporter.stage('remove', sandbox.stop, () => '');
  const result = await work().catch(async (error: unknown) => {
    throw await afterCleaning(remove, error);
  });
  await remove();
  return result;
}

type Use = (running: Running, reporter: Reporter, context: Context) => Promise<SandboxResult>;

export const passed = ({ report: { counts } }: { report: SuiteReport }): string =>
  `${counts.passed} passed, ${counts.failed} failed`;

const uses: Readonly<Record<SessionOptions['action'], Use>> = {
  test: (running, reporter, context) =>
    removedAfter(running, reporter, () => reporter.stage('probes', () => test(running, reporter, context), passed)),
  follow: (running, reporter, context) => removedAfter(running, reporter, () => follow(running, reporter, context)),
  detach: async ({ sandbox, named, container }) => {
    sandbox.release();
    return { ...named, action: 'detached', container };
  },
};

const noSuite: Suite = { probes: [], skipped: [] };

/** Starts the planned sandbox, and says what has to be known about it. */
async function begin(
  planned: Plan,
  options: SessionOptions,
  containers: Containers,
  reporter: Reporter,
  { signal }: Context,
): Promise<Running> {
  const { target, policy, port, action } = options;
  const events = createEventLog();
  const tell = action === 'follow' ? tellLine(reporter) : () => {};
  let count = 0;
  const take = (line: SandboxLine): void => {
    events.take(line);
    tell(line);
    if (line.type === 'guard_block_summary') count += line.count;
    else if (line.type === 'guard_block' || line.type === 'guard_detect') count += 1;
  };
  const prepare = (peer: string) => {
    const setting = createSetting({ policy, model: target.host, host: `localhost:${port}`, peer });
    return { setting, suite: action === 'test' ? prepareSuite(setting) : noSuite };
  };
  const sandbox = await reporter.stage(
    'start',
    () => launch(planned, containers, take, signal, prepare),
    ({ readyMs }) => `ready ${readyMs} ms after the proxy was started`,
  );
  const { setting, suite } = sandbox.prepared;
  const notes = [...planned.notes, ...bypassNote(setting)];
  for (const text of notes) reporter.tell({ kind: 'note', text });
  const named = { target: target.name, url: urlOf(port), notes };
  const container = planned.sandbox.spec.name;
  return { options, sandbox, container, setting, suite, events, count: () => count, named };
}

function refuseMissing({ policy }: SessionOptions, { env }: Context): void {
  const [name] = missingVariables(policy, env);
  if (name === undefined) return;
  throw new UsageError(`the policy reads \${${name}}, which is not set here`, {
    code: 'variable_unset',
    hint: `set it for this command: ${name}=... guardcli sandbox ...`,
  });
}

/**
 * Runs a sandbox to its end, or leaves it running for `detach`.
 * @throws UsageError, ExternalError, and whatever the signal of the context says; nothing is left then
 */
export async function runSandbox(
  options: SessionOptions,
  reporter: Reporter,
  context: Context,
): Promise<SandboxResult> {
  refuseMissing(options, context);
  try {
    const { target, action, port } = options;
    const plan = ({ tag }: Recipe, ipv6: boolean): Plan => planOf(options, tag, ipv6, context);
    const { containers, planned } = await prepare({ target, action, ports: [port] }, plan, reporter, context);
    context.signal.throwIfAborted();
    const reaper = postReaper(planned.session, context.env);
    try {
      const running = await begin(planned, options, containers, reporter, context);
      return await uses[options.action](running, reporter, context);
    } finally {
      reaper.dismiss();
    }
  } finally {
    if (context.signal.aborted) reporter.tell({ kind: 'interrupted' });
  }
}
