/** Generates the groups of statements with which the dashboard's collector reads each kind of line. */
import { protocols } from '../daemon/protocols.ts';
import {
  auditExtras,
  auditMembers,
  eventLines,
  faultMembers,
  type LineRow,
  requestMembers,
  summaryMembers,
  typeOfMode,
} from '../events/members.ts';
import { withBlocks } from './yaml.ts';

/** The keywords of JSON Schema that a condition is made of. */
interface Row {
  readonly type: string;
  readonly enum?: readonly string[];
  readonly examples?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

const isOneOf = (value: string, names: readonly string[]): string => `IsMatch(${value}, "^(?:${names.join('|')})$")`;

function isInteger(value: string, { minimum, maximum }: Row): string {
  return `${value} >= ${minimum} and ${value} <= ${maximum} and Double(Int(${value})) == ${value}`;
}

function isText(value: string, { minLength, maxLength, enum: names, pattern }: Row): string {
  const conditions = [
    `IsString(${value})`,
    minLength && `Len(${value}) >= ${minLength}`,
    maxLength !== undefined && `Len(${value}) <= ${maxLength}`,
    names && isOneOf(value, names),
    pattern !== undefined && `IsMatch(${value}, ${JSON.stringify(pattern)})`,
  ];
  return conditions.filter((condition) => typeof condition === 'string').join(' and ');
}

/** Expressions on the members of a line, which the statements of its group find in `cache`. */
function membersOf<const R extends object>(table: R) {
  const rows = table as Readonly<Record<string, Row>>;
  type Name = Extract<keyof R, string>;
  const at = (name: Name): string => `cache["${name}"]`;
  return {
    at,
    isFilled: (name: Name): string => `${at(name)} != ""`,
    /** Holds for the values that this version lists. */
    isListed: (name: Name): string => isOneOf(at(name), rows[name]?.enum ?? rows[name]?.examples ?? []),
    /** Holds for the values that a guard writes. */
    isValid: (name: Name): string => {
      const row = rows[name] as Row;
      return (row.type === 'integer' ? isInteger : isText)(at(name), row);
    },
  };
}

/** The condition that a line is an event: each member that decides what it counts for has its form. */
function isEvent({ members, extras, deciding }: LineRow): string {
  const { at, isValid } = membersOf({ ...members, ...extras } as Record<string, Row>);
  const conditions = deciding.map((name) =>
    name in extras ? `(${at(name)} == nil or (${isValid(name)}))` : isValid(name),
  );
  return ['time_unix_nano != 0', ...conditions].join(' and ');
}

const set = (attribute: string, value: string, ...conditions: readonly string[]): string =>
  `set(attributes["${attribute}"], ${value})${conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`}`;

/** An attribute of the name of its member. */
const copies = <M extends string>(at: (name: M) => string, ...names: readonly M[]): string[] =>
  names.map((name) => set(name, at(name)));

function requestStatements(): string[] {
  const { at, isFilled, isListed, isValid } = membersOf(requestMembers);
  return [
    set('gateway', at('gateway'), isListed('gateway')),
    set('service', '"http"'),
    set('mode', '"unknown"'),
    set('mode', at('mode'), isListed('mode')),
    ...copies(at, 'client_ip', 'path', 'reason'),
    set('rule_id', at('reason')),
    set('rule_id', at('rule_id'), isFilled('rule_id')),
    ...copies(at, 'method', 'host', 'user_agent'),
    set('status', `Int(${at('status')})`),
    set('response', at('action')),
    set('reference', at('reference'), isFilled('reference'), isValid('reference')),
    `set(${at('action')}, "blocked")`,
    `set(${at('action')}, "detected") where ${at('type')} == "${typeOfMode.detect}"`,
    set('action', at('action'), isEvent(eventLines.guard_block)),
  ];
}

function summaryStatements(): string[] {
  const { at, isListed } = membersOf(summaryMembers);
  return [
    set('gateway', at('gateway'), isListed('gateway')),
    set('service', '"http"'),
    set('count', `Int(${at('count')})`),
    set('action', '"blocked"', isEvent(eventLines.guard_block_summary)),
  ];
}

/** The operator names services. A name that is not in this list is metadata. */
const services = [...protocols, 'port_scan'];

function auditStatements(): string[] {
  const { at, isFilled } = membersOf({ ...auditMembers, ...auditExtras });
  return [
    set('gateway', '"tcp-guard"'),
    set('service', at('protocol'), isOneOf(at('protocol'), protocols)),
    set('service', at('service'), isOneOf(at('service'), services)),
    set('service_name', at('service'), `attributes["service"] != ${at('service')}`, isFilled('service')),
    ...copies(at, 'protocol', 'client_ip', 'reason'),
    set('country', at('country_code'), isFilled('country_code')),
    set('rule_id', at('reason')),
    set('rule_id', '"other"', `${at('reason')} == ""`),
    set('count', `Int(${at('count')})`, `${at('count')} != nil`),
    set('action', at('action'), isEvent(eventLines.security_event)),
  ];
}

/** A fault of tcp-guard is not an event. Its message is in the line. */
function faultStatements(): string[] {
  const { isValid } = membersOf(faultMembers);
  return [
    set('gateway', '"tcp-guard"', isValid('message')),
    `set(severity_number, SEVERITY_NUMBER_ERROR) where ${isValid('message')}`,
  ];
}

const groups: readonly { readonly types: readonly string[]; readonly statements: () => readonly string[] }[] = [
  { types: requestMembers.type.enum, statements: requestStatements },
  { types: [summaryMembers.type.const], statements: summaryStatements },
  { types: [auditMembers.type.const], statements: auditStatements },
  { types: [faultMembers.type.const], statements: faultStatements },
];

/** %S also reads fractions of a second. */
const readLine = [
  'set(cache, attributes["event"])',
  'set(time, Time(cache["timestamp"], "%Y-%m-%dT%H:%M:%S%z", "UTC"))',
];

const groupLines = (): string[] =>
  groups.flatMap(({ types, statements }) => [
    '- context: log',
    `  conditions: ['${types.map((type) => `attributes["event"]["type"] == "${type}"`).join(' or ')}']`,
    '  statements:',
    ...[...readLine, ...statements()].map((statement) => `    - ${statement}`),
  ]);

export const collectorConfiguration = (current: string): string => withBlocks(current, { records: groupLines });
