/** Lists the dashboards and alert rules that are written below observability/grafana. */
import { address } from './address.ts';
import { alertRules } from './alerts.ts';
import { layer4 } from './layer4.ts';
import { live } from './live.ts';
import { type Board, dashboard } from './model.ts';
import { overview } from './overview.ts';
import { world } from './world.ts';

export const boards: readonly Board[] = [overview, layer4, address, world, live];

export const boardFiles = [
  ...boards.map((board) => ({
    file: `observability/grafana/dashboards/${board.uid}.json`,
    text: () => `${JSON.stringify(dashboard(board, boards), undefined, 2)}\n`,
  })),
  { file: 'observability/grafana/provisioning/alerting/request-guard.yaml', text: alertRules },
];
