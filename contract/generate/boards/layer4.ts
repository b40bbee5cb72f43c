/** The dashboard of tcp-guard: its connections and bans, by service. */
import { connectionEvents, countQuery, formattedQuery, topQuery } from './logql.ts';
import type { Board } from './model.ts';
import { bars, logs, table, timeline } from './panels.ts';

const blockedEvents = { ...connectionEvents, outcomes: ['blocked'] } as const;
const failedLogins = { ...connectionEvents, outcomes: ['auth_failure'] } as const;
const banEvents = { ...connectionEvents, outcomes: ['banned', 'unbanned', 'detected'] } as const;
const probeEvents = { labels: [...connectionEvents.labels, 'service="port_scan"'], outcomes: ['blocked'] } as const;

export const layer4: Board = {
  uid: 'guard-layer4',
  title: 'Request Guard: layer 4',
  description: 'What tcp-guard did, for each service.',
  refresh: '1m',
  rows: [
    {
      height: 9,
      panels: [
        timeline({
          ...{
            title: 'Outcomes over time',
            width: 16,
            expr: countQuery(connectionEvents, ['action'], 'step'),
            legend: '{{action}}',
          },
          description: 'Connections, failed logins and bans, by outcome.',
        }),
        table({
          ...{ title: 'Services', width: 8, labels: ['service', 'service_name', 'action'] },
          expr: topQuery(50, connectionEvents, ['service', 'service_name', 'action']),
          description:
            'Events of each service, by outcome. A service that is not named after its protocol is in service_name.',
        }),
      ],
    },
    {
      height: 9,
      panels: [
        timeline({
          ...{ title: 'Blocked over time by service', width: 8, expr: countQuery(blockedEvents, ['service'], 'step') },
          ...{ legend: '{{service}}', description: 'Connections that tcp-guard refused or ended, by service.' },
        }),
        timeline({
          ...{
            title: 'Failed logins over time',
            width: 8,
            expr: countQuery(failedLogins, ['service'], 'step'),
          },
          ...{ legend: '{{service}}', description: 'Failed logins, by service.' },
        }),
        timeline({
          ...{
            title: 'Bans over time',
            width: 8,
            expr: countQuery(banEvents, ['action'], 'step'),
            legend: '{{action}}',
          },
          description:
            'Bans, lifted bans, and bans that mode detect only records. The audit file has them from log_level info on.',
        }),
      ],
    },
    {
      height: 11,
      panels: [
        bars({
          ...{
            title: 'Reasons',
            width: 8,
            outcome: 'blocked',
            label: 'rule_id',
            expr: topQuery(10, blockedEvents, ['rule_id']),
          },
          description: 'Why connections were refused or ended.',
        }),
        bars({
          ...{
            title: 'Addresses',
            width: 8,
            outcome: 'blocked',
            label: 'client_ip',
            expr: topQuery(10, blockedEvents, ['client_ip']),
          },
          description: 'The addresses with the most blocked connections. A click opens the investigation.',
        }),
        bars({
          ...{
            title: 'Addresses with failed logins',
            width: 8,
            outcome: 'auth_failure',
            label: 'client_ip',
          },
          expr: topQuery(10, failedLogins, ['client_ip']),
          description: 'The addresses with the most failed logins. A click opens the investigation.',
        }),
      ],
    },
    {
      height: 11,
      panels: [
        timeline({
          ...{ title: 'Port scans over time', width: 12, expr: countQuery(probeEvents, ['action'], 'step') },
          ...{
            legend: '{{action}}',
            description: 'Probes of closed ports and trap ports.',
          },
        }),
        bars({
          ...{
            title: 'Addresses of port scans',
            width: 12,
            outcome: 'blocked',
            label: 'client_ip',
          },
          expr: topQuery(10, probeEvents, ['client_ip']),
          description: 'The addresses with the most probes of closed ports and trap ports.',
        }),
      ],
    },
    {
      height: 9,
      panels: [
        logs({
          ...{ title: 'Bans and lifted bans', width: 24, expr: formattedQuery(banEvents) },
          description: 'The newest bans, lifted and detected bans, each with its reason.',
        }),
      ],
    },
  ],
};
