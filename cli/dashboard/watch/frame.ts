/** Draws a frame of the terminal dashboard as lines: header, panels, footer. */
import { readable } from '../../../platform/escape.ts';
import { fittingKeys, type KeyHelp, keyGap } from '../../program/key-help.ts';
import type { Panel } from '../boards/model.ts';
import type { PanelData } from './data.ts';
import { gap, type LayoutRow, layout } from './layout.ts';
import { beside, block, cut, fit, type Line, span, value } from './line.ts';
import { bars, logs, newest, stats, table } from './lists.ts';
import { boardOf, type PanelState, type WatchState } from './state.ts';
import { timeChart } from './time-chart.ts';
import { clock, rangeText } from './units.ts';

/** Returns a title as safe text. The user may have written the dashboard, with any characters in its titles. */
const titleText = (title: string): string => readable(title.slice(0, 200));

/** Size of a frame, in characters. */
export interface FrameSize {
  readonly columns: number;
  readonly rows: number;
}

interface Area {
  readonly width: number;
  readonly height: number;
}

function drawn(panel: Panel, data: PanelData, { width, height }: Area): readonly Line[] {
  const { drawing, columns } = panel;
  const area = { ...panel, width, height };
  if (data.kind === 'lines') return drawing === 'stat' ? newest(data.lines, area) : logs(data.lines, area);
  if (data.kind === 'time') return timeChart({ ...data, ...area });
  if (drawing === 'table') return table(data.rows, columns, area);
  return drawing === 'stat' ? stats(data.rows, area) : bars(data.rows, area);
}

interface Contents extends Area {
  readonly lost: WatchState['lost'];
}

function contents(panel: Panel, { data, error }: PanelState, { lost, ...area }: Contents): readonly Line[] {
  const failure: Line[] = error === undefined ? [] : [[span(value(error), 'red')]];
  if (!data && failure.length > 0) return failure;
  if (!data) return [[span(lost ? `no data since ${clock(lost.since)}` : 'loading', 'dim')]];
  return [...failure, ...drawn(panel, data, { ...area, height: area.height - failure.length })];
}

function titleLine(title: string, width: number): Line {
  const text = cut(titleText(title), width - 4);
  return [
    span('\u2500 ', 'dim'),
    span(text, 'bold'),
    span(` ${'\u2500'.repeat(Math.max(width - text.length - 3, 0))}`, 'dim'),
  ];
}

/** Returns the number of lines that a panel needs. Undefined for a chart over time, which fits any height. */
function needOf({ data, error }: PanelState): number | undefined {
  if (!data || data.kind === 'time') return undefined;
  const rows = data.kind === 'lines' ? data.lines.length : data.rows.length + 1;
  return rows + Number(error !== undefined);
}

function rowLines({ cells, height }: LayoutRow, state: WatchState): Line[] {
  const { panels } = boardOf(state);
  const blocks = cells.map(({ panel: index, width }) => {
    const panel = panels[index] as Panel;
    const below = contents(panel, state.panels[index] ?? {}, { width, height: height - 1, lost: state.lost });
    return [titleLine(panel.title, width), ...block(below, width, height - 1)];
  });
  return beside(blocks, gap);
}

function headerLine(state: WatchState): Line {
  const { rangeMs, chosen, loadedAt, lost, shown, boards } = state;
  const filters = Object.entries(chosen).map(([name, text]) => `${name}=${value(text)}`);
  const note = lost && `  ${value(lost.reason)} (since ${clock(lost.since)}, retrying)`;
  return [
    span(titleText(boardOf(state).title), ['bold', 'cyan']),
    span(` ${shown + 1}/${boards.length}  last ${rangeText(rangeMs)}`),
    // The error comes before the filters, because a narrow terminal cuts the end of the line.
    span(note ?? '', 'red'),
    span(filters.length === 0 ? '' : `  ${filters.join(' ')}`, 'yellow'),
    span(loadedAt === undefined ? (lost ? '' : '  loading') : `  ${clock(loadedAt)} UTC`, 'dim'),
    span(state.isTailing ? '  live' : '', 'green'),
  ];
}

const keys: readonly KeyHelp[] = [
  ['q', 'quit'],
  ['d', 'dashboard'],
  ['r/R', 'range'],
  ['f', 'filter'],
  ['c', 'clear'],
  ['o', 'browser'],
];
const arrows = '\u2191\u2193';

const help = (rows: typeof keys): Line =>
  rows.flatMap(([key, word]) => [span(key, 'bold'), span(` ${word}${keyGap}`, 'dim')]);

const moreLines = (below: number): readonly KeyHelp[] => (below > 0 ? [[arrows, `${below} more lines`]] : []);

/** Draws the last line of a frame. `below` is the number of lines hidden below the frame. */
type Footer = (state: WatchState, below: number, width: number) => Line;

/** Returns the last line of a frame without the keys, for programs that show keys elsewhere: a filter that is being typed, or a notice. */
export function statusLine({ prompt, notice, ...state }: WatchState, below: number): Line {
  if (!prompt) return [...help(moreLines(below)), span(value(notice ?? ''), 'yellow')];
  const { name = '' } = boardOf(state).variables[prompt.variable] ?? {};
  return [span(`${name}: `, 'bold'), span(value(prompt.text)), span('\u2588')];
}

function keysLine(state: WatchState, below: number, width: number): Line {
  const status = statusLine(state, below);
  if (state.prompt) return [...status, span('  Enter applies, Tab: next, Esc: back', 'dim')];
  if (state.notice !== undefined) return status;
  return help(fittingKeys([...moreLines(below), ...keys, ...(below > 0 ? [] : [[arrows, 'scroll'] as const])], width));
}

const chartLines = 10;

/** Draws a frame without scrolling, as high as its panels need. */
export function plainFrame(state: WatchState, columns: number): Line[] {
  const needs = (panel: number) => needOf(state.panels[panel] ?? {}) ?? chartLines;
  const rows = layout(boardOf(state).panels, columns, Number.POSITIVE_INFINITY, needs);
  return [headerLine(state), ...rows.flatMap((row) => rowLines(row, state))].map((line) => fit(line, columns));
}

/** Lines of a frame that are not panels: header and footer. */
const around = 2;

const roomOf = (rows: number): number => Math.max(rows - around, 1);

function rowsOf(state: WatchState, columns: number, room: number): readonly LayoutRow[] {
  const needs = (panel: number) => needOf(state.panels[panel] ?? {});
  return layout(boardOf(state).panels, columns, room, needs);
}

/** Returns the state with the scroll position limited, so that the last line stays at the end of the frame. */
export function inFrame(state: WatchState, { columns, rows }: FrameSize): WatchState {
  const room = roomOf(rows);
  const lines = rowsOf(state, columns, room).reduce((sum, { height }) => sum + height, 0);
  const last = Math.max(lines - room, 0);
  return state.scroll <= last ? state : { ...state, scroll: last };
}

/** Draws the part of the frame that is scrolled into view, with exactly `rows` lines. */
export function fullFrame(shown: WatchState, columns: number, rows: number, footer: Footer = keysLine): Line[] {
  const room = roomOf(rows);
  const state = inFrame(shown, { columns, rows });
  const body = rowsOf(state, columns, room).flatMap((row) => rowLines(row, state));
  const top = state.scroll;
  const below = body.length - room - top;
  const lines = [
    headerLine(state),
    ...block(body.slice(top, top + room), columns, room),
    footer(state, below, columns),
  ];
  return lines.map((line) => fit(line, columns)).slice(0, rows);
}
