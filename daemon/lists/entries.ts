/**
 * Reads addresses and networks from the formats of other programs: lines of text, CSV, Spamhaus' lines of JSON, the exports
 * of CrowdSec and fail2ban, and that of `guardcli bans export`. Nothing here throws: what is not an address is counted.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseDuration } from '../../contract/values/duration.ts';
import { formatPrefix, readPrefix } from '../address/prefix.ts';

export interface Entry {
  /** Address or network in canonical text. */
  readonly ip: string;
  /** Why the source lists it. Undefined when it does not say. */
  readonly reason?: string;
  /** Milliseconds from now until its end: Infinity when it has none. Undefined when the source does not say. */
  readonly leftMs?: number;
}

export interface Entries {
  readonly entries: readonly Entry[];
  /** The number of rows that are not an address or a network. */
  readonly unread: number;
  /** The number of rows beyond the largest number of entries. */
  readonly beyond: number;
}

export interface EntriesOptions {
  /** Wall clock, milliseconds. */
  readonly now: number;
  /** The column of a CSV with the addresses, from 1. Undefined: each line begins with one. */
  readonly column?: number;
  /** The largest number of entries. */
  readonly most: number;
}

type Row = Omit<Entry, 'ip'> & { readonly ip: unknown };
type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Rows that are read in one turn of the event loop, which takes milliseconds: connections wait meanwhile. */
export const rowsPerTurn = 2000;

/**
 * Brackets and commas of a JSON document for each entry that is wanted: cscli writes a dozen for a decision. V8 needs 20 seconds
 * and 2 GB for 64 MiB of brackets alone, in one turn.
 */
const partsPerEntry = 16;

const longestAddress = 49; // an IPv6 address with a dotted quad, and its prefix length

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): { readonly reason?: string } =>
  typeof value === 'string' && value !== '' ? { reason: value } : {};

/** CrowdSec's durations are those of Go: `3h59m12.5s`. The fraction of a second is dropped. */
function crowdsecLeft(duration: unknown): { readonly leftMs?: number } {
  const ms = typeof duration === 'string' ? parseDuration(duration.replace(/\.\d+s$/, 's')) : undefined;
  return ms === undefined ? {} : { leftMs: ms };
}

/** `cscli decisions list -o json`: alerts with decisions. Decisions of other scopes and types are not about addresses. */
const crowdsecRows = (alerts: readonly unknown[]): Row[] =>
  alerts.flatMap((alert) =>
    listOf(isFields(alert) ? alert.decisions : []).flatMap((decision): Row[] => {
      if (!isFields(decision)) return [{ ip: undefined }];
      const { value, scope, scenario, duration, type } = decision;
      const isBan =
        typeof scope === 'string' && /^(?:ip|range)$/i.test(scope) && (type === undefined || type === 'ban');
      return isBan ? [{ ip: value, ...textOf(scenario), ...crowdsecLeft(duration) }] : [];
    }),
  );

/** `fail2ban-client banned`: a list of jails, each with its addresses. */
const fail2banRows = (jails: readonly unknown[]): Row[] =>
  jails.flatMap((jail) =>
    Object.entries(isFields(jail) ? jail : {}).flatMap(([name, addresses]) =>
      listOf(addresses).map((ip): Row => ({ ip, reason: `fail2ban: ${name}` })),
    ),
  );

/** `guardcli bans export --format json`, and `guardcli bans list --json`. */
const ownRows = (bans: readonly unknown[], now: number): Row[] =>
  bans.map((ban): Row => {
    const { ip, reason, expires_at: end } = isFields(ban) ? ban : {};
    const leftMs = end === null ? Number.POSITIVE_INFINITY : Date.parse(typeof end === 'string' ? end : '') - now;
    return { ip, ...textOf(reason), ...(!Number.isNaN(leftMs) && { leftMs }) };
  });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const [comma, bracket, brace] = [0x2c, 0x5b, 0x7b];

function hasPartsWithin(text: string, most: number): boolean {
  let count = 0;
  for (let at = 0; at < text.length && count <= most; at++) {
    const code = text.charCodeAt(at);
    if (code === comma || code === bracket || code === brace) count++;
  }
  return count <= most;
}

/** Returns the rows of a document, or undefined for lines. */
function documentRows(text: string, { now, most }: EntriesOptions): readonly Row[] | undefined {
  const start = text.trimStart();
  if (!/^[[{]|^null/.test(start) || !hasPartsWithin(start, most * partsPerEntry)) return undefined;
  // fail2ban prints a list of Python. Its names of jails and addresses have no quotes.
  const document = parseJson(start) ?? (start.startsWith('[') ? parseJson(start.replaceAll("'", '"')) : undefined);
  if (isFields(document)) return Array.isArray(document.bans) ? ownRows(document.bans, now) : undefined;
  if (!Array.isArray(document)) return /^null\s*$/.test(start) ? [] : undefined;
  return document.some((one) => isFields(one) && 'decisions' in one) ? crowdsecRows(document) : fail2banRows(document);
}

/** Theirs have 100 characters. A longer line is another document, whose parse could take seconds. */
const longestSpamhausRow = 1000;

/** A row of Spamhaus: `{"cidr": "192.0.2.0/24", "sblid": "SBL1", "rir": "ripencc"}`. Its last row has `type: metadata`. */
function spamhausRow(line: string): Row | undefined {
  const row = line.length > longestSpamhausRow ? undefined : parseJson(line);
  if (!isFields(row)) return { ip: undefined };
  return row.type === 'metadata' ? undefined : { ip: row.cidr, ...textOf(row.sblid) };
}

const commentPattern = /^\s*(?:#|;|\/\/|$)/;

function csvCell(line: string, column: number): string | undefined {
  return line
    .split(/[,;\t]/, column)
    [column - 1]?.trim()
    .replace(/^"(.*)"$/, '$1');
}

/** Returns the row of a line. Undefined for a comment. */
function lineRow(line: string, column: number | undefined): Row | undefined {
  if (commentPattern.test(line)) return undefined;
  if (column !== undefined) return { ip: csvCell(line, column) };
  return line.startsWith('{')
    ? spamhausRow(line)
    : { ip: /^\s*([0-9A-Fa-f:.]{2,45}(?:\/\d{1,3})?)(?=[\s,;#]|$)/.exec(line)?.[1] };
}

function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    yield text.slice(at, end < 0 ? text.length : end).replace(/\r$/, '');
    at = end < 0 ? text.length : end + 1;
  }
}

/** Yields undefined for a comment. */
function* rowsOf(text: string, options: EntriesOptions): Generator<Row | undefined> {
  const { column } = options;
  const document = column === undefined ? documentRows(text, options) : undefined;
  if (document) yield* document;
  else for (const line of linesOf(text)) yield lineRow(line, column);
}

/** Reads in several turns of the event loop. */
export async function readEntries(text: string, options: EntriesOptions): Promise<Entries> {
  const entries: Entry[] = [];
  let [rows, unread, beyond] = [0, 0, 0];
  for (const row of rowsOf(text, options)) {
    if (++rows % rowsPerTurn === 0) await nextTurn();
    if (!row) continue;
    const { ip, ...rest } = row;
    const prefix = typeof ip === 'string' && ip.length <= longestAddress ? readPrefix(ip) : undefined;
    if (!prefix) unread++;
    else if (entries.length < options.most) entries.push({ ip: formatPrefix(prefix), ...rest });
    else beyond++;
  }
  return { entries, unread, beyond };
}
