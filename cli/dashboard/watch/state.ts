/** The state of the terminal dashboard, and the effect of keys on it. */
import type { Board } from '../boards/model.ts';
import type { LogLine } from '../loki/result.ts';
import { mergeLines, type PanelData } from './data.ts';

/** Data and error of a panel. It keeps its last data while its query fails. */
export interface PanelState {
  readonly data?: PanelData;
  readonly error?: string;
}

export interface Prompt {
  /** Index of the variable. */
  readonly variable: number;
  readonly text: string;
}

export interface WatchState {
  readonly boards: readonly Board[];
  /** Index of the shown dashboard. */
  readonly shown: number;
  readonly rangeMs: number;
  /** Values that the user chose for variables. They apply to every dashboard with such a variable. */
  readonly chosen: Readonly<Record<string, string>>;
  /** Panels of the shown dashboard, in the same order. */
  readonly panels: readonly PanelState[];
  /** Time of the last load, in milliseconds since the epoch. Absent before the first load. */
  readonly loadedAt?: number;
  /** Present while Loki does not respond: why, and since when in milliseconds since the epoch. */
  readonly lost?: { readonly reason: string; readonly since: number };
  readonly isTailing: boolean;
  readonly prompt?: Prompt;
  /** Number of lines that are scrolled out above the frame. */
  readonly scroll: number;
  readonly notice?: string;
}

export const boardOf = ({ boards, shown }: WatchState): Board => boards[shown] as Board;

const minute = 60_000;
/** Lengths of the time range among which keys choose, in milliseconds. */
export const ranges = [5, 15, 60, 360, 1440, 10_080, 43_200].map((minutes) => minutes * minute);

export const initial = (boards: readonly Board[], shown: number, rangeMs: number | undefined): WatchState => ({
  ...{ boards, shown, chosen: {}, panels: [], isTailing: false, scroll: 0 },
  rangeMs: rangeMs ?? (boards[shown] as Board).rangeMs,
});

export type Effect = 'quit' | 'open';

export interface Pressed {
  readonly state: WatchState;
  readonly effect?: Effect;
}

/** A key with a name, or the typed characters. */
export interface Key {
  readonly text: string;
  readonly name?: 'enter' | 'escape' | 'tab' | 'backspace' | 'up' | 'down' | 'pageUp' | 'pageDown';
  readonly isCtrl?: boolean;
}

/** Applies a change of the dashboard, the range or a filter. Drops the loaded data, which is no longer valid. */
const reloading = (state: WatchState, changes: Partial<WatchState>): WatchState => {
  const { loadedAt: _, ...kept } = state;
  return { ...kept, panels: [], scroll: 0, ...changes };
};

function toBoard(state: WatchState, by: number): WatchState {
  const { boards, shown } = state;
  const next = (shown + by + boards.length) % boards.length;
  return next === shown ? state : reloading(state, { shown: next });
}

/** Chooses the next longer or shorter range. */
function toRange(state: WatchState, direction: 1 | -1): WatchState {
  const fitting = ranges.filter((one) => (one - state.rangeMs) * direction > 0);
  const next = direction > 0 ? fitting[0] : fitting.at(-1);
  return next === undefined ? state : reloading(state, { rangeMs: next });
}

const promptFor = (state: WatchState, variable: number): WatchState => {
  const { name } = boardOf(state).variables[variable] ?? {};
  return name === undefined ? state : { ...state, prompt: { variable, text: state.chosen[name] ?? '' } };
};

const scrolled = (state: WatchState, by: number): WatchState => ({ ...state, scroll: Math.max(state.scroll + by, 0) });

const page = 10;

const names: Readonly<Record<string, (state: WatchState) => WatchState>> = {
  tab: (state) => toBoard(state, 1),
  up: (state) => scrolled(state, -1),
  down: (state) => scrolled(state, 1),
  pageUp: (state) => scrolled(state, -page),
  pageDown: (state) => scrolled(state, page),
};

const letters: Readonly<Record<string, (state: WatchState) => WatchState>> = {
  d: (state) => toBoard(state, 1),
  D: (state) => toBoard(state, -1),
  r: (state) => toRange(state, 1),
  R: (state) => toRange(state, -1),
  f: (state) => promptFor(state, 0),
  c: (state) => (Object.keys(state.chosen).length === 0 ? state : reloading(state, { chosen: {} })),
  k: (state) => scrolled(state, -1),
  j: (state) => scrolled(state, 1),
};

/** Edits the filter whose variable begins with this letter. Called for letters that are not commands. */
function byVariable(state: WatchState, letter: string): WatchState {
  const index = boardOf(state).variables.findIndex(({ name }) => name.startsWith(letter));
  return letter === '' || index < 0 ? state : promptFor(state, index);
}

const longestFilter = 200;

/** Handles a key while a filter is edited. */
function typed(state: WatchState, { variable, text }: Prompt, key: Key): WatchState {
  const { prompt: _, ...without } = state;
  const { name } = boardOf(state).variables[variable] ?? { name: '' };
  if (key.name === 'escape') return without;
  if (key.name === 'tab') return promptFor(state, (variable + 1) % boardOf(state).variables.length);
  if (key.name === 'enter') {
    const { [name]: _old, ...others } = state.chosen;
    const chosen = text.trim() === '' ? others : { ...others, [name]: text.trim() };
    return reloading(without, { chosen });
  }
  const next = key.name === 'backspace' ? text.slice(0, -1) : text + key.text.replace(/[^\x20-\x7e]/g, '');
  return { ...state, prompt: { variable, text: next.slice(0, longestFilter) } };
}

/** Handles a key. Keys that are typed fast arrive together in one text. */
export function press(state: WatchState, key: Key): Pressed {
  return [...(key.text || ' ')].reduce<Pressed>(
    (before, letter) =>
      before.effect ? before : pressOne(before.state, key.text === '' ? key : { ...key, text: letter }),
    { state },
  );
}

function pressOne(state: WatchState, key: Key): Pressed {
  if (key.isCtrl) return key.text === 'c' ? { state, effect: 'quit' } : { state };
  if (state.prompt) return { state: typed(state, state.prompt, key) };
  if (key.text === 'q' || key.name === 'escape') return { state, effect: 'quit' };
  if (key.text === 'o') return { state, effect: 'open' };
  const { notice: _, ...quiet } = state;
  const action = (key.name && names[key.name]) ?? letters[key.text];
  return { state: action ? action(quiet) : byVariable(quiet, key.name ? '' : key.text) };
}

/** Returns the state with more lines in a panel. */
export function withLines(state: WatchState, panel: number, lines: readonly LogLine[]): WatchState {
  const known = state.panels[panel]?.data;
  const data: PanelData = { kind: 'lines', lines: mergeLines(known?.kind === 'lines' ? known.lines : [], lines) };
  return withPanel(state, panel, { data });
}

export function withPanel(state: WatchState, index: number, panel: PanelState): WatchState {
  const panels = boardOf(state).panels.map((_, at) => (at === index ? panel : (state.panels[at] ?? {})));
  return { ...state, panels };
}
