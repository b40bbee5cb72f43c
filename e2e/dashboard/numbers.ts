/** Computes the numbers of each dashboard panel from the log lines. */
import { protocols } from '../../contract/daemon/protocols.ts';

export type Key =
  | 'action'
  | 'gateway'
  | 'service'
  | 'service_name'
  | 'client_ip'
  | 'rule_id'
  | 'path'
  | 'host'
  | 'method'
  | 'response'
  | 'country'
  | 'user_agent';

export interface Fact {
  readonly count: number;
  readonly fields: Readonly<Partial<Record<Key, string>>>;
}

export interface PanelExpectation {
  readonly keys: readonly Key[];
  readonly only: (fact: Fact) => boolean;
}

type Line = Readonly<Record<string, string | undefined>> & { readonly count?: string | number };

const services: readonly string[] = [...protocols, 'port_scan'];

function fieldsOf(line: Line): Fact['fields'] {
  const { type, gateway, client_ip, rule_id, reason, path, host, method, action, user_agent } = line;
  const { service = '', protocol = '', country_code } = line;
  if (type === 'security_event') {
    // A ban through the API has no service.
    const label = services.includes(service) ? service : protocol || 'unknown';
    const named = { service: label, service_name: label === service ? '' : service };
    return {
      ...{ gateway: 'tcp-guard', action, client_ip, rule_id: reason, country: country_code },
      ...named,
    } as Fact['fields'];
  }
  if (type === 'guard_block_summary') return { gateway, action: 'blocked', service: 'http' } as Fact['fields'];
  if (type === 'fault') return { gateway: 'tcp-guard', action: 'unparsed', service: 'unknown' };
  const outcome = type === 'guard_detect' ? 'detected' : 'blocked';
  const request = { client_ip, path, host, method, user_agent, response: action, rule_id: rule_id || reason };
  return { gateway, action: outcome, service: 'http', ...request } as Fact['fields'];
}

export function factOf(text: string): Fact {
  if (!text.startsWith('{'))
    return { count: 1, fields: { gateway: 'unknown', action: 'unparsed', service: 'unknown' } };
  const line = JSON.parse(text) as Line;
  return { count: Number(line.count ?? 1), fields: fieldsOf(line) };
}

type Condition = (fact: Fact) => boolean;

const isAny: Condition = () => true;
const hasAction =
  (...actions: readonly string[]): Condition =>
  ({ fields }) =>
    actions.includes(fields.action ?? '');
const hasField =
  (key: Key): Condition =>
  ({ fields }) =>
    Boolean(fields[key]);
const allOf =
  (...conditions: readonly Condition[]): Condition =>
  (fact) =>
    conditions.every((condition) => condition(fact));
const isConnection: Condition = ({ fields }) => fields.gateway === 'tcp-guard';
const isRequest: Condition = (fact) => !isConnection(fact);

const isBlocked = hasAction('blocked');
const isBlockedOrDetected = hasAction('blocked', 'detected');
const isFailedLogin = hasAction('auth_failure');
const isBanEvent = hasAction('banned', 'unbanned');
const isBanOrDetectedBan = hasAction('banned', 'unbanned', 'detected');
const isProbe: Condition = ({ fields }) => fields.service === 'port_scan';

const expectedTotal = (only: Condition): PanelExpectation => ({ keys: [], only });
/** A top list leaves out records without its first key. */
const expectedTop = (only: Condition, ...keys: readonly [Key, ...Key[]]): PanelExpectation => ({
  keys,
  only: allOf(hasField(keys[0]), only),
});
/** A chart over time also counts records without the key. */
const expectedOverTime = (only: Condition, ...keys: readonly Key[]): PanelExpectation => ({ keys, only });

export const expectedByPanel: Readonly<Record<string, Readonly<Record<string, PanelExpectation>>>> = {
  'guard-overview': {
    Blocked: expectedTotal(isBlocked),
    Detected: expectedTotal(hasAction('detected')),
    'Failed logins': expectedTotal(isFailedLogin),
    Bans: expectedTotal(hasAction('banned')),
    Allowed: expectedTotal(hasAction('allowed')),
    'Unparsed lines': expectedTotal(hasAction('unparsed')),
    'Newest event': expectedOverTime((fact) => !hasAction('unparsed')(fact)),
    'Outcomes over time': expectedOverTime(isAny, 'action'),
    'Gateways over time': expectedOverTime(isBlockedOrDetected, 'gateway', 'action'),
    Rules: expectedTop(isBlockedOrDetected, 'rule_id'),
    Addresses: expectedTop(isBlockedOrDetected, 'client_ip'),
    Paths: expectedTop(isBlockedOrDetected, 'path'),
    Countries: expectedTop(isBlocked, 'country'),
  },
  'guard-layer4': {
    'Outcomes over time': expectedOverTime(isConnection, 'action'),
    Services: expectedTop(isConnection, 'service', 'service_name', 'action'),
    'Blocked over time by service': expectedOverTime(allOf(isConnection, isBlocked), 'service'),
    'Failed logins over time': expectedOverTime(allOf(isConnection, isFailedLogin), 'service'),
    'Bans over time': expectedOverTime(allOf(isConnection, isBanOrDetectedBan), 'action'),
    Reasons: expectedTop(allOf(isConnection, isBlocked), 'rule_id'),
    Addresses: expectedTop(allOf(isConnection, isBlocked), 'client_ip'),
    'Addresses with failed logins': expectedTop(allOf(isConnection, isFailedLogin), 'client_ip'),
    'Port scans over time': expectedOverTime(isProbe, 'action'),
    'Addresses of port scans': expectedTop(isProbe, 'client_ip'),
    'Bans and lifted bans': expectedOverTime(allOf(isConnection, isBanOrDetectedBan)),
  },
  'guard-address': {
    'Blocked requests': expectedTotal(allOf(isRequest, isBlocked)),
    'Detected requests': expectedTotal(allOf(isRequest, hasAction('detected'))),
    'Blocked connections': expectedTotal(allOf(isConnection, isBlocked)),
    'Failed logins': expectedTotal(isFailedLogin),
    Bans: expectedTotal(hasAction('banned')),
    'Both layers over time': expectedOverTime(isAny, 'gateway', 'action'),
    Requests: expectedTop(allOf(isRequest, isBlockedOrDetected), 'path', 'host', 'method', 'rule_id', 'response'),
    Connections: expectedTop(isConnection, 'service', 'service_name', 'action', 'rule_id'),
    'User agents': expectedTop(isRequest, 'user_agent'),
    Addresses: expectedTop(isAny, 'client_ip'),
    'Bans and lifted bans': expectedOverTime(isBanEvent),
    Log: expectedOverTime(isAny),
  },
  'guard-world': {
    'Blocked by country': expectedTop(isBlocked, 'country'),
    Countries: expectedTop(isBlocked, 'country'),
    'Blocked over time by country': expectedTop(isBlocked, 'country'),
    'Countries and outcomes': expectedTop(isAny, 'country', 'service', 'action'),
  },
  'guard-live': {
    'Events over time': expectedOverTime(isAny, 'action'),
    Events: expectedOverTime((fact) => !hasAction('unparsed')(fact)),
    'Unparsed lines': expectedOverTime(hasAction('unparsed')),
  },
};
