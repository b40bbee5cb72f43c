/** One honest line of each kind, with its members in the order of the line. */
import type { AuditRecord, EventSummary, RequestEvent } from './members.ts';

const blocked: RequestEvent = {
  ...{ type: 'guard_block', timestamp: '2026-11-21T00:02:03.004Z', gateway: 'caddy', mode: 'enforce' },
  ...{ client_ip: '192.0.2.1', method: 'GET', host: 'example.com', path: '/.env', request_uri: '/.env' },
  ...{ target: 'path', candidate: '/.env', rule_id: 'env-file', pattern: '(?i)/\\.env', reason: 'block_pattern_match' },
  ...{ action: 'json', status: 403, user_agent: 'curl/8', reference: '7K3QF2M9TD' },
};

const detected: RequestEvent = {
  ...blocked,
  ...{ type: 'guard_detect', gateway: 'traefik', mode: 'detect', method: 'POST', path: '/upload', target: 'body' },
  ...{ request_uri: '/upload', candidate: '', rule_id: '', pattern: '', reason: 'limit_body' },
  ...{ overflow: 'length', inspected_values: 6, inspected_bytes: 995 },
};

const summary: EventSummary = {
  ...{ type: 'guard_block_summary', timestamp: '2026-11-21T00:02:04.000Z', gateway: 'nginx', count: 2871 },
  clients: [
    { client: '192.0.2.1', count: 2800 },
    { client: '2001:db8::/64', count: 50 },
  ],
  others: 21,
};

const audit: AuditRecord = {
  ...{ type: 'security_event', timestamp: '2026-11-21T09:30:00.000Z', service: 'cache', protocol: 'redis' },
  ...{ client_ip: '192.0.2.7', client_port: 50122, country_code: '', action: 'blocked', reason: 'command' },
  ...{ bytes_in: 31, bytes_out: 5, duration_ms: 12, facts: { command: 'FLUSHALL' } },
};

const fault = { type: 'fault', timestamp: '2026-11-21T09:30:00.000Z', message: 'accept EMFILE' } as const;

export const eventExamples = { blocked, detected, summary, audit, fault } as const;
