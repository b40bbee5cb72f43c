/** The parts of a Grafana dashboard that the terminal draws. */

export type Drawing = 'time' | 'stat' | 'bars' | 'table' | 'logs';

export interface PanelQuery {
  readonly expr: string;
  /** True when the query is evaluated once, at the end of the range. A chart over time ignores this. */
  readonly isInstant: boolean;
  /**
   * Template of a series name: `{{label}}` becomes the value of the label. Empty: the values of all labels are the
   * name.
   */
  readonly legend: string;
  /** Maximum number of log lines. Absent: `keptLines` of the terminal dashboard, which is also the upper bound. */
  readonly lines?: number;
}

export interface Columns {
  readonly names: Readonly<Record<string, string>>;
  readonly hidden: ReadonlySet<string>;
  /** Position of each column, by field. Other fields follow in the order of the data. */
  readonly order: Readonly<Record<string, number>>;
}

export interface Panel {
  readonly id: number;
  readonly title: string;
  readonly drawing: Drawing;
  readonly queries: readonly PanelQuery[];
  /** Grafana's id of the unit, such as `short` or `bytes`. */
  readonly unit: string;
  /** Grafana's id of the calculation, such as `lastNotNull`. */
  readonly calculation: string;
  readonly columns: Columns;
  /** True when the panel shows only the sum of all rows. */
  readonly isSumOnly: boolean;
  /** Text that a panel without data shows. */
  readonly noDataText: string;
  /** Grafana's name of the color. Empty when the panel sets no single color. */
  readonly color: string;
  /** Grafana's names of colors, by series. */
  readonly colors: Readonly<Record<string, string>>;
  /** Grafana's names of colors for values of at least `from`, in ascending order. */
  readonly thresholds: readonly { readonly from: number; readonly color: string }[];
  /** Position and width in Grafana's grid of 24 columns. */
  readonly place: { readonly x: number; readonly y: number; readonly width: number };
}

export interface Variable {
  readonly name: string;
  /** Value in the queries while the user has not chosen one. */
  readonly initial: string;
  /** True when queries use the value in a regular expression. */
  readonly isPattern: boolean;
}

export interface Board {
  readonly uid: string;
  readonly title: string;
  readonly rangeMs: number;
  readonly variables: readonly Variable[];
  /** Sorted by position, from the top left. */
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
