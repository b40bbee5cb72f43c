/** Computes the expected numbers of each dashboard panel from the lines themselves. */
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
  /** Labels of the series. */
  readonly keys: readonly Key[];
  readonly only: (fact: Fact) => boolean;
}

type Line = Readonly<Record<string, string | undefined>> & { readonly count?: string | number };

const services: readonly string[] = [...protocols, 'port_scan'];

/** The fields that the panels group by. */
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

const all: Condition = () => true;
const action =
  (...actions: readonly string[]): Condition =>
  ({ fields }) =>
    actions.includes(fields.action ?? '');
const has =
  (key: Key): Condition =>
  ({ fields }) =>
    Boolean(fields[key]);
const and =
  (...conditions: readonly Condition[]): Condition =>
  (fact) =>
    conditions.every((condition) => condition(fact));
const connections: Condition = ({ fields }) => fields.gateway === 'tcp-guard';
const requests: Condition = (fact) => !connections(fact);

const blocked = action('blocked');
const stopped = action('blocked', 'detected');
const failures = action('auth_failure');
const bans = action('banned', 'unbanned');
const probes: Condition = ({ fields }) => fields.service === 'port_scan';

const total = (only: Condition): Wanted => ({ keys: [], only });
/** Leaves out records without the first key. */
const most = (only: Condition, ...keys: readonly [Key, ...Key[]]): Wanted => ({ keys, only: and(has(keys[0]), only) });
/** Keeps records without the key, because charts over time show them. */
const over = (only: Condition, ...keys: readonly Key[]): Wanted => ({ keys, only });

export const rows: Readonly<Record<string, Readonly<Record<string, Wanted>>>> = {
  'guard-overview': {
    Blocked: total(blocked),
    Detected: total(action('detected')),
    'Failed logins': total(failures),
    Bans: total(action('banned')),
    Allowed: total(action('allowed')),
    'Unparsed lines': total(action('unparsed')),
    'Newest event': over((fact) => !action('unparsed')(fact)),
    'Outcomes over time': over(all, 'action'),
    'Blocked over time by gateway': over(blocked, 'gateway'),
    Rules: most(stopped, 'rule_id'),
    Addresses: most(stopped, 'client_ip'),
    Paths: most(stopped, 'path'),
    'Response modes': most(stopped, 'response'),
    Countries: most(blocked, 'country'),
    Gateways: most(stopped, 'gateway'),
  },
  'guard-layer4': {
    'Outcomes over time': over(connections, 'action'),
    Services: most(connections, 'service', 'service_name', 'action'),
    'Blocked over time by service': over(and(connections, blocked), 'service'),
    'Failed logins over time': over(and(connections, failures), 'service'),
    'Bans over time': over(and(connections, bans), 'action'),
    Reasons: most(and(connections, blocked), 'rule_id'),
    Addresses: most(and(connections, blocked), 'client_ip'),
    'Addresses with failed logins': most(and(connections, failures), 'client_ip'),
    'Port scans over time': most(probes, 'client_ip'),
    'Addresses of port scans': most(probes, 'client_ip'),
    'Bans and lifted bans': over(bans),
  },
  'guard-address': {
    'Blocked requests': total(and(requests, blocked)),
    'Detected requests': total(and(requests, action('detected'))),
    'Blocked connections': total(and(connections, blocked)),
    'Failed logins': total(failures),
    Bans: total(action('banned')),
    'Both layers over time': over(all, 'gateway', 'action'),
    Requests: most(and(requests, stopped), 'path', 'host', 'method', 'rule_id'),
    Connections: most(connections, 'service', 'service_name', 'action', 'rule_id'),
    'User agents': most(requests, 'user_agent'),
    Addresses: most(all, 'client_ip'),
    'Bans and lifted bans': over(bans),
    Log: over(all),
  },
  'guard-world': {
    'Blocked by country': most(blocked, 'country'),
    Countries: most(blocked, 'country'),
    'Blocked over time by country': most(blocked, 'country'),
    'Countries and outcomes': most(all, 'country', 'service', 'action'),
  },
  'guard-live': {
    'Events over time': over(all, 'action'),
    Events: over((fact) => !action('unparsed')(fact)),
    'Unparsed lines': over(action('unparsed')),
  },
};
