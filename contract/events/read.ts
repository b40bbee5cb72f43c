/**
 * Reads lines of event files and of the audit file: the one reader of events in TypeScript. It accepts what log shippers
 * make of a line, with other spaces, another order and more members. Every value of the result is within its bounds.
 */
import {
  type AuditRecord,
  type EventSummary,
  type EventType,
  eventLines,
  type LineRow,
  type RequestEvent,
} from './members.ts';

export type Members = Readonly<Record<string, unknown>>;
export type EventRecord = RequestEvent | EventSummary | AuditRecord;

/** The keywords of JSON Schema that the tables of members use. */
interface Row {
  readonly type: string;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly items?: { readonly properties: Readonly<Record<string, Row>> };
  readonly additionalProperties?: Row;
}

/** Returns the value of a member, or undefined for a value that no guard writes. */
type Read = (value: unknown) => unknown;

function textReader({ pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY, ...row }: Row): Read {
  const names = row.const === undefined ? row.enum : [row.const];
  const form = pattern === undefined ? undefined : new RegExp(pattern);
  return (value) => {
    if (typeof value !== 'string' || value.length < minLength || value.length > maxLength) return undefined;
    if (form !== undefined && !form.test(value)) return undefined;
    return names === undefined || names.includes(value) ? value : undefined;
  };
}

function numberReader({ type, minimum = 0, maximum = Number.MAX_VALUE }: Row): Read {
  return (value) => {
    if (typeof value !== 'number' || value < minimum || value > maximum) return undefined;
    return type === 'number' || Number.isInteger(value) ? value : undefined;
  };
}

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;

/** Leaves out entries that no guard writes. */
function listReader({ items, maxItems = 0 }: Row): Read {
  const readers = Object.entries(items?.properties ?? {}).map(([name, row]) => [name, readerOf(row)] as const);
  const entryOf = (value: unknown): object[] => {
    const entry = readers.map(([name, read]) => [name, isMembers(value) ? read(value[name]) : undefined] as const);
    return entry.some(([, member]) => member === undefined) ? [] : [Object.fromEntries(entry)];
  };
  return (value) => (Array.isArray(value) ? value.slice(0, maxItems).flatMap(entryOf) : []);
}

function mappingReader({ additionalProperties, maxProperties }: Row): Read {
  const read = readerOf(additionalProperties as Row);
  return (value) => {
    if (!isMembers(value) || Array.isArray(value)) return undefined;
    const entries = Object.entries(value).filter(([name, text]) => name.length <= 64 && read(text) !== undefined);
    return Object.fromEntries(entries.slice(0, maxProperties));
  };
}

const readers: Readonly<Record<string, (row: Row) => Read>> = {
  string: textReader,
  integer: numberReader,
  number: numberReader,
  array: listReader,
  object: mappingReader,
};
const readerOf = (row: Row): Read => (readers[row.type] as (row: Row) => Read)(row);

interface Member {
  readonly name: string;
  readonly read: Read;
  /** Whether the line can lack the member. */
  readonly isExtra: boolean;
  readonly isDeciding: boolean;
  /** The value in place of a wrong or missing one. */
  readonly empty: '' | 0 | undefined;
}

function membersOf({ members, extras, deciding }: LineRow): Member[] {
  const rows: Readonly<Record<string, Row>> = { ...members, ...extras };
  return Object.entries(rows).map(([name, row]) => {
    const isExtra = name in extras;
    const empty = isExtra ? undefined : row.type === 'string' ? '' : 0;
    return { name, read: readerOf(row), isExtra, isDeciding: deciding.includes(name), empty };
  });
}

const membersByType: ReadonlyMap<unknown, readonly Member[]> = new Map(
  Object.entries(eventLines).map(([type, line]) => [type, membersOf(line)]),
);

export const isEventType = (type: unknown): type is EventType => membersByType.has(type);

export interface Found {
  readonly record: EventRecord;
  /** Time of the record, milliseconds since the epoch. */
  readonly at: number;
}

/** Parses a line. Returns undefined when it is not JSON, and no members when it is not an object. */
export function parseMembers(line: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isMembers(value) ? value : {};
  } catch {
    return undefined;
  }
}

/**
 * Reads the event of a parsed line. Replaces wrong values in place, because a copy would take as long as parsing.
 * `other`: a record of another type. `malformed`: a member that decides what the line counts for is missing or wrong.
 */
export function recordOf(members: Members): Found | 'other' | 'malformed' {
  const rows = membersByType.get(members.type);
  if (rows === undefined) return 'other';
  const record: Record<string, unknown> = members;
  for (const { name, read, isExtra, isDeciding, empty } of rows) {
    const given = record[name];
    if (given === undefined && isExtra) continue;
    const value = read(given);
    if (value === given && value !== undefined) continue;
    if (value === undefined && isDeciding) return 'malformed';
    record[name] = value ?? empty;
  }
  const at = Date.parse(record.timestamp as string);
  return Number.isNaN(at) ? 'malformed' : { record: record as unknown as EventRecord, at };
}

export const isRequestEvent = (line: { readonly type: string }): line is RequestEvent =>
  line.type === 'guard_block' || line.type === 'guard_detect';

/** Returns undefined for a line that is not an event. */
export function readRecord(line: string): Found | undefined {
  const found = recordOf(parseMembers(line) ?? {});
  return typeof found === 'string' ? undefined : found;
}
