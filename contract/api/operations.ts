/** The operations of the management API. The OpenAPI document and docs/api.md are generated from them. */
import * as z from 'zod/mini';
import { auditActions } from '../events/members.ts';
import { optional, required } from '../schema/kinds.ts';
import { apiNetwork, count, cursorText, serviceName } from './fields.ts';
import type { Operation } from './operation.ts';
import * as records from './records.ts';
import * as state from './state.ts';

export const banSources = ['local', 'crowdsec', 'all'] as const;

export const mostListedRecords = 1000; // a response of about 200 KB

const banlistQuery = z.strictObject({
  limit: optional(count(mostListedRecords), 'Maximum number of records; default: 100.'),
  cursor: optional(cursorText(), 'The cursor of the previous page.'),
  ip: optional(apiNetwork(), 'Only records that cover this address or network.'),
  origin: optional(
    z.enum(banSources),
    'local: bans of this daemon; crowdsec: decisions of the threat feed; default: local.',
  ),
});

const eventsQuery = z.strictObject({
  service: optional(serviceName(), 'Only events of this service.'),
  action: optional(z.enum(auditActions), 'Only events of this action.'),
});

export const operations = {
  health: {
    method: 'GET',
    path: '/health',
    summary: 'health of the daemon',
    description: 'For orchestrator probes, which restart on 503: no connections are accepted then.',
    isPublic: true,
    answer: {
      status: 200,
      description: 'The daemon serves; `status` says whether something fails.',
      schema: state.Health,
      name: 'Health',
      also: { 503: 'No connections are accepted.' },
    },
  },
  ping: {
    method: 'GET',
    path: '/ping',
    summary: 'check that the API responds',
    isPublic: true,
    answer: { status: 200, description: '`pong`', mediaType: 'text/plain' },
  },
  stats: {
    method: 'GET',
    path: '/stats',
    summary: 'connections and bytes of each service',
    answer: { status: 200, description: 'Counts since the start.', schema: state.Stats, name: 'Stats' },
  },
  services: {
    method: 'GET',
    path: '/services',
    summary: 'the services and their upstreams',
    answer: { status: 200, description: 'All configured services.', schema: state.Services, name: 'Services' },
  },
  banlist: {
    method: 'GET',
    path: '/banlist',
    summary: 'list bans',
    query: banlistQuery,
    answer: { status: 200, description: 'One page.', schema: records.BanList, name: 'BanList' },
    errors: ['other_listing'],
  },
  ban: {
    method: 'POST',
    path: '/ban',
    summary: 'ban an address or a network on all services',
    description: 'Responds when the ban is enforced and on disk. Open connections of the address are cut.',
    body: records.BanRequest,
    answer: { status: 201, description: 'The active ban.', schema: records.BanRecord, name: 'BanRecord' },
    errors: ['bad_address', 'edge_network', 'never_ban', 'ssh_client', 'not_durable', 'store_stalled', 'too_many_bans'],
  },
  unban: {
    method: 'POST',
    path: '/unban',
    summary: 'lift a ban',
    description: 'Responds when the change is in force and on disk.',
    body: records.UnbanRequest,
    answer: { status: 200, description: 'The ban that was lifted.', schema: records.BanRecord, name: 'BanRecord' },
    errors: ['bad_address', 'not_banned', 'not_durable', 'store_stalled'],
  },
  flush: {
    method: 'POST',
    path: '/flush',
    summary: 'lift all bans',
    description: 'Responds when the changes are in force and on disk. Decisions of the threat feed stay.',
    answer: { status: 200, description: 'All bans were lifted.', schema: records.Flushed, name: 'Flushed' },
    errors: ['not_durable', 'store_stalled'],
  },
  why: {
    method: 'GET',
    path: '/why',
    summary: 'everything that decides on an address, and what lifts it',
    query: z.strictObject({ ip: required(apiNetwork(), 'An address or network.') }),
    answer: { status: 200, description: 'What is known of it.', schema: records.Why, name: 'Why' },
    errors: ['bad_address'],
  },
  lists: {
    method: 'GET',
    path: '/lists',
    summary: 'the lists of addresses, with what was dropped of them',
    answer: { status: 200, description: 'All configured lists.', schema: records.Lists, name: 'Lists' },
  },
  allow: {
    method: 'POST',
    path: '/allow',
    summary: 'exempt an address or a network from bans for a time',
    description:
      'Until its end, an exemption beats every ban, list and decision of the threat feed. Bans stay, and are in force again ' +
      'afterwards. It replaces an earlier exemption of the same address. Responds when it is in force and on disk.',
    body: records.AllowRequest,
    answer: { status: 201, description: 'The exemption.', schema: records.ExemptionRecord, name: 'ExemptionRecord' },
    errors: ['bad_address', 'not_durable', 'too_many_exemptions'],
  },
  disallow: {
    method: 'POST',
    path: '/disallow',
    summary: 'end an exemption before its time',
    body: records.UnbanRequest,
    answer: {
      status: 200,
      description: 'The exemption that was ended.',
      schema: records.ExemptionRecord,
      name: 'ExemptionRecord',
    },
    errors: ['bad_address', 'not_exempt', 'not_durable'],
  },
  events: {
    method: 'GET',
    path: '/events',
    summary: 'security events as they happen, as server-sent events',
    description:
      'Each event has an `id`, the type `security_event` and a SecurityEvent as `data`. `Last-Event-ID` replays the kept ' +
      'events after that one. A client that is too slow is disconnected and can resume with `Last-Event-ID`.',
    query: eventsQuery,
    answer: { status: 200, description: 'A stream that stays open.', mediaType: 'text/event-stream' },
    errors: ['too_many_readers'],
  },
  report: {
    method: 'POST',
    path: '/report',
    summary: 'report a failure',
    description: 'Reported failures count together with those that the daemon detects.',
    body: records.ReportRequest,
    answer: { status: 200, description: 'The failure was counted.', schema: records.Reported, name: 'Reported' },
    errors: ['bad_address', 'no_service'],
  },
  reload: {
    method: 'POST',
    path: '/reload',
    summary: 'reload the configuration file',
    description:
      'Connections continue. A configuration with an error changes nothing. The response lists the changed keys, the ' +
      'keys that need a restart, and problems.',
    answer: { status: 200, description: 'The configuration is in force.', schema: records.Reloaded, name: 'Reloaded' },
    errors: ['invalid_configuration'],
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    summary: 'metrics for Prometheus',
    answer: { status: 200, description: 'Text format 0.0.4.', mediaType: 'text/plain' },
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'this API, as an OpenAPI 3.1 document',
    answer: { status: 200, description: 'The document.', schema: z.looseObject({}), name: 'OpenApi' },
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
