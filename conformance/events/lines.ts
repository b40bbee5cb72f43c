import { eventExamples } from '../../contract/events/examples.ts';
import { requestMembers } from '../../contract/events/members.ts';

/** Lines of event files as gateways, tcp-guard and log shippers write them. Every reader of events counts them alike. */

export interface EventLine {
  readonly name: string;
  readonly line: string;
  readonly outcome: 'blocked' | 'detected' | 'auth_failure' | 'banned' | 'unparsed';
  readonly gateway: string;
  readonly count: number;
  /** Blocked requests that the intake of tcp-guard counts against each client. */
  readonly clients: Readonly<Record<string, number>>;
}

/** Writes JSON with spaces, as `json.dumps` of Python and some log shippers do. */
const spacedJson = (value: object): string =>
  `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}: ${JSON.stringify(member)}`)
    .join(', ')}}`;

const withReversedMembers = (value: object): object => Object.fromEntries(Object.entries(value).reverse());

/** Members that Logstash and Vector set themselves. */
const shipped = { host: { name: 'web-1' }, status: '403' };

const ofBlock = { outcome: 'blocked', gateway: 'caddy', count: 1, clients: { '192.0.2.1': 1 } } as const;
const unparsedOutcome = { outcome: 'unparsed', gateway: 'unknown', count: 1, clients: {} } as const;

export const blockEvent = (timestamp: string) => ({ ...eventExamples.blocked, timestamp });

function eventsAt(at: Date) {
  const timestamp = at.toISOString();
  const summary = { ...eventExamples.summary, timestamp };
  return { block: blockEvent(timestamp), summary, audit: { ...eventExamples.audit, timestamp } };
}

function blockLines(at: Date): EventLine[] {
  const { block } = eventsAt(at);
  const compact = JSON.stringify(block);
  const seconds = Math.floor(at.getTime() / 1000) * 1000;
  const timed = (timestamp: string) => JSON.stringify({ ...block, timestamp });
  const offset = new Date(seconds + 3_600_000).toISOString().replace('.000Z', '');
  return [
    { ...ofBlock, name: 'compact', line: compact },
    { ...ofBlock, name: 'with spaces', line: spacedJson(block) },
    { ...ofBlock, name: 'with tabs', line: spacedJson(block).replaceAll(': ', '\t:\t') },
    { ...ofBlock, name: 'with spaces around it', line: `  ${compact}  ` },
    { ...ofBlock, name: 'of a file with CRLF', line: `${compact}\r` },
    { ...ofBlock, name: 'with its type at the end', line: JSON.stringify(withReversedMembers(block)) },
    { ...ofBlock, name: 'with a member that a shipper added', line: JSON.stringify({ '@version': '1', ...block }) },
    { ...ofBlock, name: 'with an escaped name', line: compact.replace('"/.env"', '"\\/.env"') },
    { ...ofBlock, name: 'with whole seconds', line: timed(new Date(seconds).toISOString().replace('.000', '')) },
    { ...ofBlock, name: 'with microseconds', line: timed(block.timestamp.replace('Z', '456Z')) },
    { ...ofBlock, name: 'with an offset', line: timed(`${offset}+01:00`) },
  ];
}

function otherEvents(at: Date): EventLine[] {
  const { block, summary, audit } = eventsAt(at);
  const detected = { ...block, type: 'guard_detect', gateway: 'traefik', mode: 'detect' };
  const failed = { ...audit, action: 'auth_failure', reason: 'auth_failure' };
  const flood = { ...audit, reason: 'ban', count: 12 };
  const banned = { ...audit, action: 'banned', reason: 'failures' };
  const ofSum = { outcome: 'blocked', gateway: 'nginx', count: 2871, clients: {} } as const;
  const clients = { '192.0.2.1': 2800, '2001:db8::/64': 50 };
  const ofAudit = { gateway: 'tcp-guard', count: 1, clients: {} } as const;
  return [
    { ...unparsedOutcome, name: 'of mode detect', line: spacedJson(detected), outcome: 'detected', gateway: 'traefik' },
    { ...ofSum, name: 'that counts', line: JSON.stringify(summary), clients },
    { ...ofSum, name: 'that counts, with spaces', line: spacedJson(summary), clients },
    { ...ofAudit, name: 'of tcp-guard', line: JSON.stringify(failed), outcome: 'auth_failure' },
    { ...ofAudit, name: 'of tcp-guard, with spaces', line: spacedJson(flood), outcome: 'blocked', count: 12 },
    {
      ...ofAudit,
      name: 'of tcp-guard in another order',
      line: spacedJson(withReversedMembers(banned)),
      outcome: 'banned',
    },
    { ...ofBlock, name: 'whose host and status a shipper replaced', line: JSON.stringify({ ...block, ...shipped }) },
  ];
}

/** What Caddy, Traefik and nginx log of the first upgrade that a guard removed. The client chose the name of the protocol. */
export const removalLines = (at: Date, protocol: string): readonly string[] => {
  const message = `the protocol ${JSON.stringify(protocol)} was removed from a request: allowUpgrades does not have it`;
  return [
    JSON.stringify({ level: 'warn', ts: at.getTime() / 1000, logger: 'http.handlers.guard', msg: message }),
    `${at.toISOString()} ERR plugin-guard: ${message}`,
    `${at.toISOString()} [error] 7#7: *3 [lua] upgrades.lua:25: guard: the protocol ${protocol} was removed from a request, client: 192.0.2.1`,
  ];
};

function otherLines(at: Date): EventLine[] {
  const { block } = eventsAt(at);
  const compact = JSON.stringify(block);
  const fault = { ...eventExamples.fault, timestamp: at.toISOString() };
  const malformed = { ...unparsedOutcome, gateway: 'caddy' } as const;
  return [
    { ...unparsedOutcome, name: 'that is a fault of tcp-guard', line: spacedJson(fault), gateway: 'tcp-guard' },
    { ...malformed, name: 'without a path', line: JSON.stringify({ ...block, path: undefined }) },
    ...(['client_ip', 'path', 'rule_id', 'reason'] as const).map((member) => ({
      ...{ ...malformed, name: `with a longer ${member} than its bound` },
      line: JSON.stringify({ ...block, [member]: 'x'.repeat(requestMembers[member].maxLength + 1) }),
    })),
    { ...malformed, name: 'without a valid time', line: JSON.stringify({ ...block, timestamp: 'now' }) },
    { ...unparsedOutcome, name: 'that was cut', line: compact.slice(0, 80) },
    { ...unparsedOutcome, name: 'that is a list', line: `[${compact}]` },
    { ...unparsedOutcome, name: 'that is a string', line: JSON.stringify(compact) },
    { ...unparsedOutcome, name: 'with an event inside', line: JSON.stringify({ level: 'info', event: block }) },
    { ...unparsedOutcome, name: 'with an event in a text', line: JSON.stringify({ level: 'info', message: compact }) },
    { ...unparsedOutcome, name: 'with two events', line: `${compact}${compact}` },
    { ...unparsedOutcome, name: 'after the time of a log', line: `${at.toISOString()} ${compact}` },
    { ...unparsedOutcome, name: 'of another program', line: JSON.stringify({ type: 'access', status: 403 }) },
    ...Object.entries({ guard_block: 'guard_block', 'an event': compact }).flatMap(([what, protocol]) =>
      removalLines(at, protocol).map((line, index) => {
        const name = `about a removed upgrade to ${what}, of ${['Caddy', 'Traefik', 'nginx'][index]}`;
        return { ...unparsedOutcome, name, line };
      }),
    ),
    { ...unparsedOutcome, name: 'with nested lists', line: `{"type":"guard_block","x":${'['.repeat(20_000)}` },
  ];
}

/** Returns the lines of events at this time, each with the counts that every reader must get from it. */
export const eventLines = (at: Date): readonly EventLine[] => [
  ...blockLines(at),
  ...otherEvents(at),
  ...otherLines(at),
];
