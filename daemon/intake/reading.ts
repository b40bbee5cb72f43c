/** What the lines of a source say of clients. Each format has its reader. */
import type { Daemon } from '../../contract/daemon/schema.ts';
import { requirePolicy } from '../../contract/load/policy.ts';
import { logFormats } from '../../contract/logs/formats.ts';
import { limits } from '../../contract/policy/limits.ts';
import { accessReader } from '../../logs/access/reader.ts';
import { createLogReader, type LogEntry } from '../../logs/read.ts';
import { readRegularSync } from '../../platform/regular-file.ts';
import { readEvents } from './event.ts';

export type Source = Daemon['intake'][number];

/** A line that says something of a client. */
export interface Sighting {
  /** An address in canonical text. In a summary of events it may be the /64 of several addresses. */
  readonly ip: string;
  readonly outcome: 'failure' | 'success';
  /** The kind of failure. */
  readonly trigger: 'blocked request' | 'failed login';
  /** When it happened, milliseconds since the epoch. Undefined: now, because lines of syslog have no year and no zone. */
  readonly at?: number;
  readonly count: number;
  readonly user?: string | undefined;
}

export interface Reading {
  /** How lines of a file are decoded. `latin1`: as byte strings, one character for each byte. */
  readonly encoding: 'utf8' | 'latin1';
  readonly ofFile: (line: string) => readonly Sighting[];
  /** Reads a message of the journal. */
  readonly ofMessage: (message: string) => readonly Sighting[];
}

const bytesOf = (message: string): string => Buffer.from(message, 'utf8').toString('latin1');

const ofEvents = (line: string): Sighting[] =>
  readEvents(line).map((event) => ({ ...event, outcome: 'failure', trigger: 'blocked request' }));

function ofEntry(entry: LogEntry | undefined): Sighting[] {
  if (entry === undefined || entry.outcome === 'ignored') return [];
  const { address: ip, outcome, user } = entry;
  return [{ ip, outcome, trigger: 'failed login', count: 1, user }];
}

/** @throws Error that describes a problem of the policy */
function ofAccess({ policy: path = '', address }: Source): Reading {
  const policy = requirePolicy(readRegularSync(path, limits.policyFileBytes), path);
  const blockedClient = accessReader(policy, address);
  const ofFile = (line: string): Sighting[] => {
    const ip = blockedClient(line);
    return ip === undefined ? [] : [{ ip, outcome: 'failure', trigger: 'blocked request', count: 1 }];
  };
  return { encoding: 'latin1', ofFile, ofMessage: (message) => ofFile(bytesOf(message)) };
}

function ofServer(name: string): Reading {
  const format = logFormats.find((one) => one.name === name);
  if (!format) throw new Error(`unknown format ${name}`);
  const reader = createLogReader(format);
  return {
    encoding: 'latin1',
    ofFile: (line) => ofEntry(reader.ofFile(line)),
    ofMessage: (message) => ofEntry(reader.ofMessage(bytesOf(message))),
  };
}

/** @throws Error that describes a policy that does not load */
export function readingOf(source: Source): Reading {
  if (source.format === 'guard') return { encoding: 'utf8', ofFile: ofEvents, ofMessage: ofEvents };
  return source.format === 'access' ? ofAccess(source) : ofServer(source.format);
}
