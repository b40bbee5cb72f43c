import type { Drawing, Panel } from '../boards/model.ts';

export interface Cell {
  /** Index of the panel. */
  readonly panel: number;
  readonly width: number;
}

export interface LayoutRow {
  readonly cells: readonly Cell[];
  /** Number of lines, including the line with the titles. */
  readonly height: number;
}

interface Measure {
  readonly narrowest: number;
  /** Number of lines below the title. */
  readonly least: number;
  readonly most: number;
}

const panelSizes: Readonly<Record<Drawing, Measure>> = {
  stat: { narrowest: 18, least: 1, most: 4 },
  time: { narrowest: 48, least: 8, most: 24 },
  bars: { narrowest: 36, least: 5, most: 12 },
  table: { narrowest: 56, least: 7, most: 20 },
  logs: { narrowest: 90, least: 10, most: 80 },
};

export const columnGap = 2;

interface Member {
  readonly panel: number;
  readonly drawing: Drawing;
  readonly weight: number;
}

const narrowestOf = ({ drawing }: Member, columns: number): number => Math.min(panelSizes[drawing].narrowest, columns);

const canFit = (members: readonly Member[], columns: number): boolean =>
  members.reduce((sum, member) => sum + columnGap + narrowestOf(member, columns), -columnGap) <= columns;

const splitIntoRows = (members: readonly Member[], count: number): Member[][] =>
  Array.from({ length: Math.ceil(members.length / count) }, (_, row) => members.slice(row * count, (row + 1) * count));

/** Splits panels that are side by side in Grafana into as few rows as fit the terminal. */
function packPanels(panels: readonly Panel[], columns: number): Member[][] {
  const members = panels.map(({ drawing, place }, panel) => ({
    panel,
    drawing,
    weight: Math.max(place.width, 1),
    y: place.y,
  }));
  return [...Map.groupBy(members, ({ y }) => y).values()].flatMap((band) => {
    for (let rows = 1; rows < band.length; rows += 1) {
      const split = splitIntoRows(band, Math.ceil(band.length / rows));
      if (split.every((row) => canFit(row, columns))) return split;
    }
    return splitIntoRows(band, 1);
  });
}

/** Returns the cells of a row. Each gets its narrowest width and, by weight, a share of the remaining columns. */
function cellsOf(members: readonly Member[], columns: number): Cell[] {
  const least = members.map((member) => narrowestOf(member, columns));
  let left = columns - columnGap * (members.length - 1) - least.reduce((sum, one) => sum + one, 0);
  let weights = members.reduce((sum, { weight }) => sum + weight, 0);
  return members.map(({ panel, weight }, index) => {
    const more = Math.floor((left * weight) / weights);
    left -= more;
    weights -= weight;
    return { panel, width: (least[index] as number) + more };
  });
}

/** Number of lines below the title. Undefined for a panel that fits any height. */
export type Needs = (panel: number) => number | undefined;

/** Returns the height of a row, including the line with the titles. */
function heightOf(members: readonly Member[], needs: Needs, bound: 'least' | 'most'): number {
  const heights = members.map(({ panel, drawing }) => {
    const most = panelSizes[drawing][bound];
    return Math.max(Math.min(needs(panel) ?? most, most), 1);
  });
  return Math.max(...heights) + 1;
}

/** Adds lines to the rows in turn, up to their greatest heights. */
function growRows(least: readonly number[], most: readonly number[], lines: number): number[] {
  const heights = [...least];
  let left = lines - least.reduce((sum, height) => sum + height, 0);
  while (left > 0) {
    const growing = [...heights.keys()].filter((row) => (heights[row] as number) < (most[row] as number));
    if (growing.length === 0) break;
    for (const row of growing.slice(0, left)) heights[row] = (heights[row] as number) + 1;
    left -= growing.length;
  }
  return heights;
}

/** Returns rows with `lines` lines in total, as far as the lowest and greatest heights of the rows allow. */
export function layoutRows(panels: readonly Panel[], columns: number, lines: number, needs: Needs): LayoutRow[] {
  const rows = packPanels(panels, columns);
  const bounds = (bound: 'least' | 'most') => rows.map((members) => heightOf(members, needs, bound));
  const heights = growRows(bounds('least'), bounds('most'), lines);
  return rows.map((members, index) => ({ cells: cellsOf(members, columns), height: heights[index] as number }));
}

export const pointsOf = (width: number): number => Math.min(Math.max(width - 8, 20), 240);
