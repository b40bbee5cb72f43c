import { GuardError } from '../../platform/errors.ts';
import type { Loki } from '../stack/loki/client.ts';
import type { Board } from './boards/model.ts';
import { loadPanel, type PanelData } from './data.ts';

/** What a panel shows: its data, or why its query failed. */
export type PanelState = { readonly data: PanelData } | { readonly error: string };

/** A dashboard with the data of its panels, which are in its order. */
export interface LoadedBoard {
  readonly board: Board;
  readonly rangeMs: number;
  /** End of the range, in milliseconds since the epoch. */
  readonly now: number;
  readonly panels: readonly PanelState[];
}

const parallelLoads = 3;

/** Samples of a chart: fewer than it has columns, because its axis needs some. */
const pointsOf = (columns: number): number => Math.min(Math.max(columns - 8, 20), 240);

/** @throws errors that do not concern the query */
function failedState(error: unknown): PanelState {
  const isOfPanel = error instanceof GuardError && error.code !== 'loki_unreachable';
  if (!isOfPanel) throw error;
  return { error: error.message };
}

/** Loads all panels. @throws ExternalError when Loki does not respond */
export async function loadBoard(
  loki: Loki,
  { board, rangeMs, now }: Omit<LoadedBoard, 'panels'>,
  columns: number,
): Promise<LoadedBoard> {
  const view = { now, rangeMs, chosen: {}, variables: board.variables };
  const panels: PanelState[] = [];
  const rows = board.panels.entries();
  const lane = async (): Promise<void> => {
    for (const [index, panel] of rows)
      panels[index] = await loadPanel(loki, panel, view, pointsOf(columns)).then((data) => ({ data }), failedState);
  };
  await Promise.all(Array.from({ length: parallelLoads }, lane));
  return { board, rangeMs, now, panels };
}
