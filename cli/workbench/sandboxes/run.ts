/** Runs the sandboxes that the workbench starts. At most one sandbox runs for each target. */
import { CleanupError } from '../../../platform/errors.ts';
import { defaultFile } from '../../input/source.ts';
import type { Context } from '../../program/context.ts';
import { messageOf } from '../../program/report.ts';
import type { Session, Update } from '../../sandbox/session/session.ts';
import { proxyNamed } from '../../targets/find.ts';
import type { TargetName } from '../../targets/table.ts';
import type { Action, State } from '../state.ts';
import type { Store } from '../store.ts';
import { recentActionOf } from './event-request.ts';
import type { Use } from './state.ts';

type Opened = Pick<Session<never, never>, 'run' | 'subscribe' | 'log'>;
/** Opens a session for a target. Replaced in tests. */
export type Open = (name: TargetName, use: Use, state: State, context: Context) => Promise<Opened>;

/** Imports the code of sandboxes at the first start. */
const openSession: Open = async (name, use, { policy: { policy, file }, sandboxes }, context) => {
  const port = sandboxes.rows.find((row) => row.name === name)?.port ?? 0;
  const { Session: Made } = await import('../../sandbox/session/session.ts');
  const proxy = proxyNamed(name);
  if (proxy) {
    const { proxyWork } = await import('../../sandbox/session/proxy.ts');
    return new Made(
      await proxyWork(proxy, { policy, action: use, port, upstream: undefined, isolated: false, passed: {} }, context),
      context,
    );
  }
  const { readDaemon, tcpGuardWork } = await import('../../sandbox/session/tcp-guard.ts');
  const read = await readDaemon(file.name ?? defaultFile, {}, context);
  return new Made(tcpGuardWork({ ...read, action: use, port, isolated: false }), context);
};

/** Milliseconds between two updates of elapsed times and logs. */
const tickMs = 500;

interface Run {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

export class Sandboxes {
  readonly #store: Store<State, Action>;
  readonly #context: Context;
  readonly #open: Open;
  readonly #runs = new Map<TargetName, Run>();
  /** The error for a sandbox that could not be removed. */
  #cleanupError: CleanupError | undefined;

  constructor(store: Store<State, Action>, context: Context, open: Open = openSession) {
    this.#store = store;
    this.#context = context;
    this.#open = open;
  }

  /** Starts the target. Does nothing while it runs. */
  start(name: TargetName, use: Use): void {
    if (this.#runs.has(name)) return;
    const controller = new AbortController();
    this.#store.dispatch({ kind: 'sandbox.started', name, use, at: this.#context.now() });
    const ended = this.#run(name, use, controller).finally(() => this.#runs.delete(name));
    this.#runs.set(name, { controller, ended });
  }

  stop(name: TargetName): void {
    this.#runs.get(name)?.controller.abort();
  }

  /** Resolves when all sandboxes are removed. @throws CleanupError when one remains */
  async close(): Promise<void> {
    const runs = [...this.#runs.values()];
    for (const { controller } of runs) controller.abort();
    await Promise.all(runs.map(({ ended }) => ended));
    if (this.#cleanupError) throw this.#cleanupError;
  }

  #onUpdate(name: TargetName, { event, state }: Update): void {
    const { dispatch } = this.#store;
    dispatch({ kind: 'sandbox.update', name, session: state });
    const action = event.kind === 'security' ? recentActionOf(name, event.event) : undefined;
    if (action) dispatch(action);
  }

  async #run(name: TargetName, use: Use, { signal }: AbortController): Promise<void> {
    const { dispatch } = this.#store;
    let timer: NodeJS.Timeout | undefined;
    try {
      const session = await this.#open(name, use, this.#store.state(), { ...this.#context, signal });
      session.subscribe((update) => this.#onUpdate(name, update));
      const tick = (): void => dispatch({ kind: 'sandbox.log', name, log: session.log(), now: this.#context.now() });
      timer = setInterval(tick, tickMs);
      const result = await session.run();
      tick();
      dispatch({ kind: 'sandbox.ended', name, report: result.action === 'tested' ? result.report : undefined });
    } catch (error) {
      if (error instanceof CleanupError) this.#cleanupError = error;
      const isStopped = signal.aborted && !(error instanceof CleanupError);
      dispatch({ kind: 'sandbox.ended', name, error: isStopped ? undefined : messageOf(error) });
    } finally {
      clearInterval(timer);
    }
  }
}
