/**
 * The management API of tcp-guard: its operations, with the schemas that requests are checked with. The OpenAPI document and
 * docs/api.md are made from them.
 */
import * as z from 'zod/mini';
import { optional } from '../schema/kinds.ts';
import { apiNetwork, count, cursorText, serviceName } from './fields.ts';
import type { Operation } from './operation.ts';
import * as records from './records.ts';

const none = z.strictObject({});

/** Where bans in a listing come from. */
export const banSources = ['local', 'crowdsec', 'all'] as const;

const mostListed = 1000; // some 200 KB of answer

const banlistQuery = z.strictObject({
  limit: optional(count(mostListed), 'Most records of the answer; default: 100.'),
  cursor: optional(cursorText(), 'From the answer before: where to go on.'),
  ip: optional(apiNetwork(), 'Only records that cover this address or network.'),
  origin: optional(
    z.enum(banSources),
    'local: bans made here, by any cause; crowdsec: decisions of the threat feed; default: local.',
  ),
});

const eventsQuery = z.strictObject({
  service: optional(serviceName(), 'Only events of this service.'),
  action: optional(z.enum(records.auditActions), 'Only events of this action.'),
});

export const operations = {
  health: {
    method: 'GET',
    path: '/health',
    summary: 'how the daemon is',
    description: 'For probes of orchestrators: they restart on 503, which means that no connections are accepted.',
    isPublic: true,
    query: none,
    answer: {
      status: 200,
      description: 'It serves; `status` says whether a part is ill.',
      schema: records.Health,
      name: 'Health',
      also: { 503: 'No connections are accepted.' },
    },
    errors: [],
  },
  ping: {
    method: 'GET',
    path: '/ping',
    summary: 'whether the API answers',
    isPublic: true,
    query: none,
    answer: { status: 200, description: '`pong`', mediaType: 'text/plain' },
    errors: [],
  },
  stats: {
    method: 'GET',
    path: '/stats',
    summary: 'connections and bytes of each service',
    query: none,
    answer: { status: 200, description: 'Counted since the start.', schema: records.Stats, name: 'Stats' },
    errors: [],
  },
  services: {
    method: 'GET',
    path: '/services',
    summary: 'the services and where they lead',
    query: none,
    answer: { status: 200, description: 'As configured.', schema: records.Services, name: 'Services' },
    errors: [],
  },
  banlist: {
    method: 'GET',
    path: '/banlist',
    summary: 'who is banned',
    query: banlistQuery,
    answer: { status: 200, description: 'One page.', schema: records.BanList, name: 'BanList' },
    errors: [],
  },
  ban: {
    method: 'POST',
    path: '/ban',
    summary: 'ban an address or a network on all services',
    description: 'Enforced and on disk when the answer comes; open connections of the address are cut.',
    query: none,
    body: records.BanRequest,
    answer: { status: 201, description: 'The ban that now holds.', schema: records.BanRecord, name: 'BanRecord' },
    errors: ['bad_address', 'never_ban', 'not_durable', 'too_many_bans'],
  },
  unban: {
    method: 'POST',
    path: '/unban',
    summary: 'lift a ban',
    description: 'Lifted and on disk when the answer comes.',
    query: none,
    body: records.UnbanRequest,
    answer: { status: 200, description: 'The ban that was lifted.', schema: records.BanRecord, name: 'BanRecord' },
    errors: ['bad_address', 'not_banned', 'not_durable'],
  },
  events: {
    method: 'GET',
    path: '/events',
    summary: 'security events as they happen, as server-sent events',
    description:
      'Each has an `id`, the event `security_event` and a SecurityEvent as `data`. `Last-Event-ID` replays what came ' +
      'after it and is still kept. A reader that is too slow is dropped: it comes back with `Last-Event-ID`.',
    query: eventsQuery,
    answer: { status: 200, description: 'A stream that stays open.', mediaType: 'text/event-stream' },
    errors: ['too_many_readers'],
  },
  report: {
    method: 'POST',
    path: '/report',
    summary: 'count a failure that was seen elsewhere',
    description: 'It adds up with the failures that the daemon sees itself, and bans like them.',
    query: none,
    body: records.ReportRequest,
    answer: { status: 200, description: 'It was counted.', schema: records.Reported, name: 'Reported' },
    errors: ['bad_address', 'no_service'],
  },
  reload: {
    method: 'POST',
    path: '/reload',
    summary: 'apply the configuration file again',
    description:
      'Connections stay. A configuration with an error changes nothing. The answer names the keys that changed, those ' +
      'that wait for a restart, and what does not work.',
    query: none,
    answer: { status: 200, description: 'It is applied.', schema: records.Reloaded, name: 'Reloaded' },
    errors: ['invalid_configuration'],
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    summary: 'the same numbers for Prometheus',
    query: none,
    answer: { status: 200, description: 'Text format 0.0.4.', mediaType: 'text/plain' },
    errors: [],
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'this API, as an OpenAPI 3.1 document',
    query: none,
    answer: { status: 200, description: 'The document.', schema: z.looseObject({}), name: 'OpenApi' },
    errors: [],
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
