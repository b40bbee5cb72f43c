/** The overview dashboard: blocked requests and connections, their countries, addresses and rules. */
import { connectionEvents, countQuery, recordQuery, requestEvents, topQuery, totalQuery } from './logql.ts';
import type { Board } from './model.ts';
import { bars, newestLine, stat, timeline } from './panels.ts';

const blockedEvents = { outcomes: ['blocked'] } as const;
const stoppedEvents = { outcomes: ['blocked', 'detected'] } as const;

export const overview: Board = {
  uid: 'guard-overview',
  title: 'Request Guard: overview',
  description: 'What was blocked, where from, and by which rule.',
  refresh: '1m',
  rows: [
    {
      height: 3,
      panels: [
        stat({
          ...{ title: 'Blocked', width: 6, outcome: 'blocked', expr: totalQuery(blockedEvents) },
          description: 'Requests that gateways blocked, and connections that tcp-guard refused or ended.',
        }),
        stat({
          ...{ title: 'Detected', width: 6, outcome: 'detected', expr: totalQuery({ outcomes: ['detected'] }) },
          description: 'Requests that a policy in mode detect passed on. In mode enforce they would be blocked.',
        }),
        stat({
          ...{
            title: 'Failed logins',
            width: 6,
            outcome: 'auth_failure',
            expr: totalQuery({ outcomes: ['auth_failure'] }),
          },
          description: 'Failed logins that tcp-guard detected in the replies of servers.',
        }),
        stat({
          ...{ title: 'Bans', width: 6, outcome: 'banned', expr: totalQuery({ outcomes: ['banned'] }) },
          description: 'Addresses that tcp-guard banned. The audit file has bans from log_level info on.',
        }),
      ],
    },
    {
      height: 3,
      panels: [
        stat({
          ...{ title: 'Allowed', width: 6, outcome: 'allowed', expr: totalQuery({ outcomes: ['allowed'] }) },
          description:
            'Connections that tcp-guard relayed, from log_level info on. Gateways report no allowed requests.',
        }),
        stat({
          ...{ title: 'Unparsed lines', width: 6, outcome: 'unparsed', expr: totalQuery({ outcomes: ['unparsed'] }) },
          description: 'Lines of the event files that are not events. They are in the live log.',
        }),
        newestLine({
          ...{ title: 'Newest event', width: 12, expr: recordQuery({ labels: ['action!="unparsed"'] }) },
          description:
            'When the newest event was. While it is long ago although there are requests, no events arrive: see the status of the stack.',
        }),
      ],
    },
    {
      height: 9,
      panels: [
        timeline({
          ...{ title: 'Outcomes over time', width: 12, expr: countQuery({}, ['action'], 'step'), legend: '{{action}}' },
          description: 'Events of gateways and of tcp-guard, by outcome.',
        }),
        timeline({
          ...{ title: 'Gateways over time', width: 12, legend: '{{gateway}} {{action}}' },
          expr: countQuery(stoppedEvents, ['gateway', 'action'], 'step'),
          description: 'Blocked and detected requests and connections, by gateway.',
        }),
      ],
    },
    {
      height: 11,
      panels: [
        bars({
          ...{ title: 'Rules', width: 12, outcome: 'blocked', label: 'rule_id' },
          expr: topQuery(10, stoppedEvents, ['rule_id']),
          description: 'The most frequent rules of gateways and reasons of tcp-guard, blocked and detected.',
        }),
        bars({
          ...{ title: 'Addresses', width: 12, outcome: 'blocked', label: 'client_ip' },
          expr: topQuery(10, stoppedEvents, ['client_ip']),
          description: 'The addresses with the most blocked and detected events. A click opens the investigation.',
        }),
      ],
    },
    {
      height: 11,
      panels: [
        bars({
          ...{ title: 'Paths', width: 12, outcome: 'blocked', label: 'path' },
          expr: topQuery(10, { ...requestEvents, ...stoppedEvents }, ['path']),
          description: 'The paths with the most blocked and detected requests. tcp-guard sees no paths.',
        }),
        bars({
          ...{ title: 'Countries', width: 12, outcome: 'blocked', label: 'country' },
          expr: topQuery(10, { ...connectionEvents, ...blockedEvents }, ['country']),
          description:
            'Countries of connections that tcp-guard blocked. It needs geoip_db; gateways report no country.',
        }),
      ],
    },
  ],
};
