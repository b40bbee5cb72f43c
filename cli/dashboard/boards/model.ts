/** What the terminal needs of a Grafana dashboard. */

/** How a panel is drawn in the terminal. */
export type Drawing = 'time' | 'stat' | 'bars' | 'table' | 'logs';

export interface PanelQuery {
  readonly expr: string;
  /** Evaluated once, at the end of the range. */
  readonly isInstant: boolean;
  /** `{{label}}` is replaced by the value of a label; empty: the labels name the series. */
  readonly legend: string;
  /** How many log lines it wants; absent: as many as the terminal keeps. */
  readonly lines?: number;
}

/** Columns of a table: names that replace those of fields, fields that are left out, and their order. */
export interface Columns {
  readonly names: Readonly<Record<string, string>>;
  readonly hidden: ReadonlySet<string>;
  /** Positions of fields; the others follow in the order of the data. */
  readonly order: Readonly<Record<string, number>>;
}

export interface Panel {
  readonly id: number;
  readonly title: string;
  readonly drawing: Drawing;
  readonly queries: readonly PanelQuery[];
  /** Grafana's id of the unit. */
  readonly unit: string;
  /** How samples become one value: Grafana's id of the calculation. */
  readonly calculation: string;
  readonly columns: Columns;
  /** The rows of all queries are added up to one. */
  readonly isTotal: boolean;
  /** What it shows where there is nothing. */
  readonly none: string;
  /** Grafana's name of the color of all values; empty: they have none in common. */
  readonly color: string;
  /** Grafana's names of colors, by the names of series. */
  readonly colors: Readonly<Record<string, string>>;
  /** Grafana's names of the colors of values, each from a value on; the greatest value comes last. */
  readonly thresholds: readonly { readonly from: number; readonly color: string }[];
  /** In a grid of 24 columns. */
  readonly place: { readonly x: number; readonly y: number; readonly width: number };
}

export interface Variable {
  readonly name: string;
  /** What the queries get when no value is chosen. */
  readonly initial: string;
  /** True when queries use the value in a regular expression. `substitute` then escapes a chosen value. */
  readonly isPattern: boolean;
}

export interface Board {
  readonly uid: string;
  readonly title: string;
  /** Length of its range in milliseconds. */
  readonly rangeMs: number;
  readonly variables: readonly Variable[];
  /** From the top left to the bottom right. */
  readonly panels: readonly Panel[];
}

export const boardBounds = {
  fileBytes: 4 * 1024 * 1024,
  boards: 20,
  panels: 60,
  queries: 8,
  variables: 16,
  characters: 8192,
} as const;
