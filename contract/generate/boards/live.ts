/** The dashboard with the newest events as lines. */
import { countQuery, formattedQuery, recordQuery } from './logql.ts';
import type { Board } from './model.ts';
import { logs, timeline } from './panels.ts';

export const live: Board = {
  uid: 'guard-live',
  title: 'Request Guard: live log',
  description: 'The newest events of gateways and tcp-guard.',
  refresh: '10s',
  rows: [
    {
      height: 6,
      panels: [
        timeline({
          ...{ title: 'Events over time', width: 24, expr: countQuery({}, ['action'], 'step'), legend: '{{action}}' },
          description: 'Events of gateways and of tcp-guard, by outcome.',
        }),
      ],
    },
    {
      height: 16,
      panels: [
        logs({
          ...{ title: 'Events', width: 24, expr: formattedQuery({ labels: ['action!="unparsed"'] }) },
          description:
            'Outcome, gateway, service, address, method, path, rule and reference. The details of a line have the others.',
        }),
      ],
    },
    {
      height: 8,
      panels: [
        logs({
          ...{
            title: 'Unparsed lines',
            width: 24,
            expr: recordQuery({ outcomes: ['unparsed'] }),
          },
          description: 'Lines of the event files that are not events, such as faults of tcp-guard.',
        }),
      ],
    },
  ],
};
