/** Keeps the state of the daemon up to date: polls the API while the screen is shown, and always follows its events. */

import { type Address, curlLine, DaemonClient, reasonOf } from '../../daemon/client.ts';
import { poll } from '../poll.ts';
import { type Action, noticeAction, type State } from '../state.ts';
import type { Store } from '../store.ts';
import { type BanChange, undoOf } from './change.ts';

/** Milliseconds between two polls of the API, and between two attempts to follow the events. */
const pollMs = 2000;

export class DaemonLink {
  readonly #store: Store<State, Action>;
  readonly #client: DaemonClient;
  readonly #address: Address;
  readonly #hasToken: boolean;
  readonly #ended = new AbortController();
  #isOpen = false;

  constructor(store: Store<State, Action>, address: Address, token: string | undefined) {
    this.#store = store;
    this.#address = address;
    this.#hasToken = token !== undefined;
    this.#client = new DaemonClient(address, token);
  }

  /** Starts to poll and to follow. Only the first call has an effect. */
  open(): void {
    if (this.#isOpen || this.#ended.signal.aborted) return;
    this.#isOpen = true;
    void poll(() => this.#refreshIfShown(), pollMs, this.#ended.signal);
    void this.#follow();
  }

  close(): void {
    this.#ended.abort();
  }

  async #refresh(): Promise<void> {
    const { signal } = this.#ended;
    try {
      this.#store.dispatch({ kind: 'daemon.snapshot', snapshot: await this.#client.snapshot(signal) });
    } catch (error) {
      if (!signal.aborted) this.#store.dispatch({ kind: 'daemon.lost', reason: reasonOf(error) });
    }
  }

  async #refreshIfShown(): Promise<void> {
    if (this.#store.state().screen === 'daemon') await this.#refresh();
  }

  /** Follows the events of the daemon. The polls report a daemon that does not respond. */
  async #follow(): Promise<void> {
    const { signal } = this.#ended;
    let lastId = '';
    const onEvent = (event: Extract<Action, { kind: 'daemon.event' }>['event']): void =>
      this.#store.dispatch({ kind: 'daemon.event', event });
    const follow = async () => {
      lastId = await this.#client.follow(lastId, onEvent, signal).catch(() => lastId);
    };
    await poll(follow, pollMs, signal);
  }

  /** Sends a change. Reports the outcome, and shows the curl line that does the same. */
  async change(change: BanChange): Promise<void> {
    const { dispatch, state } = this.#store;
    const { path, body } = change;
    const undo = undoOf(change, state().daemon.snapshot?.bans ?? []);
    dispatch({ kind: 'daemon.changing', line: curlLine(this.#address, this.#hasToken, path, body) });
    try {
      await this.#client.change(path, body, this.#ended.signal);
      dispatch({ kind: 'daemon.changed', undo });
      dispatch(noticeAction(false, `${body.ip} is ${path === '/ban' ? 'banned' : 'no longer banned'}`));
    } catch (error) {
      dispatch(noticeAction(true, reasonOf(error)));
    }
    await this.#refresh();
  }
}
