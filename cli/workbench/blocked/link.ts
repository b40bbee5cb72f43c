/** Counts again and again what is being blocked, while the screen is shown. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../program/context.ts';
import { messageOf } from '../../program/report.ts';
import type { LokiOptions } from '../../stack/loki/options.ts';
import type { Action, State } from '../state.ts';
import type { Store } from '../store.ts';
import { type BlockedSource, openSource } from './query.ts';
import { selectedAttack } from './state.ts';

/** Pause between two counts. A slow Loki gets as long a pause as it needed. */
const pauseMs = 2000;

export class BlockedLink {
  readonly #store: Store<State, Action>;
  readonly #context: Context;
  readonly #options: LokiOptions;
  readonly #ended = new AbortController();
  #source: BlockedSource | undefined;
  #isOpen = false;
  /** Aborted when another attack is selected. */
  #selection = new AbortController();

  constructor(store: Store<State, Action>, context: Context, options: LokiOptions) {
    this.#store = store;
    this.#context = context;
    this.#options = options;
  }

  /** Starts to count. Only the first call has an effect. */
  open(): void {
    if (this.#isOpen || this.#ended.signal.aborted) return;
    this.#isOpen = true;
    void this.#follow();
  }

  close(): void {
    this.#ended.abort();
  }

  /** Loads the events of the selected attack at once. */
  refresh(): void {
    this.#selection.abort();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      this.#selection = new AbortController();
      const either = AbortSignal.any([signal, this.#selection.signal]);
      const started = performance.now();
      if (this.#store.state().screen === 'blocked') await this.#load(either);
      const pause = Math.max(pauseMs, performance.now() - started);
      await sleep(pause, undefined, { signal: either }).catch(() => {});
    }
  }

  /** Loads the events first after a new selection, because the counts take longer. */
  async #load(signal: AbortSignal): Promise<void> {
    const { dispatch, state } = this.#store;
    try {
      this.#source ??= openSource(this.#options, state().blocked.rangeMs, this.#context);
      const { attacks, events } = this.#source;
      const showEvents = async (): Promise<void> => {
        const of = selectedAttack(state().blocked);
        if (of) dispatch({ kind: 'blocked.events', of, list: await events(of, signal) });
      };
      await showEvents();
      dispatch({ kind: 'blocked.attacks', attacks: await attacks(signal), at: this.#context.now() });
      if (state().blocked.events === undefined) await showEvents();
    } catch (error) {
      if (!signal.aborted) dispatch({ kind: 'blocked.problem', problem: messageOf(error) });
    }
  }
}
