/** The dashboard of one address: its requests and its connections. */
import { connectionEvents, countQuery, formattedQuery, requestEvents, topQuery, totalQuery } from './logql.ts';
import type { Board } from './model.ts';
import { bars, logs, stat, table, timeline } from './panels.ts';

const stoppedEvents = { outcomes: ['blocked', 'detected'] } as const;
const banEvents = { outcomes: ['banned', 'unbanned'] } as const;

export const address: Board = {
  uid: 'guard-address',
  title: 'Request Guard: one address',
  description: 'What one address did on both layers: enter it as address.',
  firstVariable: 'address',
  refresh: '1m',
  rows: [
    {
      height: 4,
      panels: [
        stat({
          ...{ title: 'Blocked requests', width: 5, outcome: 'blocked' },
          expr: totalQuery({ ...requestEvents, outcomes: ['blocked'] }),
          description: 'Requests of the address that gateways blocked.',
        }),
        stat({
          ...{ title: 'Detected requests', width: 5, outcome: 'detected' },
          expr: totalQuery({ ...requestEvents, outcomes: ['detected'] }),
          description: 'Requests of the address that a policy in mode detect passed on.',
        }),
        stat({
          ...{ title: 'Blocked connections', width: 6, outcome: 'blocked' },
          expr: totalQuery({ ...connectionEvents, outcomes: ['blocked'] }),
          description: 'Connections of the address that tcp-guard refused or ended.',
        }),
        stat({
          ...{
            title: 'Failed logins',
            width: 5,
            outcome: 'auth_failure',
            expr: totalQuery({ outcomes: ['auth_failure'] }),
          },
          description: 'Failed logins of the address.',
        }),
        stat({
          ...{ title: 'Bans', width: 3, outcome: 'banned', expr: totalQuery({ outcomes: ['banned'] }) },
          description: 'How often tcp-guard banned the address, from log_level info on.',
        }),
      ],
    },
    {
      height: 9,
      panels: [
        timeline({
          ...{ title: 'Both layers over time', width: 24, expr: countQuery({}, ['gateway', 'action'], 'step') },
          legend: '{{gateway}} {{action}}',
          description: 'Which layer saw the address when, and what it did.',
        }),
      ],
    },
    {
      height: 10,
      panels: [
        table({
          ...{ title: 'Requests', width: 12, labels: ['path', 'host', 'method', 'rule_id', 'response'] },
          expr: topQuery(50, { ...requestEvents, ...stoppedEvents }, ['path', 'host', 'method', 'rule_id', 'response']),
          description: 'Paths that the address requested, with the rule that matched and the response mode.',
        }),
        table({
          ...{ title: 'Connections', width: 12, labels: ['service', 'service_name', 'action', 'rule_id'] },
          expr: topQuery(50, connectionEvents, ['service', 'service_name', 'action', 'rule_id']),
          description: 'Services that the address connected to, with the outcome and its reason.',
        }),
      ],
    },
    {
      height: 11,
      panels: [
        bars({
          ...{
            title: 'User agents',
            width: 12,
            label: 'user_agent',
            expr: topQuery(10, requestEvents, ['user_agent']),
          },
          description: 'What the address names as its user agent.',
        }),
        bars({
          ...{ title: 'Addresses', width: 12, label: 'client_ip', expr: topQuery(10, {}, ['client_ip']) },
          description: 'The addresses that the variable address selects. A click selects one of them.',
        }),
      ],
    },
    {
      height: 8,
      panels: [
        logs({
          ...{ title: 'Bans and lifted bans', width: 24, expr: formattedQuery(banEvents) },
          description: 'Bans and lifted bans of the address, each with its reason.',
        }),
      ],
    },
    {
      height: 12,
      panels: [
        logs({
          ...{ title: 'Log', width: 24, expr: formattedQuery({}) },
          description: 'The newest records of the address on both layers.',
        }),
      ],
    },
  ],
};
