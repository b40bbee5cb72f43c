/** One run of the sandbox command with tcp-guard, from its file to the last removal. */
import { randomBytes } from 'node:crypto';
import type { Daemon } from '../../contract/daemon/schema.ts';
import { loadAny } from '../../contract/load/any.ts';
import { loadDaemon } from '../../contract/load/daemon.ts';
import type { Loaded } from '../../contract/load/problem.ts';
import { ConfigError, UsageError } from '../../platform/errors.ts';
import { generateDaemon } from '../generate/daemon.ts';
import { readSource } from '../input/source.ts';
import { runTcpSuite } from '../probes/tcp/run.ts';
import type { Context } from '../program/context.ts';
import { dryRun } from './dry-run.ts';
import { type Recipe, recipe } from './image.ts';
import { launch, type Sandbox } from './lifecycle.ts';
import { type MountedFiles, readMountedFiles } from './mounted-files.ts';
import type { SandboxLine } from './output.ts';
import { newSession, prepare, type SessionOptions, type Wanted } from './prepare.ts';
import { postReaper } from './reaper.ts';
import type { Reporter } from './reporter.ts';
import { passed, removedAfter, type SandboxResult, untilAborted, urlOf } from './session.ts';
import { planTcpGuard, type TcpPlan, tcpGuard } from './targets/tcp-guard.ts';

export interface TcpOptions {
  readonly daemon: Daemon;
  readonly mounted: MountedFiles;
  readonly action: SessionOptions['action'];
  /** Of the API; the services have those behind it. */
  readonly port: number;
  readonly isolated: boolean;
}

function checked<T>(loaded: Loaded<T>): T {
  if (!loaded.ok) throw new ConfigError(loaded);
  return loaded.value;
}

/**
 * The daemon's file, or the tcp part of a policy with its defaults.
 * @throws UsageError, ConfigError
 */
export async function readDaemon(file: string, context: Context): Promise<Pick<TcpOptions, 'daemon' | 'mounted'>> {
  const daemon = await daemonOf(file, context);
  return { daemon, mounted: await readMountedFiles(daemon, file, context) };
}

async function daemonOf(file: string, context: Context): Promise<Daemon> {
  const { name, bytes } = await readSource(file, context);
  const { format, loaded } = loadAny(bytes, name, context.env);
  if (format === 'daemon') return checked(loaded);
  const policy = checked(loaded);
  if (policy.tcp === undefined) {
    const hint = 'give a tcp-guard.yaml, or a policy with a tcp part';
    throw new UsageError(`${name} has no tcp part`, { code: 'no_tcp', hint });
  }
  return checked(loadDaemon(Buffer.from(generateDaemon(policy).text), name, context.env));
}

const token = (): string => randomBytes(24).toString('base64url');

/** Session, token and ports do not depend on the container runtime. */
function planner({ action, ...options }: TcpOptions): (made: Made, ipv6: boolean) => TcpPlan {
  const fixed = { ...options, token: token(), session: newSession() };
  const isTest = action === 'test';
  return ({ tag: image, lacksNative }, ipv6) =>
    planTcpGuard({ ...fixed, image, lacksNative, ipv6, isTest, detach: action === 'detach' });
}

type Made = Pick<Recipe, 'tag' | 'lacksNative'>;

function wantedOf({ action }: TcpOptions, { hostPorts }: TcpPlan): Wanted {
  const highest = hostPorts.at(-1) ?? 0;
  if (highest > 65_535) {
    const hint = `give a --port of at most ${65_535 - hostPorts.length + 1}`;
    throw new UsageError(`the services would need ports up to ${highest}`, { code: 'bad_port', hint });
  }
  return { target: tcpGuard, action, ports: hostPorts };
}

/** The plan as text, as `docker run -d` would have it. */
export async function describeTcpGuard(
  options: TcpOptions,
  reporter: Reporter,
  context: Context,
): Promise<SandboxResult> {
  const onLine = (line: string): void => reporter.tell({ kind: 'build', line });
  const made = await recipe(tcpGuard, { signal: context.signal, onLine });
  const script = await dryRun(planner({ ...options, action: 'detach' })(made, true), made);
  return { action: 'dry_run', target: tcpGuard.name, script };
}

interface Running {
  readonly options: TcpOptions;
  readonly plan: TcpPlan;
  readonly sandbox: Sandbox;
  readonly count: () => number;
  readonly named: { readonly target: string; readonly url: string; readonly notes: readonly string[] };
}

const tokenOf = ({ daemon }: TcpPlan): string => daemon.api.auth_token;

/** How to reach what was started; a suite knows it by itself. */
function places(plan: TcpPlan, { port, action }: TcpOptions): string[] {
  if (action === 'test') return [];
  return [
    `the API: curl -H 'Authorization: Bearer ${tokenOf(plan)}' ${urlOf(port)}/stats`,
    ...plan.services.map(({ name, config, hostPort }) => `${name} (${config.protocol}): localhost:${hostPort}`),
    ...plan.traps.map(({ listen, hostPort }) => `port_scan ${listen}: localhost:${hostPort}`),
    ...plan.intakes.map(({ source, hostPort }) => `lines for ${source.file}: localhost:${hostPort}`),
    ...(plan.decisions === undefined ? [] : [`decisions: ${urlOf(plan.decisions)}/v1/alerts and /v1/decisions`]),
  ];
}

async function test({ options, plan, sandbox, named }: Running, reporter: Reporter, { signal, now }: Context) {
  const onProgress = (suite: { done: number; total: number; failed: number }) =>
    reporter.tell({ kind: 'suite', suite });
  const suite = runTcpSuite({
    plan,
    port: options.port,
    token: tokenOf(plan),
    peer: sandbox.peer,
    signal,
    now,
    onProgress,
  });
  return { ...named, action: 'tested', report: await Promise.race([suite, sandbox.died]) } as const;
}

async function follow({ sandbox, named, count }: Running, { tell }: Reporter, { signal }: Context) {
  tell({ kind: 'serving', url: named.url });
  await Promise.race([untilAborted(signal), sandbox.died]);
  return { ...named, action: 'stopped', events: count() } as const;
}

type Use = (running: Running, reporter: Reporter, context: Context) => Promise<SandboxResult>;

const uses: Readonly<Record<TcpOptions['action'], Use>> = {
  test: (running, reporter, context) =>
    removedAfter(running, reporter, () => reporter.stage('probes', () => test(running, reporter, context), passed)),
  follow: (running, reporter, context) => removedAfter(running, reporter, () => follow(running, reporter, context)),
  detach: async ({ sandbox, named, plan }) => {
    sandbox.release();
    return { ...named, action: 'detached', container: plan.sandbox.spec.name };
  },
};

/**
 * Runs a sandbox to its end, or leaves it running for `detach`.
 * @throws ExternalError, UsageError, and whatever the signal of the context says; nothing is left then
 */
export async function runTcpGuard(options: TcpOptions, reporter: Reporter, context: Context): Promise<SandboxResult> {
  const plan = planner(options);
  const wanted = wantedOf(options, plan({ tag: '' }, true));
  try {
    const { containers, planned } = await prepare(wanted, plan, reporter, context);
    context.signal.throwIfAborted();
    const reaper = postReaper(planned.session, context.env);
    try {
      let count = 0;
      const take = (line: SandboxLine): void => {
        if (line.type !== 'security_event') return;
        count += 1;
        if (options.action === 'follow') reporter.tell({ kind: 'event', event: line });
      };
      const sandbox = await reporter.stage(
        'start',
        () => launch(planned, containers, take, context.signal),
        ({ readyMs }) => `ready ${readyMs} ms after the daemon was started`,
      );
      const notes = [...planned.notes, ...places(planned, options)];
      for (const text of notes) reporter.tell({ kind: 'note', text });
      const named = { target: tcpGuard.name, url: urlOf(options.port), notes };
      const running = { options, plan: planned, sandbox, count: () => count, named };
      return await uses[options.action](running, reporter, context);
    } finally {
      reaper.dismiss();
    }
  } finally {
    if (context.signal.aborted) reporter.tell({ kind: 'interrupted' });
  }
}
