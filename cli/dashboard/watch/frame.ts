import { readable } from '../../../platform/escape.ts';
import { fittingKeys, type KeyHelp, keyGap } from '../../program/key-help.ts';
import type { Panel } from '../boards/model.ts';
import type { PanelData } from './data.ts';
import { columnGap, type LayoutRow, layoutRows } from './layout.ts';
import { escapeValue, fitLine, fitLines, joinBeside, type Line, shortenText, span } from './line.ts';
import { barLines, logLines, newestTimeLines, statLines, tableLines } from './lists.ts';
import { boardOf, type PanelState, type WatchState } from './state.ts';
import { drawTimeChart } from './time-chart.ts';
import { clockText, rangeText } from './units.ts';

/** Escapes a title. Users write dashboards, so a title may have any characters. */
const titleText = (title: string): string => readable(title.slice(0, 200));

export interface FrameSize {
  readonly columns: number;
  readonly rows: number;
}

interface Area {
  readonly width: number;
  readonly height: number;
}

function drawData(panel: Panel, data: PanelData, { width, height }: Area): readonly Line[] {
  const { drawing, columns } = panel;
  const area = { ...panel, width, height };
  if (data.kind === 'lines') return drawing === 'stat' ? newestTimeLines(data.lines, area) : logLines(data.lines, area);
  if (data.kind === 'time') return drawTimeChart({ ...data, ...area });
  if (drawing === 'table') return tableLines(data.rows, columns, area);
  return drawing === 'stat' ? statLines(data.rows, area) : barLines(data.rows, area);
}

interface Contents extends Area {
  readonly lost: WatchState['lost'];
}

function contentLines(panel: Panel, { data, error }: PanelState, { lost, ...area }: Contents): readonly Line[] {
  const failure: Line[] = error === undefined ? [] : [[span(escapeValue(error), 'red')]];
  if (!data && failure.length > 0) return failure;
  if (!data) return [[span(lost ? `no data since ${clockText(lost.since)}` : 'loading', 'dim')]];
  return [...failure, ...drawData(panel, data, { ...area, height: area.height - failure.length })];
}

function titleLine(title: string, width: number): Line {
  const text = shortenText(titleText(title), width - 4);
  return [
    span('\u2500 ', 'dim'),
    span(text, 'bold'),
    span(` ${'\u2500'.repeat(Math.max(width - text.length - 3, 0))}`, 'dim'),
  ];
}

/**
 * Returns the number of lines for the data and the error of a panel. Undefined without data, and for a chart over time,
 * which fits any height.
 */
function neededLines({ data, error }: PanelState): number | undefined {
  if (!data || data.kind === 'time') return undefined;
  const rows = data.kind === 'lines' ? data.lines.length : data.rows.length + 1;
  return rows + Number(error !== undefined);
}

function rowLines({ cells, height }: LayoutRow, state: WatchState): Line[] {
  const { panels } = boardOf(state);
  const blocks = cells.map(({ panel: index, width }) => {
    const panel = panels[index] as Panel;
    const below = contentLines(panel, state.panels[index] ?? {}, { width, height: height - 1, lost: state.lost });
    return [titleLine(panel.title, width), ...fitLines(below, width, height - 1)];
  });
  return joinBeside(blocks, columnGap);
}

function headerLine(state: WatchState): Line {
  const { rangeMs, chosen, loadedAt, lost, shown, boards } = state;
  const filters = Object.entries(chosen).map(([name, text]) => `${name}=${escapeValue(text)}`);
  const note = lost && `  ${escapeValue(lost.reason)} (since ${clockText(lost.since)}, retrying)`;
  return [
    span(titleText(boardOf(state).title), ['bold', 'cyan']),
    span(` ${shown + 1}/${boards.length}  last ${rangeText(rangeMs)}`),
    // The error comes before the filters, because a narrow terminal cuts the end of the line.
    span(note ?? '', 'red'),
    span(filters.length === 0 ? '' : `  ${filters.join(' ')}`, 'yellow'),
    span(loadedAt === undefined ? (lost ? '' : '  loading') : `  ${clockText(loadedAt)} UTC`, 'dim'),
    span(state.isTailing ? '  live' : '', 'green'),
  ];
}

const keyHelp: readonly KeyHelp[] = [
  ['q', 'quit'],
  ['d', 'dashboard'],
  ['r/R', 'range'],
  ['f', 'filter'],
  ['c', 'clear'],
  ['o', 'browser'],
];
const arrows = '\u2191\u2193';

const helpLine = (rows: typeof keyHelp): Line =>
  rows.flatMap(([key, word]) => [span(key, 'bold'), span(` ${word}${keyGap}`, 'dim')]);

const moreLinesHelp = (below: number): readonly KeyHelp[] => (below > 0 ? [[arrows, `${below} more lines`]] : []);

/** `below`: number of lines hidden below the frame. */
type Footer = (state: WatchState, below: number, width: number) => Line;

/** Draws a footer without the list of keys: the edited filter, or the number of hidden lines and the notice. */
export function statusLine({ prompt, notice, ...state }: WatchState, below: number): Line {
  if (!prompt) return [...helpLine(moreLinesHelp(below)), span(escapeValue(notice ?? ''), 'yellow')];
  const { name = '' } = boardOf(state).variables[prompt.variable] ?? {};
  return [span(`${name}: `, 'bold'), span(escapeValue(prompt.text)), span('\u2588')];
}

function keysLine(state: WatchState, below: number, width: number): Line {
  const status = statusLine(state, below);
  if (state.prompt) return [...status, span('  Enter applies, Tab: next, Esc: back', 'dim')];
  if (state.notice !== undefined) return status;
  return helpLine(
    fittingKeys([...moreLinesHelp(below), ...keyHelp, ...(below > 0 ? [] : [[arrows, 'scroll'] as const])], width),
  );
}

const chartLines = 10;

/** Draws all panels, each row at its greatest height, without scrolling. */
export function plainFrame(state: WatchState, columns: number): Line[] {
  const needs = (panel: number) => neededLines(state.panels[panel] ?? {}) ?? chartLines;
  const rows = layoutRows(boardOf(state).panels, columns, Number.POSITIVE_INFINITY, needs);
  return [headerLine(state), ...rows.flatMap((row) => rowLines(row, state))].map((line) => fitLine(line, columns));
}

const linesAround = 2;

const panelRoom = (rows: number): number => Math.max(rows - linesAround, 1);

function rowsOf(state: WatchState, columns: number, room: number): readonly LayoutRow[] {
  const needs = (panel: number) => neededLines(state.panels[panel] ?? {});
  return layoutRows(boardOf(state).panels, columns, room, needs);
}

/** Limits the scroll position to the one at which the frame ends with the last line. */
export function limitScroll(state: WatchState, { columns, rows }: FrameSize): WatchState {
  const room = panelRoom(rows);
  const lines = rowsOf(state, columns, room).reduce((sum, { height }) => sum + height, 0);
  const last = Math.max(lines - room, 0);
  return state.scroll <= last ? state : { ...state, scroll: last };
}

/** Returns exactly `rows` lines. */
export function fullFrame(shown: WatchState, columns: number, rows: number, footer: Footer = keysLine): Line[] {
  const room = panelRoom(rows);
  const state = limitScroll(shown, { columns, rows });
  const body = rowsOf(state, columns, room).flatMap((row) => rowLines(row, state));
  const top = state.scroll;
  const below = body.length - room - top;
  const lines = [
    headerLine(state),
    ...fitLines(body.slice(top, top + room), columns, room),
    footer(state, below, columns),
  ];
  return lines.map((line) => fitLine(line, columns)).slice(0, rows);
}
