/** What the lines of a source say of clients. Each format has its reader. */
import type { Daemon } from '../../contract/daemon/schema.ts';
import { requirePolicy } from '../../contract/load/policy.ts';
import type { LogFormat } from '../../contract/logs/format.ts';
import { limits } from '../../contract/policy/limits.ts';
import { type AccessFinding, accessReader, parserOf, peerReader } from '../../logs/access/reader.ts';
import { createLogReader, type LogEntry, type LogReader } from '../../logs/read.ts';
import { readEvents } from './event.ts';
import { type FormatTable, readNamed } from './formats.ts';

export type Source = Daemon['intake'][number];

/** A line that says something of a client. */
export interface Sighting {
  /** An address in canonical text. In a summary of events it may be the /64 of several addresses. */
  readonly ip: string;
  /** `unforwarded`: the address is that of a trusted proxy, and its client is unknown. */
  readonly outcome: 'failure' | 'success' | 'unforwarded';
  /** The kind of failure, as a noun that takes a plural `s`. */
  readonly trigger: string;
  /** See `Failure`. */
  readonly group: string;
  /** When it happened, milliseconds since the epoch. Undefined: now, because lines of syslog have no year and no zone. */
  readonly at?: number;
  readonly count: number;
  /** A limit that replaces `after` of the source. */
  readonly after?: number | undefined;
  readonly user?: string | undefined;
}

export interface Reading {
  /** How lines of a file are decoded. `latin1`: as byte strings, one character for each byte. */
  readonly encoding: 'utf8' | 'latin1';
  readonly ofFile: (line: string) => readonly Sighting[];
  /** Reads a message of the journal. */
  readonly ofMessage: (message: string) => readonly Sighting[];
  /** Whether a line that says nothing of a client shows that the source has its format. Takes lines and messages. */
  readonly isOfFormat: (line: string) => boolean;
}

const bytesOf = (message: string): string => Buffer.from(message, 'utf8').toString('latin1');

const ofEvents = (line: string): Sighting[] =>
  readEvents(line).map((event) => ({ ...event, outcome: 'failure', trigger: 'blocked request', group: 'event' }));

/** The group of the lines that count for a login. Those of each reporter are a group too. */
export const loginGroup = 'login';

function ofEntry(entry: LogEntry | undefined): Sighting[] {
  if (entry === undefined || entry.outcome === 'ignored') return [];
  const { address: ip, outcome, reporter, user } = entry;
  const group = reporter === undefined ? loginGroup : `${loginGroup} ${reporter}`;
  return [{ ip, outcome, trigger: 'failed login', group, count: entry.attempts, user }];
}

function ofFinding(finding: AccessFinding | undefined, statuses: NonNullable<Source['statuses']>): Sighting[] {
  if (finding === undefined) return [];
  const { kind, address: ip } = finding;
  const blocked = { ip, outcome: 'failure', trigger: 'blocked request', group: 'access', count: 1 } as const;
  if (kind === 'blocked') return [blocked];
  if (kind === 'unforwarded') return [{ ...blocked, outcome: 'unforwarded' }];
  const { status } = finding;
  return [{ ...blocked, trigger: `HTTP ${status} response`, group: `status ${status}`, after: statuses[status] }];
}

/** Returns a function that finds requests with the address of their peer. @param member see `AccessOptions` */
function requestFinder(member?: string): (line: string) => boolean {
  const parser = parserOf({ member });
  const peerOf = peerReader({ member }, parser);
  return (line) => {
    const parsed = parser.parse(line);
    return typeof parsed === 'object' && peerOf(parsed, line) !== undefined;
  };
}

/** @throws Error that describes a problem of the policy */
function ofAccess({ policy: path = '', address, statuses = {} }: Source): Reading {
  const policy = requirePolicy(readNamed(path, limits.policyFileBytes), path);
  const find = accessReader({ policy, member: address, statuses: new Set(Object.keys(statuses).map(Number)) });
  const ofFile = (line: string): Sighting[] => ofFinding(find(line), statuses);
  return {
    encoding: 'latin1',
    ofFile,
    ofMessage: (message) => ofFile(bytesOf(message)),
    isOfFormat: requestFinder(address),
  };
}

/** What shows that a log is that of its row, when no line of it is a login. */
function formatFinder({ others, lines }: LogFormat, reader: LogReader): Reading['isOfFormat'] {
  if (others === 'requests') return requestFinder();
  const isInJson = lines.every(({ pattern }) => pattern.startsWith('^\\{'));
  if (others === 'messages') return (line) => !isInJson || line.startsWith('{');
  return (line) => (reader.ofFile(line) ?? reader.ofMessage(line)) !== undefined;
}

function ofServer({ format: name, file }: Source, formats: FormatTable): Reading {
  const format = formats.get(name);
  if (!format) throw new Error(`no file of formats has a row named ${name}`);
  if (format.onlyFile && file === undefined) throw new Error(`format ${name} needs file`);
  const reader = createLogReader(format);
  return {
    encoding: 'latin1',
    ofFile: (line) => ofEntry(reader.ofFile(line)),
    ofMessage: (message) => ofEntry(reader.ofMessage(bytesOf(message))),
    isOfFormat: formatFinder(format, reader),
  };
}

/** @throws Error that describes a policy that does not load, or a format that does not exist */
export function readingOf(source: Source, formats: FormatTable): Reading {
  if (source.format === 'guard')
    return { encoding: 'utf8', ofFile: ofEvents, ofMessage: ofEvents, isOfFormat: () => true };
  return source.format === 'access' ? ofAccess(source) : ofServer(source, formats);
}
