import type { Board } from '../boards/model.ts';
import type { LogLine } from '../loki/result.ts';
import { mergeLines, type PanelData } from './data.ts';

/** A panel keeps its last data while its query fails. */
export interface PanelState {
  readonly data?: PanelData;
  readonly error?: string;
}

export interface Prompt {
  readonly variable: number;
  readonly text: string;
}

export interface WatchState {
  readonly boards: readonly Board[];
  /** Index of the shown dashboard. */
  readonly shown: number;
  readonly rangeMs: number;
  /** Values that the user chose, by variable. They apply to every dashboard with such a variable. */
  readonly chosen: Readonly<Record<string, string>>;
  /** States of the panels, in the order of the shown dashboard. */
  readonly panels: readonly PanelState[];
  /** Milliseconds since the epoch. Absent until the shown dashboard was loaded with this range and these filters. */
  readonly loadedAt?: number;
  /** Present while Loki does not respond. `since`: milliseconds since the epoch. */
  readonly lost?: { readonly reason: string; readonly since: number };
  readonly isTailing: boolean;
  readonly prompt?: Prompt;
  /** Number of lines above the frame. */
  readonly scroll: number;
  readonly notice?: string;
}

export const boardOf = ({ boards, shown }: WatchState): Board => boards[shown] as Board;

const minute = 60_000;
/** Lengths of the time range that keys select, in milliseconds. */
export const rangeLengths = [5, 15, 60, 360, 1440, 10_080, 43_200].map((minutes) => minutes * minute);

export const initialWatch = (boards: readonly Board[], shown: number, rangeMs: number | undefined): WatchState => ({
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

/** Drops the loaded data, which is no longer valid. */
const withoutData = (state: WatchState, changes: Partial<WatchState>): WatchState => {
  const { loadedAt: _, ...kept } = state;
  return { ...kept, panels: [], scroll: 0, ...changes };
};

function showBoard(state: WatchState, by: number): WatchState {
  const { boards, shown } = state;
  const next = (shown + by + boards.length) % boards.length;
  return next === shown ? state : withoutData(state, { shown: next });
}

function chooseRange(state: WatchState, direction: 1 | -1): WatchState {
  const fitting = rangeLengths.filter((one) => (one - state.rangeMs) * direction > 0);
  const next = direction > 0 ? fitting[0] : fitting.at(-1);
  return next === undefined ? state : withoutData(state, { rangeMs: next });
}

const openPrompt = (state: WatchState, variable: number): WatchState => {
  const { name } = boardOf(state).variables[variable] ?? {};
  return name === undefined ? state : { ...state, prompt: { variable, text: state.chosen[name] ?? '' } };
};

const scrollBy = (state: WatchState, by: number): WatchState => ({ ...state, scroll: Math.max(state.scroll + by, 0) });

const pageLines = 10;

const namedKeys: Readonly<Record<string, (state: WatchState) => WatchState>> = {
  tab: (state) => showBoard(state, 1),
  up: (state) => scrollBy(state, -1),
  down: (state) => scrollBy(state, 1),
  pageUp: (state) => scrollBy(state, -pageLines),
  pageDown: (state) => scrollBy(state, pageLines),
};

const letterKeys: Readonly<Record<string, (state: WatchState) => WatchState>> = {
  d: (state) => showBoard(state, 1),
  D: (state) => showBoard(state, -1),
  r: (state) => chooseRange(state, 1),
  R: (state) => chooseRange(state, -1),
  f: (state) => openPrompt(state, 0),
  c: (state) => (Object.keys(state.chosen).length === 0 ? state : withoutData(state, { chosen: {} })),
  k: (state) => scrollBy(state, -1),
  j: (state) => scrollBy(state, 1),
};

/** Edits the filter whose variable begins with this letter. */
function editVariable(state: WatchState, letter: string): WatchState {
  const index = boardOf(state).variables.findIndex(({ name }) => name.startsWith(letter));
  return letter === '' || index < 0 ? state : openPrompt(state, index);
}

const longestFilter = 200;

function editPrompt(state: WatchState, { variable, text }: Prompt, key: Key): WatchState {
  const { prompt: _, ...without } = state;
  const { name } = boardOf(state).variables[variable] ?? { name: '' };
  if (key.name === 'escape') return without;
  if (key.name === 'tab') return openPrompt(state, (variable + 1) % boardOf(state).variables.length);
  if (key.name === 'enter') {
    const { [name]: _old, ...others } = state.chosen;
    const chosen = text.trim() === '' ? others : { ...others, [name]: text.trim() };
    return withoutData(without, { chosen });
  }
  const next = key.name === 'backspace' ? text.slice(0, -1) : text + key.text.replace(/[^\x20-\x7e]/g, '');
  return { ...state, prompt: { variable, text: next.slice(0, longestFilter) } };
}

/** Handles typed keys. Keys that are typed fast arrive together in one text. */
export function pressKeys(state: WatchState, key: Key): Pressed {
  return [...(key.text || ' ')].reduce<Pressed>(
    (before, letter) =>
      before.effect ? before : pressOne(before.state, key.text === '' ? key : { ...key, text: letter }),
    { state },
  );
}

function pressOne(state: WatchState, key: Key): Pressed {
  if (key.isCtrl) return key.text === 'c' ? { state, effect: 'quit' } : { state };
  if (state.prompt) return { state: editPrompt(state, state.prompt, key) };
  if (key.text === 'q' || key.name === 'escape') return { state, effect: 'quit' };
  if (key.text === 'o') return { state, effect: 'open' };
  const { notice: _, ...quiet } = state;
  const action = (key.name && namedKeys[key.name]) ?? letterKeys[key.text];
  return { state: action ? action(quiet) : editVariable(quiet, key.name ? '' : key.text) };
}

export function withLines(state: WatchState, panel: number, lines: readonly LogLine[]): WatchState {
  const known = state.panels[panel]?.data;
  const data: PanelData = { kind: 'lines', lines: mergeLines(known?.kind === 'lines' ? known.lines : [], lines) };
  return withPanel(state, panel, { data });
}

export function withPanel(state: WatchState, index: number, panel: PanelState): WatchState {
  const panels = boardOf(state).panels.map((_, at) => (at === index ? panel : (state.panels[at] ?? {})));
  return { ...state, panels };
}
