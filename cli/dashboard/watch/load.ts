import { GuardError } from '../../../platform/errors.ts';
import type { Loki } from '../loki/client.ts';
import { loadPanel } from './data.ts';
import { layoutRows, pointsOf } from './layout.ts';
import { boardOf, type PanelState, type WatchState } from './state.ts';

const parallelLoads = 3;

export interface Load {
  readonly loki: Loki;
  /** End of the range, in milliseconds since the epoch. */
  readonly now: number;
  readonly columns: number;
  readonly isRequested: (panel: number) => boolean;
  readonly onPanel: (panel: number, loaded: PanelState) => void;
}

/** Returns the state of a panel whose query failed, with its old data. @throws errors that do not concern the query */
function failedState(error: unknown, data: PanelState['data']): PanelState {
  const isOfPanel = error instanceof GuardError && error.code !== 'loki_unreachable';
  if (!isOfPanel) throw error;
  return { ...(data && { data }), error: error.message };
}

/** Loads the requested panels. @throws ExternalError when Loki does not respond */
export async function loadPanels(state: WatchState, { loki, now, columns, isRequested, onPanel }: Load): Promise<void> {
  const board = boardOf(state);
  const view = { now, rangeMs: state.rangeMs, chosen: state.chosen, variables: board.variables };
  const cells = layoutRows(board.panels, columns, 0, () => undefined).flatMap((row) => row.cells);
  const requestedCells = cells.filter(({ panel }) => isRequested(panel)).values();
  const lane = async (): Promise<void> => {
    for (const { panel: index, width } of requestedCells) {
      const panel = board.panels[index];
      if (!panel) continue;
      const loaded = await loadPanel(loki, panel, view, pointsOf(width)).then(
        (data) => ({ data }),
        (error: unknown) => failedState(error, state.panels[index]?.data),
      );
      onPanel(index, loaded);
    }
  };
  await Promise.all(Array.from({ length: parallelLoads }, lane));
}
