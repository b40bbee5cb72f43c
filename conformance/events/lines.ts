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

const unparsedOutcome = { outcome: 'unparsed', gateway: 'unknown', count: 1, clients: {} } as const;

export const blockEvent = (timestamp: string) => ({
  ...{ type: 'guard_block', timestamp, gateway: 'caddy', mode: 'enforce', client_ip: '192.0.2.1', method: 'GET' },
  ...{ host: 'example.com', path: '/.env', request_uri: '/.env', target: 'path', candidate: '/.env' },
  ...{
    rule_id: 'env-file',
    pattern: 'x',
    reason: 'block_pattern_match',
    action: 'json',
    status: 403,
    user_agent: 'x',
    reference: '7K3QF2M9TD',
  },
});

function eventsAt(at: Date) {
  const timestamp = at.toISOString();
  const block = blockEvent(timestamp);
  const clients = [{ client: '192.0.2.7', count: 20 }];
  const summary = { type: 'guard_block_summary', timestamp, gateway: 'nginx', count: 25, clients, others: 5 };
  const audit = {
    ...{
      type: 'security_event',
      timestamp,
      service: 'ssh',
      protocol: 'ssh',
      client_ip: '192.0.2.2',
      client_port: 4000,
    },
    ...{
      country_code: 'DE',
      action: 'auth_failure',
      reason: 'auth_failure',
      bytes_in: 1,
      bytes_out: 2,
      duration_ms: 3,
    },
  };
  return { block, summary, audit };
}

function blockLines(at: Date): EventLine[] {
  const { block } = eventsAt(at);
  const fields = { outcome: 'blocked', gateway: 'caddy', count: 1, clients: { '192.0.2.1': 1 } } as const;
  const compact = JSON.stringify(block);
  const seconds = Math.floor(at.getTime() / 1000) * 1000;
  const timed = (timestamp: string) => JSON.stringify({ ...block, timestamp });
  const offset = new Date(seconds + 3_600_000).toISOString().replace('.000Z', '');
  return [
    { ...fields, name: 'compact', line: compact },
    { ...fields, name: 'with spaces', line: spacedJson(block) },
    { ...fields, name: 'with tabs', line: spacedJson(block).replaceAll(': ', '\t:\t') },
    { ...fields, name: 'with spaces around it', line: `  ${compact}  ` },
    { ...fields, name: 'of a file with CRLF', line: `${compact}\r` },
    { ...fields, name: 'with its type at the end', line: JSON.stringify(withReversedMembers(block)) },
    { ...fields, name: 'with a member that a shipper added', line: JSON.stringify({ '@version': '1', ...block }) },
    { ...fields, name: 'with an escaped name', line: compact.replace('"/.env"', '"\\/.env"') },
    { ...fields, name: 'with whole seconds', line: timed(new Date(seconds).toISOString().replace('.000', '')) },
    { ...fields, name: 'with microseconds', line: timed(block.timestamp.replace('Z', '456Z')) },
    { ...fields, name: 'with an offset', line: timed(`${offset}+01:00`) },
  ];
}

function otherEvents(at: Date): EventLine[] {
  const { block, summary, audit } = eventsAt(at);
  const detected = { ...block, type: 'guard_detect', gateway: 'traefik', mode: 'detect' };
  const flood = { ...audit, action: 'blocked', reason: 'ban', count: 12 };
  const banned = { ...audit, action: 'banned', reason: 'failures' };
  const ofSum = { outcome: 'blocked', gateway: 'nginx', count: 25, clients: { '192.0.2.7': 20 } } as const;
  const ofAudit = { gateway: 'tcp-guard', count: 1, clients: {} } as const;
  return [
    { ...unparsedOutcome, name: 'of mode detect', line: spacedJson(detected), outcome: 'detected', gateway: 'traefik' },
    { ...ofSum, name: 'that counts', line: JSON.stringify(summary) },
    { ...ofSum, name: 'that counts, with spaces', line: spacedJson(summary) },
    { ...ofAudit, name: 'of tcp-guard', line: JSON.stringify(audit), outcome: 'auth_failure' },
    { ...ofAudit, name: 'of tcp-guard, with spaces', line: spacedJson(flood), outcome: 'blocked', count: 12 },
    {
      ...ofAudit,
      name: 'of tcp-guard in another order',
      line: spacedJson(withReversedMembers(banned)),
      outcome: 'banned',
    },
  ];
}

function otherLines(at: Date): EventLine[] {
  const { block } = eventsAt(at);
  const compact = JSON.stringify(block);
  const fault = { type: 'fault', timestamp: at.toISOString(), message: 'accept EMFILE' };
  return [
    { ...unparsedOutcome, name: 'that is a fault of tcp-guard', line: spacedJson(fault), gateway: 'tcp-guard' },
    { ...unparsedOutcome, name: 'that was cut', line: compact.slice(0, 80) },
    { ...unparsedOutcome, name: 'that is a list', line: `[${compact}]` },
    { ...unparsedOutcome, name: 'that is a string', line: JSON.stringify(compact) },
    { ...unparsedOutcome, name: 'with an event inside', line: JSON.stringify({ level: 'info', event: block }) },
    { ...unparsedOutcome, name: 'with an event in a text', line: JSON.stringify({ level: 'info', message: compact }) },
    { ...unparsedOutcome, name: 'with two events', line: `${compact}${compact}` },
    { ...unparsedOutcome, name: 'after the time of a log', line: `${at.toISOString()} ${compact}` },
    { ...unparsedOutcome, name: 'of another program', line: JSON.stringify({ type: 'access', status: 403 }) },
    { ...unparsedOutcome, name: 'with nested lists', line: `{"type":"guard_block","x":${'['.repeat(20_000)}` },
  ];
}

/** Returns the lines of events at this time, each with the counts that every reader must get from it. */
export const eventLines = (at: Date): readonly EventLine[] => [
  ...blockLines(at),
  ...otherEvents(at),
  ...otherLines(at),
];
