/** The dashboard of one address: its requests and its connections. */
import { count, formatted, most, total } from './logql.ts';
import type { Board } from './model.ts';
import { bars, logs, stat, table, timeline } from './panels.ts';

const stopped = { outcomes: ['blocked', 'detected'] } as const;
const connections = { labels: ['gateway="tcp-guard"'] };
const requests = { labels: ['gateway!="tcp-guard"'] };
const bans = { outcomes: ['banned', 'unbanned'] } as const;

export const address: Board = {
  uid: 'guard-address',
  title: 'Request Guard: one address',
  description: 'What one address did on both layers: enter it as address.',
  about: 'address',
  refresh: '1m',
  rows: [
    {
      height: 4,
      panels: [
        stat({
          ...{ title: 'Blocked requests', width: 5, outcome: 'blocked' },
          expr: total({ ...requests, outcomes: ['blocked'] }),
          description: 'Requests of the address that gateways blocked.',
        }),
        stat({
          ...{ title: 'Detected requests', width: 5, outcome: 'detected' },
          expr: total({ ...requests, outcomes: ['detected'] }),
          description: 'Requests of the address that a policy in mode detect passed on.',
        }),
        stat({
          ...{ title: 'Blocked connections', width: 6, outcome: 'blocked' },
          expr: total({ ...connections, outcomes: ['blocked'] }),
          description: 'Connections of the address that tcp-guard refused or ended.',
        }),
        stat({
          ...{ title: 'Failed logins', width: 5, outcome: 'auth_failure', expr: total({ outcomes: ['auth_failure'] }) },
          description: 'Failed logins of the address.',
        }),
        stat({
          ...{ title: 'Bans', width: 3, outcome: 'banned', expr: total({ outcomes: ['banned'] }) },
          description: 'How often tcp-guard banned the address, from log_level info on.',
        }),
      ],
    },
    {
      height: 9,
      panels: [
        timeline({
          ...{ title: 'Both layers over time', width: 24, expr: count({}, ['gateway', 'action'], 'step') },
          legend: '{{gateway}} {{action}}',
          description: 'Which layer saw the address when, and what it did.',
        }),
      ],
    },
    {
      height: 10,
      panels: [
        table({
          ...{ title: 'Requests', width: 12, labels: ['path', 'host', 'method', 'rule_id'] },
          expr: most(50, { ...requests, ...stopped }, ['path', 'host', 'method', 'rule_id']),
          description: 'Paths that the address requested, with the rule that matched.',
        }),
        table({
          ...{ title: 'Connections', width: 12, labels: ['service', 'service_name', 'action', 'rule_id'] },
          expr: most(50, connections, ['service', 'service_name', 'action', 'rule_id']),
          description: 'Services that the address connected to, with the outcome and its reason.',
        }),
      ],
    },
    {
      height: 9,
      panels: [
        bars({
          ...{ title: 'User agents', width: 12, label: 'user_agent', expr: most(10, requests, ['user_agent']) },
          description: 'What the address names as its user agent.',
        }),
        bars({
          ...{ title: 'Addresses', width: 12, label: 'client_ip', expr: most(10, {}, ['client_ip']) },
          description: 'The addresses that the variable address selects. A click selects one of them.',
        }),
      ],
    },
    {
      height: 8,
      panels: [
        logs({
          ...{ title: 'Bans and lifted bans', width: 24, none: 'no bans', expr: formatted(bans) },
          description: 'Bans and lifted bans of the address, each with its reason.',
        }),
      ],
    },
    {
      height: 12,
      panels: [
        logs({
          ...{ title: 'Log', width: 24, expr: formatted({}) },
          description: 'The newest records of the address on both layers.',
        }),
      ],
    },
  ],
};
