import { type Dashboard, type Panel, VariableHide, type VariableModel, VariableRefresh } from '@grafana/schema';

export const datasource = { type: 'loki', uid: 'guard-loki' } as const;

const gridWidth = 24;

/** A panel without its position. `width` is in columns of the grid. */
export interface PanelRow extends Omit<Panel, 'id' | 'gridPos' | 'title' | 'description'> {
  readonly title: string;
  readonly description: string;
  readonly width: number;
}

export interface Board {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly rows: readonly { readonly height: number; readonly panels: readonly PanelRow[] }[];
  /**
   * The name of the variable that selects the subject of the dashboard. Grafana shows it before the other variables.
   */
  readonly firstVariable?: string;
  readonly refresh: `${number}s` | `${number}m`;
}

const listVariable = (name: string, description: string): VariableModel => ({
  ...{ name, label: name, description, type: 'query', datasource, hide: VariableHide.dontHide },
  query: { label: name, refId: `variable-${name}`, stream: '{app="request-guard"}', type: 1 },
  current: { text: ['All'], value: ['$__all'] },
  ...{ includeAll: true, multi: true, allValue: '.*', refresh: VariableRefresh.onTimeRangeChanged, sort: 1 },
});

const textVariable = (name: string, description: string): VariableModel => ({
  ...{ name, label: name, description, type: 'textbox', hide: VariableHide.dontHide, query: '.*' },
  current: { text: '.*', value: '.*' },
});

export const boardVariables = ['gateway', 'service', 'rule', 'address'] as const;

const variables: VariableModel[] = [
  listVariable('gateway', 'Gateways, and tcp-guard.'),
  listVariable('service', 'Services of tcp-guard; those of gateways are http.'),
  textVariable('rule', 'A regular expression for rules of gateways and reasons of tcp-guard.'),
  textVariable('address', 'A regular expression for addresses of clients.'),
];

function placePanels(rows: Board['rows']): Panel[] {
  let [id, y] = [0, 0];
  return rows.flatMap(({ height, panels }) => {
    const top = y;
    y += height;
    let x = 0;
    return panels.map(({ width, ...panel }): Panel => {
      const gridPos = { x, y: top, w: width, h: height };
      x += width;
      if (x > gridWidth) throw new Error(`the panel "${panel.title}" is beyond the right edge of its row`);
      return { id: ++id, gridPos, datasource, ...panel };
    });
  });
}

export function panelId({ uid, rows }: Board, title: string): number {
  const id = placePanels(rows).find((panel) => panel.title === title)?.id;
  if (id === undefined) throw new Error(`the dashboard ${uid} has no panel "${title}"`);
  return id;
}

export function dashboard(
  { uid, title, description, rows, refresh, firstVariable }: Board,
  all: readonly Board[],
): Dashboard {
  return {
    ...{ uid, title, description, refresh, tags: ['request-guard'], schemaVersion: 42, editable: true },
    ...{ timezone: 'browser', time: { from: 'now-24h', to: 'now' }, graphTooltip: 1 },
    links: all
      .filter((other) => other.uid !== uid)
      .map((other) => ({
        ...{ type: 'link', title: other.title, url: `/d/${other.uid}`, tooltip: other.description, icon: 'dashboard' },
        ...{ tags: [], asDropdown: false, targetBlank: false, includeVars: true, keepTime: true },
      })),
    templating: {
      list: variables.toSorted(
        (one, other) => Number(other.name === firstVariable) - Number(one.name === firstVariable),
      ),
    },
    annotations: { list: [] },
    panels: placePanels(rows),
  };
}
