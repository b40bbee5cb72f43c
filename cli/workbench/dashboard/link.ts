/** Loads the dashboards and the state of the stack while the screen is shown. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from '../../dashboard/watch/session.ts';
import type { Key } from '../../dashboard/watch/state.ts';
import type { Context } from '../../program/context.ts';
import type { Action, State } from '../state.ts';
import type { Store } from '../store.ts';

/** Time between two queries of the container runtime. */
const statusMs = 5000;

export class DashboardLink {
  readonly #store: Store<State, Action>;
  readonly #context: Context;
  readonly #ended = new AbortController();
  #session: Session | undefined;
  #isOpen = false;

  constructor(store: Store<State, Action>, context: Context) {
    this.#store = store;
    this.#context = context;
  }

  /** Begins, or goes on after another screen was shown. */
  open(): void {
    if (this.#isOpen || this.#ended.signal.aborted) return;
    this.#isOpen = true;
    const shown = new AbortController();
    const signal = AbortSignal.any([shown.signal, this.#ended.signal]);
    const leave = this.#store.subscribe(() => {
      if (this.#store.state().screen !== 'dashboard') shown.abort();
    });
    const report = (error: Error): void => {
      if (!signal.aborted) this.#store.dispatch({ kind: 'dashboard.problem', problem: error.message });
    };
    Promise.all([this.#watch(signal).catch(report), this.#status(signal).catch(report)]).finally(() => {
      leave();
      this.#isOpen = false;
      // The screen was shown again before the work had ended.
      if (this.#store.state().screen === 'dashboard') this.open();
    });
  }

  close(): void {
    this.#ended.abort();
  }

  press(key: Key): void {
    this.#session?.press(key);
  }

  /** Imports the code of dashboards when they are shown for the first time. */
  async #create(): Promise<Session> {
    const [{ Session: Made }, { initial }, { findBoards }, options, { folderOf, urlOf }, browser] = await Promise.all([
      import('../../dashboard/watch/session.ts'),
      import('../../dashboard/watch/state.ts'),
      import('../../dashboard/boards/find.ts'),
      import('../../dashboard/loki/options.ts'),
      import('../../dashboard/stack/settings.ts'),
      import('../../dashboard/watch/browser.ts'),
    ]);
    const context = this.#context;
    const settings = options.settingsOf({}, context);
    const grafana = urlOf(settings, 'grafana');
    return new Made(initial(findBoards(folderOf(undefined, context)), 0, undefined), {
      ...{ address: urlOf(settings, 'loki'), now: context.now, columns: () => context.stdout.columns ?? 80 },
      open: (state) => browser.openInBrowser(browser.urlOfBoard(grafana, state), context),
    });
  }

  async #watch(signal: AbortSignal): Promise<void> {
    this.#session ??= await this.#create();
    for await (const watch of this.#session.frames(signal)) this.#store.dispatch({ kind: 'dashboard.watch', watch });
  }

  async #status(signal: AbortSignal): Promise<void> {
    const [{ status }, { folderOf }] = await Promise.all([
      import('../../dashboard/stack/status.ts'),
      import('../../dashboard/stack/settings.ts'),
    ]);
    const context = { ...this.#context, signal };
    while (!signal.aborted) {
      const { services } = await status({ dir: folderOf(undefined, context), showPassword: false }, context);
      this.#store.dispatch({ kind: 'dashboard.services', services });
      await sleep(statusMs, undefined, { signal }).catch(() => {});
    }
  }
}
