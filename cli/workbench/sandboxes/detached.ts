import type { Containers } from '../../../containers/containers.ts';
import { detachedLabel } from '../../../containers/labels.ts';
import type { Context } from '../../program/context.ts';
import { type ListedSandbox, sandboxesOf } from '../../sandbox/session/listed.ts';
import { advanceState, initialSession, type SessionEvent, type SessionState } from '../../sandbox/session/state.ts';
import { poll } from '../poll.ts';
import type { Action, State } from '../state.ts';
import type { Store } from '../store.ts';
import { recentActionOf } from './event-request.ts';

const pollMs = 2000;
const earlierLines = 500;

/** Connects to the container runtime. Replaced in tests. */
export type Connect = (env: Context['env'], signal: AbortSignal) => Promise<Containers>;

const connectRuntime: Connect = async (env, signal) => {
  const [{ connect, diskFiles }, { open }] = await Promise.all([
    import('../../../containers/connect.ts'),
    import('../../../containers/docker.ts'),
  ]);
  return connect(env, diskFiles, open, signal);
};

function servingState({ target, port }: ListedSandbox): SessionState {
  const url = port === undefined ? '' : `${target === 'tcp-guard' ? '' : 'http://'}localhost:${port}`;
  const events: readonly SessionEvent[] = [
    { kind: 'stage', stage: { name: 'start', state: 'done', milliseconds: 0, detail: 'before, with --detach' } },
    { kind: 'ready', target, url, notes: [] },
    { kind: 'following', url },
  ];
  return events.reduce(advanceState, initialSession);
}

export class DetachedSandboxes {
  readonly #store: Store<State, Action>;
  readonly #context: Context;
  readonly #connect: Connect;
  readonly #ended = new AbortController();
  /** Followed containers by id. */
  readonly #followed = new Map<string, AbortController>();
  #containers: Promise<Containers> | undefined;
  #isOpen = false;

  constructor(store: Store<State, Action>, context: Context, connect: Connect = connectRuntime) {
    this.#store = store;
    this.#context = context;
    this.#connect = connect;
  }

  /** Starts to list sandboxes. Only the first call has an effect. */
  open(): void {
    if (this.#isOpen || this.#ended.signal.aborted) return;
    this.#isOpen = true;
    void poll(() => this.#refreshIfShown(), pollMs, this.#ended.signal);
  }

  /** Ends listing and following. The sandboxes continue to run. */
  close(): void {
    this.#ended.abort();
  }

  async remove(session: string): Promise<void> {
    const { removeSession } = await import('../../sandbox/session/lifecycle.ts');
    await removeSession(await this.#runtime(), session);
    await this.#refresh();
  }

  #runtime(): Promise<Containers> {
    this.#containers ??= this.#connect(this.#context.env, this.#ended.signal);
    return this.#containers;
  }

  async #refreshIfShown(): Promise<void> {
    if (this.#store.state().screen === 'sandboxes') await this.#refresh();
  }

  async #refresh(): Promise<void> {
    const { dispatch } = this.#store;
    try {
      const rows = sandboxesOf(
        await (await this.#runtime()).list('container', detachedLabel, { signal: this.#ended.signal }),
      );
      dispatch({ kind: 'sandbox.detached', rows });
      this.#forget(rows);
      for (const row of rows) if (!this.#followed.has(row.id)) void this.#follow(row);
    } catch (error) {
      this.#containers = undefined; // another container runtime may respond next time
      if (!this.#ended.signal.aborted) dispatch({ kind: 'sandbox.unlisted', reason: (error as Error).message });
    }
  }

  #forget(rows: readonly ListedSandbox[]): void {
    for (const [id, controller] of this.#followed) {
      if (rows.some((row) => row.id === id)) continue;
      controller.abort();
      this.#followed.delete(id);
    }
  }

  async #follow(row: ListedSandbox): Promise<void> {
    const { dispatch } = this.#store;
    const controller = new AbortController();
    this.#followed.set(row.id, controller);
    const signal = AbortSignal.any([controller.signal, this.#ended.signal]);
    let session = servingState(row);
    const onEvent = (event: SessionEvent): void => {
      session = advanceState(session, event);
      dispatch({ kind: 'sandbox.update', name: row.name, session });
    };
    dispatch({ kind: 'sandbox.update', name: row.name, session });
    try {
      const { readOutput } = await import('../../sandbox/session/output.ts');
      const { stdout, stderr } = await (await this.#runtime()).follow(row.id, earlierLines, signal);
      const { tail } = readOutput(stdout, stderr, (line) => {
        if (line.type === 'guard_block_summary') onEvent({ kind: 'suppressed', count: line.count });
        else if (line.type !== 'sandbox_ready' && line.type !== 'sandbox_exit') {
          onEvent({ kind: 'security', event: line });
          const action = recentActionOf(row.name, line);
          if (action) dispatch(action);
        }
      });
      const show = () => dispatch({ kind: 'sandbox.log', name: row.name, log: [...tail], now: this.#context.now() });
      await poll(show, pollMs, signal);
    } catch {
      this.#followed.delete(row.id); // the next query follows it again, or no longer lists it
    }
  }
}
