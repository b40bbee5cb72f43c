/** Keeps the terminal dashboard up to date: reloads the panels, receives new log lines, and handles keys. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Panel } from '../boards/model.ts';
import { substitute } from '../boards/substitute.ts';
import { openLoki } from '../loki/client.ts';
import type { LogLine } from '../loki/result.ts';
import { followTail } from '../loki/tail.ts';
import { type FrameSize, limitScroll } from './frame.ts';
import { loadPanels } from './load.ts';
import { boardOf, type Key, type PanelState, pressKeys, type WatchState, withLines, withPanel } from './state.ts';

export interface Setting {
  /** URL of Loki, including the path with the secret. */
  readonly loki: string;
  readonly now: () => number;
  readonly columns: () => number;
  /** Opens the dashboard in Grafana. Returns a notice for the user. */
  readonly open: (state: WatchState) => Promise<string>;
}

/** Bounds of the pause between two loads, which only slow loads exceed. Shorter ranges load more often. */
const [shortestMs, longestMs] = [5000, 60_000];
const reloadMs = (rangeMs: number): number => Math.min(Math.max(rangeMs / 720, shortestMs), longestMs);

/** Minimum time between two frames, unless a key was pressed. */
const frameMs = 250;

/** The live tail starts this long before now, because events reach Loki with a delay. */
const tailStartMs = 10_000;

const isSameView = (one: WatchState, other: WatchState): boolean =>
  one.shown === other.shown && one.rangeMs === other.rangeMs && one.chosen === other.chosen;

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

export interface WatchProgress {
  readonly state: WatchState;
  readonly columns: number;
  readonly press: Session['press'];
}

/** Returns the index of the only panel that the live tail updates: the first one with log lines. -1: there is none. */
const livePanelOf = (panels: readonly Panel[]): number => panels.findIndex(({ drawing }) => drawing === 'logs');

export class Session {
  state: WatchState;
  readonly #setting: Setting;
  /** Aborted when the user quits. */
  readonly #ended = new AbortController();
  /** Aborted when another dashboard, range or filter is chosen. */
  #view = new AbortController();
  #changed = Promise.withResolvers<void>();
  #pressed = Promise.withResolvers<void>();

  constructor(state: WatchState, setting: Setting) {
    this.state = state;
    this.#setting = setting;
  }

  #setState(state: WatchState): void {
    this.state = state;
    this.#changed.resolve();
  }

  /** Handles a key. @param size limits how far the frame can be scrolled */
  press(key: Key, size: FrameSize): void {
    const before = this.state;
    const { state, effect } = pressKeys(limitScroll(before, size), key);
    this.#setState(limitScroll(state, size));
    this.#pressed.resolve();
    if (effect === 'quit') this.#ended.abort();
    if (effect === 'open') this.#setting.open(state).then((notice) => this.#setState({ ...this.state, notice }));
    if (isSameView(before, state)) return;
    this.#view.abort();
    this.#view = new AbortController();
  }

  /**
   * Loads every panel once. After the first load of a view, omits the live panel while the live tail runs.
   * @throws ExternalError when Loki does not respond
   */
  async load(signal: AbortSignal): Promise<void> {
    const { loki, now, columns } = this.#setting;
    const wanted = this.state;
    const { panels } = boardOf(wanted);
    const isLive = (panel: number) =>
      wanted.isTailing && wanted.loadedAt !== undefined && panel === livePanelOf(panels);
    await loadPanels(wanted, {
      ...{ loki: openLoki(loki, signal), now: now(), columns: columns() },
      isRequested: (panel) => !isLive(panel),
      onPanel: (panel, loaded) => isSameView(wanted, this.state) && this.#storePanel(panel, loaded),
    });
    const { lost: _, ...connected } = this.state;
    if (isSameView(wanted, this.state)) this.#setState({ ...connected, loadedAt: now() });
  }

  /** Stores the state of a panel. Keeps the present log lines, because the live tail may have sent newer ones. */
  #storePanel(panel: number, loaded: PanelState): void {
    const { data, error } = loaded;
    if (data?.kind === 'lines' && error === undefined) this.#setState(withLines(this.state, panel, data.lines));
    else this.#setState(withPanel(this.state, panel, loaded));
  }

  /** Loads all panels again and again. Keeps the old data and retries when Loki does not respond. */
  async #reload(signal: AbortSignal): Promise<void> {
    const { now } = this.#setting;
    while (!signal.aborted) {
      const either = AbortSignal.any([signal, this.#view.signal]);
      const started = now();
      await this.load(either).catch((error: Error) => {
        const { lost } = this.state;
        if (!either.aborted)
          this.#setState({ ...this.state, lost: { reason: error.message, since: lost?.since ?? now() } });
      });
      const pause = this.state.lost ? shortestMs : Math.max(reloadMs(this.state.rangeMs), now() - started);
      await sleep(pause, undefined, { signal: either }).catch(() => {});
    }
  }

  /** Receives new log lines for the live panel. */
  async #tail(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const either = AbortSignal.any([signal, this.#view.signal]);
      const index = livePanelOf(boardOf(this.state).panels);
      if (index >= 0) await this.#follow(index, either);
      else await untilAborted(either);
    }
  }

  async #follow(index: number, signal: AbortSignal): Promise<void> {
    const { loki, now } = this.#setting;
    const { rangeMs, chosen } = this.state;
    const { panels, variables } = boardOf(this.state);
    const scope = { rangeMs, chosen, variables, stepMs: shortestMs, isInstant: false };
    const logql = substitute(panels[index]?.queries[0]?.expr ?? '', scope);
    const onLines = (lines: readonly LogLine[]) => this.#setState(withLines(this.state, index, lines));
    const onState = (isTailing: boolean) => {
      if (this.state.isTailing !== isTailing) this.#setState({ ...this.state, isTailing });
    };
    const since = `${now() - tailStartMs}000000`;
    await followTail(openLoki(loki, signal), logql, { since, onLines, onState }, signal);
  }

  /** Yields the state for each frame, until the user quits or `signal` aborts. */
  async *frames(signal: AbortSignal): AsyncGenerator<WatchState, void, void> {
    const either = AbortSignal.any([signal, this.#ended.signal]);
    const end = untilAborted(either);
    const work = [this.#reload(either), this.#tail(either)];
    while (!either.aborted) {
      this.#changed = Promise.withResolvers();
      this.#pressed = Promise.withResolvers();
      yield this.state;
      await Promise.race([this.#changed.promise, end]);
      await Promise.race([this.#pressed.promise, sleep(frameMs), end]);
    }
    await Promise.all(work);
  }
}
