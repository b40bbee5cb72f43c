/**
 * Defines the lines that the guards and tcp-guard write: events, summaries and audit records. Each table has the members
 * of one line in the order of the line, as JSON Schema. Writers, readers, schemas and pages are derived from it.
 */
import { daemonBounds } from '../daemon/bounds.ts';
import { limits } from '../policy/limits.ts';
import { modes } from '../policy/modes.ts';
import { blockedReasons, overflows } from '../policy/reasons.ts';
import { reference } from '../policy/reference.ts';
import { policyModes } from '../values/policy-modes.ts';

/**
 * Version of the format. Members keep their names, order and types within a version, and new ones are only appended. A
 * change that an existing reader would misread needs a new `type` and the next version.
 */
export const eventVersion = 1;

/** Characters of an address in canonical text (at most 45), of a network, and of names that programs choose. */
const nameCharacters = 64;
/** Largest count of one line. A guard that cannot write for hours counts less. */
const mostCounted = 1_000_000_000;

/** RFC 3339. Writers use UTC with milliseconds; log shippers may write another offset and other fractions. */
export const timePattern = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?(?:Z|[+-]\\d\\d:\\d\\d)$';

const text = (description: string, maxLength: number = limits.eventBytes) =>
  ({ type: 'string', maxLength, description }) as const;
const constant = <const V extends string>(value: V) =>
  ({ type: 'string', const: value, description: 'Type of the line.' }) as const;
const oneOf = <const V extends string>(values: readonly V[], description: string) =>
  ({ type: 'string', enum: values, description }) as const;
/** A name of a list that later versions extend. Readers accept every name. */
const nameOf = (known: readonly string[], description: string, minLength = 0) =>
  ({ type: 'string', minLength, maxLength: nameCharacters, examples: known, description }) as const;
const integer = (description: string, minimum = 0, maximum = Number.MAX_SAFE_INTEGER) =>
  ({ type: 'integer', minimum, maximum, description }) as const;
const time = { type: 'string', pattern: timePattern, description: 'Time: RFC 3339, UTC, milliseconds.' } as const;

export const requestTypes = ['guard_block', 'guard_detect'] as const;
/** The type of an event in each mode of a policy. */
export const typeOfMode = { enforce: 'guard_block', detect: 'guard_detect' } as const;
export const gateways = ['caddy', 'traefik', 'nginx'] as const;

const gateway = nameOf(gateways, 'Proxy of the guard.', 1);

/** Members of an event: one request that a guard blocked, or would have blocked in mode detect. */
export const requestMembers = {
  type: oneOf(requestTypes, '`guard_detect`: the policy has mode detect, and the request was passed on.'),
  timestamp: time,
  gateway,
  mode: nameOf(policyModes, 'Mode of the policy.'),
  client_ip: text('Client. Empty when the peer has no address, such as on a Unix socket.', nameCharacters),
  method: text('Method.'),
  host: text('Host.'),
  path: text('Path of the target, as the guard received it.'),
  request_uri: text('Target with its query, as the guard received it.'),
  target: text('Part of the request that decided: `path`, `query`, `body` or `header:<name>`.'),
  candidate: text('Reading of that part that matched. Empty when a limit decided.'),
  rule_id: text('Rule. Empty when a limit decided.', nameCharacters),
  pattern: text('Pattern of the rule. Empty when a limit decided.'),
  reason: nameOf(blockedReasons, 'Reason of the verdict.', 1),
  action: nameOf(Object.keys(modes), 'Response mode of the policy.'),
  status: integer('Status of the response. 0: the mode sends none.', 0, 599),
  user_agent: text('User agent.'),
  reference: {
    ...text('Random id that the response may show. Empty when the system has no random bytes.', reference.characters),
    pattern: `^(?:[${reference.alphabet}]{${reference.characters}})?$`,
  },
} as const;

/** Members that follow when a part of a body was not inspected: the reason is `limit_body`. */
export const bodyMembers = {
  overflow: nameOf([...overflows, 'unread'], 'Why. `unread`: nginx could not read the body, in mode detect.'),
  inspected_values: integer('Values that were inspected.'),
  inspected_bytes: integer('Bytes that were inspected.'),
} as const;

const client = {
  client: text('Address, or the /64 of several addresses.', nameCharacters),
  count: integer('Blocked requests.', 1, mostCounted),
} as const;

/** Members of a summary: the events of one second that have no line. */
export const summaryMembers = {
  type: constant('guard_block_summary'),
  timestamp: time,
  gateway,
  count: integer('Events without a line.', 1, mostCounted),
  clients: {
    type: 'array',
    maxItems: limits.eventSumNames,
    items: { type: 'object', properties: client, required: ['client', 'count'] },
    description: `Clients with the most blocked requests, of the first ${limits.eventSumClients} of this second.`,
  },
  others: integer('Remaining events, those of mode detect, and those of banned clients.', 0, mostCounted),
} as const;

export const auditActions = ['allowed', 'auth_failure', 'blocked', 'banned', 'unbanned', 'detected'] as const;

/** Members of an audit record: a line of the audit file, and the `data` of a server-sent event. */
export const auditMembers = {
  type: constant('security_event'),
  timestamp: time,
  service: text('Name of the service. Empty: none.', nameCharacters),
  protocol: text('Inspector of the service. Empty: none.', nameCharacters),
  client_ip: text('Client or banned network. Empty: many addresses that the firewall refused.', nameCharacters),
  client_port: integer('Port of the client. 0: none.', 0, 65_535),
  country_code: {
    ...text('ISO 3166-1 alpha-2. Empty: unknown.', 2),
    pattern: '^(?:[A-Z]{2})?$',
  },
  action: oneOf(auditActions, 'What happened.'),
  reason: text('Reason code, such as `ban`, `rate_limit` or `port_scan`, or the reason of a ban.', 256),
  bytes_in: integer('Bytes from the client.'),
  bytes_out: integer('Bytes to the client.'),
  duration_ms: { type: 'number', minimum: 0, description: 'Duration of the connection, milliseconds.' },
} as const;

/** Members that only some audit records have. They follow in any order. */
export const auditExtras = {
  confidence: { type: 'string', const: 'probable', description: 'Inferred from the shape of the session.' },
  count: integer('Equal events of a flood that this record summarizes. Absent: 1.', 1, mostCounted),
  facts: {
    type: 'object',
    maxProperties: daemonBounds.connectionFacts,
    additionalProperties: { type: 'string', maxLength: daemonBounds.factBytes },
    description: 'Facts of the inspector, such as the `command`: of blocked connections, and at level debug of all.',
  },
} as const;

/** Members of a fault: an internal error of tcp-guard, which is not an event. */
export const faultMembers = {
  type: constant('fault'),
  timestamp: time,
  message: { type: 'string', description: 'What failed. It has as many lines as the log.' },
} as const;

export interface LineRow {
  readonly members: object;
  /** Members that a line can lack. */
  readonly extras: object;
  /**
   * Members that decide what a line counts for. A line without one, or with a value beyond its bounds, is not an event.
   * Log shippers overwrite other members, such as `host`: readers replace a wrong value by an empty text or 0.
   */
  readonly deciding: readonly string[];
}

const request: LineRow = {
  members: requestMembers,
  extras: bodyMembers,
  deciding: ['timestamp', 'gateway', 'client_ip', 'path', 'rule_id', 'reason'],
};

/** The lines that are events, by their type. */
export const eventLines = {
  guard_block: request,
  guard_detect: request,
  guard_block_summary: { members: summaryMembers, extras: {}, deciding: ['timestamp', 'gateway', 'count'] },
  security_event: {
    members: auditMembers,
    extras: auditExtras,
    deciding: ['timestamp', 'client_ip', 'country_code', 'action', 'reason', 'count'],
  },
} as const satisfies Readonly<Record<string, LineRow>>;
export type EventType = keyof typeof eventLines;

type Value<R> = R extends { readonly const: infer V }
  ? V
  : R extends { readonly enum: readonly (infer V)[] }
    ? V
    : R extends { readonly type: 'string' }
      ? string
      : R extends { readonly type: 'array'; readonly items: { readonly properties: infer I } }
        ? readonly Values<I>[]
        : R extends { readonly type: 'object' }
          ? Readonly<Record<string, string>>
          : number;
type Values<T> = { readonly [K in keyof T]: Value<T[K]> };

/** An event. Every value may come from an attacker. */
export type RequestEvent = Values<typeof requestMembers> & Partial<Values<typeof bodyMembers>>;
export type EventSummary = Values<typeof summaryMembers>;
export type AuditRecord = Values<typeof auditMembers> & Partial<Values<typeof auditExtras>>;

/** What an event can report. `detected`: a policy in mode detect passed the request on, or `bans.mode` is detect. */
export const outcomes = ['blocked', 'detected', 'auth_failure', 'banned', 'unbanned', 'allowed'] as const;
export type Outcome = (typeof outcomes)[number];
