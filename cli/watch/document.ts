/** The document of `guardcli dashboard watch --json`. */
import { type LogLine, millisecondsOf } from '../stack/loki/result.ts';
import type { PanelData, TimeSeries, ValueRow } from './data.ts';
import type { LoadedBoard } from './load.ts';

interface PanelDocument {
  readonly title: string;
  readonly unit: string;
  /** Why the query failed. The data is then missing. */
  readonly error?: string;
  readonly times?: readonly string[];
  readonly series?: readonly TimeSeries[];
  readonly values?: readonly Omit<ValueRow, 'query'>[];
  readonly lines?: readonly (Omit<LogLine, 'ns'> & { readonly time: string })[];
}

export interface WatchDocument {
  readonly dashboard: { readonly uid: string; readonly title: string };
  readonly from: string;
  readonly to: string;
  readonly panels: readonly PanelDocument[];
}

const timeText = (at: number): string => new Date(at).toISOString();

function dataOf(data: PanelData): Pick<PanelDocument, 'times' | 'series' | 'values' | 'lines'> {
  if (data.kind === 'time') return { times: data.times.map(timeText), series: data.series };
  if (data.kind === 'values') return { values: data.rows.map(({ query: _, ...row }) => row) };
  return {
    lines: data.lines.map(({ labels, line, ns }) => ({ time: timeText(millisecondsOf({ ns })), labels, line })),
  };
}

export function documentOf({ board, rangeMs, now, panels }: LoadedBoard): WatchDocument {
  const { uid, title } = board;
  return {
    dashboard: { uid, title },
    from: timeText(now - rangeMs),
    to: timeText(now),
    panels: board.panels.map(({ title: name, unit }, index) => {
      const { data, error } = (panels[index] ?? {}) as { readonly data?: PanelData; readonly error?: string };
      return { title: name, unit, ...(error !== undefined && { error }), ...(data && dataOf(data)) };
    }),
  };
}
