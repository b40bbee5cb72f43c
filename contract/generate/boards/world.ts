/** The dashboard of countries: where connections to tcp-guard come from. */
import { connectionEvents, countQuery, topQuery } from './logql.ts';
import type { Board } from './model.ts';
import { bars, map, table, timeline } from './panels.ts';

const blockedEvents = { ...connectionEvents, outcomes: ['blocked'] } as const;

export const world: Board = {
  uid: 'guard-world',
  title: 'Request Guard: countries',
  description: 'Countries of connections. It needs geoip_db in the configuration of tcp-guard.',
  refresh: '5m',
  rows: [
    {
      height: 16,
      panels: [
        map({
          ...{
            title: 'Blocked by country',
            width: 16,
            label: 'country',
            expr: topQuery(250, blockedEvents, ['country']),
          },
          description: 'Connections that tcp-guard blocked. The area of a circle grows with their number.',
        }),
        bars({
          ...{
            title: 'Countries',
            width: 8,
            outcome: 'blocked',
            label: 'country',
            expr: topQuery(20, blockedEvents, ['country']),
          },
          description: 'Countries with the most blocked connections, by their code of two letters (ISO 3166-1).',
        }),
      ],
    },
    {
      height: 9,
      panels: [
        timeline({
          ...{
            title: 'Blocked over time by country',
            width: 12,
            expr: countQuery({ ...blockedEvents, where: ['country!=""'] }, ['country'], 'step'),
          },
          ...{
            legend: '{{country}}',
            description: 'Blocked connections, by country.',
          },
        }),
        table({
          ...{ title: 'Countries and outcomes', width: 12, labels: ['country', 'service', 'action'] },
          expr: topQuery(100, connectionEvents, ['country', 'service', 'action']),
          description: 'Events of each country, by service and outcome.',
        }),
      ],
    },
  ],
};
