/** The newest events, as lines. */
import { count, records } from './logql.ts';
import { type Board, logs, timeline } from './model.ts';

/** The facts of an event; a line that is not an event has none, and remains unchanged. */
const short =
  ' | line_format `{{if .client_ip}}{{.action}} {{.gateway}} {{.service}} {{.client_ip}} {{.method}} {{.path}} {{.rule_id}}{{else}}{{__line__}}{{end}}`';

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
          ...{ title: 'Events over time', width: 24, expr: count({}, ['action'], 'step'), legend: '{{action}}' },
          description: 'Events of gateways and of tcp-guard, by outcome.',
        }),
      ],
    },
    {
      height: 16,
      panels: [
        logs({
          ...{ title: 'Events', width: 24, expr: `${records({ labels: ['action!="unparsed"'] })}${short}` },
          description:
            'Outcome, gateway, service, address, method, path and rule. The details of a line have the others.',
        }),
      ],
    },
    {
      height: 8,
      panels: [
        logs({
          ...{ title: 'Unparsed lines', width: 24, expr: records({ outcomes: ['unparsed'] }) },
          description: 'Lines of the event files that are not events, such as faults of tcp-guard.',
        }),
      ],
    },
  ],
};
