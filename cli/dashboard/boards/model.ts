/** The parts of a Grafana dashboard that the terminal draws. */

/** Kind of drawing of a panel in the terminal. */
export type Drawing = 'time' | 'stat' | 'bars' | 'table' | 'logs';

export interface PanelQuery {
  readonly expr: string;
  /** True when the query is evaluated once, at the end of the range. */
  readonly isInstant: boolean;
  /** Name of a series, in which `{{label}}` becomes the value of the label. Empty: all labels are the name. */
  readonly legend: string;
  /** Maximum number of log lines. Absent: as many as the terminal keeps. */
  readonly lines?: number;
}

/** Columns of a table: headings by field, hidden fields, and their order. */
export interface Columns {
  readonly names: Readonly<Record<string, string>>;
  readonly hidden: ReadonlySet<string>;
  /** Positions by field. Fields without a position follow in the order of the data. */
  readonly order: Readonly<Record<string, number>>;
}

export interface Panel {
  readonly id: number;
  readonly title: string;
  readonly drawing: Drawing;
  readonly queries: readonly PanelQuery[];
  /** Unit of the values, as Grafana identifies it, such as `short` or `bytes`. */
  readonly unit: string;
  /** Grafana's id of the calculation that reduces samples to one value, such as `lastNotNull`. */
  readonly calculation: string;
  readonly columns: Columns;
  /** True when one row shows the sum of all rows. */
  readonly isTotal: boolean;
  /** Text that the panel shows when there is no data. */
  readonly none: string;
  /** Grafana's name of the color of all values. Empty when the panel sets no single color. */
  readonly color: string;
  /** Grafana's name of the color of each series, by the name of the series. */
  readonly colors: Readonly<Record<string, string>>;
  /** Grafana's name of the color for values of at least `from`, in ascending order. */
  readonly thresholds: readonly { readonly from: number; readonly color: string }[];
  /** Position and width in Grafana's grid of 24 columns. */
  readonly place: { readonly x: number; readonly y: number; readonly width: number };
}

export interface Variable {
  readonly name: string;
  /** Value in the queries while the user has not chosen one. */
  readonly initial: string;
  /** True when queries use the value in a regular expression. `substitute` then escapes a chosen value. */
  readonly isPattern: boolean;
}

export interface Board {
  readonly uid: string;
  readonly title: string;
  /** Length of the queried time range in milliseconds. */
  readonly rangeMs: number;
  readonly variables: readonly Variable[];
  /** Sorted by position, from the top left to the bottom right. */
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
