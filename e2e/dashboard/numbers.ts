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

export interface Wanted {
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
const isProbe: Condition = ({ fields }) => fields.service === 'port_scan';

const wantedTotal = (only: Condition): Wanted => ({ keys: [], only });
/** A top list leaves out records without its first key. */
const wantedTop = (only: Condition, ...keys: readonly [Key, ...Key[]]): Wanted => ({
  keys,
  only: allOf(hasField(keys[0]), only),
});
/** A chart over time also counts records without the key. */
const wantedOverTime = (only: Condition, ...keys: readonly Key[]): Wanted => ({ keys, only });

export const wantedByPanel: Readonly<Record<string, Readonly<Record<string, Wanted>>>> = {
  'guard-overview': {
    Blocked: wantedTotal(isBlocked),
    Detected: wantedTotal(hasAction('detected')),
    'Failed logins': wantedTotal(isFailedLogin),
    Bans: wantedTotal(hasAction('banned')),
    Allowed: wantedTotal(hasAction('allowed')),
    'Unparsed lines': wantedTotal(hasAction('unparsed')),
    'Newest event': wantedOverTime((fact) => !hasAction('unparsed')(fact)),
    'Outcomes over time': wantedOverTime(isAny, 'action'),
    'Gateways over time': wantedOverTime(isBlockedOrDetected, 'gateway', 'action'),
    Rules: wantedTop(isBlockedOrDetected, 'rule_id'),
    Addresses: wantedTop(isBlockedOrDetected, 'client_ip'),
    Paths: wantedTop(isBlockedOrDetected, 'path'),
    Countries: wantedTop(isBlocked, 'country'),
  },
  'guard-layer4': {
    'Outcomes over time': wantedOverTime(isConnection, 'action'),
    Services: wantedTop(isConnection, 'service', 'service_name', 'action'),
    'Blocked over time by service': wantedOverTime(allOf(isConnection, isBlocked), 'service'),
    'Failed logins over time': wantedOverTime(allOf(isConnection, isFailedLogin), 'service'),
    'Bans over time': wantedOverTime(allOf(isConnection, isBanEvent), 'action'),
    Reasons: wantedTop(allOf(isConnection, isBlocked), 'rule_id'),
    Addresses: wantedTop(allOf(isConnection, isBlocked), 'client_ip'),
    'Addresses with failed logins': wantedTop(allOf(isConnection, isFailedLogin), 'client_ip'),
    'Port scans over time': wantedTop(isProbe, 'client_ip'),
    'Addresses of port scans': wantedTop(isProbe, 'client_ip'),
    'Bans and lifted bans': wantedOverTime(isBanEvent),
  },
  'guard-address': {
    'Blocked requests': wantedTotal(allOf(isRequest, isBlocked)),
    'Detected requests': wantedTotal(allOf(isRequest, hasAction('detected'))),
    'Blocked connections': wantedTotal(allOf(isConnection, isBlocked)),
    'Failed logins': wantedTotal(isFailedLogin),
    Bans: wantedTotal(hasAction('banned')),
    'Both layers over time': wantedOverTime(isAny, 'gateway', 'action'),
    Requests: wantedTop(allOf(isRequest, isBlockedOrDetected), 'path', 'host', 'method', 'rule_id', 'response'),
    Connections: wantedTop(isConnection, 'service', 'service_name', 'action', 'rule_id'),
    'User agents': wantedTop(isRequest, 'user_agent'),
    Addresses: wantedTop(isAny, 'client_ip'),
    'Bans and lifted bans': wantedOverTime(isBanEvent),
    Log: wantedOverTime(isAny),
  },
  'guard-world': {
    'Blocked by country': wantedTop(isBlocked, 'country'),
    Countries: wantedTop(isBlocked, 'country'),
    'Blocked over time by country': wantedTop(isBlocked, 'country'),
    'Countries and outcomes': wantedTop(isAny, 'country', 'service', 'action'),
  },
  'guard-live': {
    'Events over time': wantedOverTime(isAny, 'action'),
    Events: wantedOverTime((fact) => !hasAction('unparsed')(fact)),
    'Unparsed lines': wantedOverTime(hasAction('unparsed')),
  },
};
