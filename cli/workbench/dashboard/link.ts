/** Connects the screen to the dashboards and the stack. Loads data only while the screen is shown. */
import type { FrameSize } from '../../dashboard/watch/frame.ts';
import type { Session } from '../../dashboard/watch/session.ts';
import type { Key } from '../../dashboard/watch/state.ts';
import type { Context } from '../../program/context.ts';
import { messageOf } from '../../program/report.ts';
import { poll } from '../poll.ts';
import { type Action, noticeAction, type State } from '../state.ts';
import type { Store } from '../store.ts';

const statusMs = 5000;

/** Messages after a start or stop of the stack, by command. */
const outcomeMessages = {
  up: 'the stack runs; guardcli dashboard status --show-password has the password of Grafana',
  'up --without grafana': 'the stack runs without Grafana',
  down: 'the stack is stopped; its data is kept',
} as const;
export type StackChange = keyof typeof outcomeMessages;

export class DashboardLink {
  readonly #store: Store<State, Action>;
  readonly #context: Context;
  readonly #ended = new AbortController();
  #session: Session | undefined;
  #isOpen = false;
  /** Present while the stack is being started or stopped. */
  #changing: Promise<void> | undefined;

  constructor(store: Store<State, Action>, context: Context) {
    this.#store = store;
    this.#context = context;
  }

  /** Starts to load data. May be called again after another screen was shown. */
  open(): void {
    if (this.#isOpen || this.#ended.signal.aborted) return;
    this.#isOpen = true;
    const shown = new AbortController();
    const signal = AbortSignal.any([shown.signal, this.#ended.signal]);
    const leave = this.#store.subscribe(() => {
      if (this.#store.state().screen !== 'dashboard') shown.abort();
    });
    const report = (error: unknown): void => {
      if (!signal.aborted) this.#store.dispatch({ kind: 'dashboard.problem', problem: messageOf(error) });
    };
    Promise.all([this.#watch(signal).catch(report), this.#status(signal, report)]).finally(() => {
      leave();
      this.#isOpen = false;
      // The user returned to this screen before the work had ended.
      if (this.#store.state().screen === 'dashboard') this.open();
    });
  }

  /** Ends loading and a running change. An interrupted start removes the containers, unless some existed before. */
  async close(): Promise<void> {
    this.#ended.abort();
    await this.#changing;
  }

  /** Starts or stops the stack. Does nothing while another change runs. */
  async change(line: StackChange): Promise<void> {
    if (this.#changing) return;
    const { dispatch } = this.#store;
    this.#changing = this.#run(line)
      .then((text) => dispatch(noticeAction(false, text)))
      .catch((error: unknown) => {
        if (!this.#ended.signal.aborted) dispatch({ kind: 'dashboard.failed', failure: messageOf(error) });
      })
      .finally(() => {
        this.#changing = undefined;
        dispatch({ kind: 'dashboard.work', work: undefined });
      });
    await this.#changing;
  }

  /** Runs a command of the stack. Returns the message about the outcome. */
  async #run(line: StackChange): Promise<string> {
    const started = this.#context.now();
    let note = '';
    const show = (): void => {
      const seconds = Math.floor((this.#context.now() - started) / 1000);
      this.#store.dispatch({ kind: 'dashboard.work', work: { line, note, seconds } });
    };
    show();
    const timer = setInterval(show, 1000);
    try {
      for await (note of await this.#begin(line)) show();
      return outcomeMessages[line];
    } finally {
      clearInterval(timer);
    }
  }

  async #begin(line: StackChange): Promise<AsyncGenerator<string>> {
    const [{ up }, { down }, { folderOf }] = await Promise.all([
      import('../../dashboard/stack/up.ts'),
      import('../../dashboard/stack/down.ts'),
      import('../../dashboard/stack/settings.ts'),
    ]);
    const context = { ...this.#context, signal: this.#ended.signal };
    const dir = folderOf(undefined, context);
    if (line === 'down') return down({ dir, volumes: false }, context);
    const without = line === 'up' ? [] : (['grafana'] as const);
    return up({ dir, requestedPorts: {}, force: false, without, open: false }, context);
  }

  press(key: Key, size: FrameSize): void {
    this.#session?.press(key, size);
  }

  /** Imports the code of dashboards when they are shown for the first time. */
  async #create(): Promise<Session> {
    const [{ Session: WatchSession }, { initialWatch }, { findBoards }, options, { folderOf, lokiUrlOf }, browser] =
      await Promise.all([
        import('../../dashboard/watch/session.ts'),
        import('../../dashboard/watch/state.ts'),
        import('../../dashboard/boards/find.ts'),
        import('../../dashboard/loki/options.ts'),
        import('../../dashboard/stack/settings.ts'),
        import('../../dashboard/watch/browser.ts'),
      ]);
    const context = this.#context;
    const settings = options.settingsOf({}, context);
    return new WatchSession(initialWatch(findBoards(folderOf(undefined, context)), 0, undefined), {
      ...{ loki: lokiUrlOf(settings), now: context.now, columns: () => context.stdout.columns ?? 80 },
      open: (state) => browser.openInGrafana(state, settings, context),
    });
  }

  async #watch(signal: AbortSignal): Promise<void> {
    this.#session ??= await this.#create();
    for await (const watch of this.#session.frames(signal)) this.#store.dispatch({ kind: 'dashboard.watch', watch });
  }

  async #status(signal: AbortSignal, report: (error: unknown) => void): Promise<void> {
    const [{ status }, { folderOf }] = await Promise.all([
      import('../../dashboard/stack/status.ts'),
      import('../../dashboard/stack/settings.ts'),
    ]);
    const context = { ...this.#context, signal };
    const show = () =>
      status({ dir: folderOf(undefined, context), showPassword: false }, context).then(
        ({ services }) => this.#store.dispatch({ kind: 'dashboard.services', services }),
        report,
      );
    await poll(show, statusMs, signal);
  }
}
