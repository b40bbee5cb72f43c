/** The audit. Writes the records of the configured level to the file, and passes all records to subscribers. */
import type { Daemon } from '../../contract/daemon/schema.ts';
import { auditActions } from '../../contract/events/members.ts';
import type { LineExporter } from '../../platform/otlp/exporter.ts';
import { log } from '../process/log.ts';
import type { Audit, AuditAction, AuditEvent } from './event.ts';
import { createFaultGuard } from './faults.ts';
import { createFloodGuard } from './flood.ts';
import { LineQueue } from './queue.ts';

type Level = Daemon['global']['log_level'];

interface Written {
  readonly actions: readonly AuditAction[];
  readonly facts: boolean;
  readonly faults: boolean;
}

/** The records that each level writes to the file. */
const levels: Readonly<Record<Level, Written>> = {
  debug: { actions: auditActions, facts: true, faults: true },
  info: { actions: auditActions, facts: false, faults: true },
  warn: { actions: ['auth_failure', 'blocked'], facts: false, faults: false },
  error: { actions: [], facts: false, faults: true },
  off: { actions: [], facts: false, faults: false },
};

interface AuditWriter extends Audit {
  readonly configure: (config: Daemon) => void;
}

/** Removes the facts. A blocked connection keeps them: they say what was refused, such as the command. */
function withoutFacts(event: AuditEvent): AuditEvent {
  if (event.facts === undefined || event.action === 'blocked') return event;
  const { facts: _, ...rest } = event;
  return rest;
}

/** Escapes characters that JSON leaves raw, and that terminals interpret. */
function jsonLine(value: unknown): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/[\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, escaped);
}

interface AuditOptions {
  readonly config: Daemon;
  readonly now: () => number;
  /** Receives the lines of the file too. */
  readonly exporter?: LineExporter;
}

export function createAudit({ config, now, exporter }: AuditOptions): AuditWriter {
  let { log_file: path, log_level: level } = config.global;
  const queue = new LineQueue(path);
  const push = (value: unknown) => {
    const text = jsonLine(value);
    queue.push(text);
    exporter?.send(text);
  };
  const listeners = new Set<(event: AuditEvent) => void>();
  const publish = (event: AuditEvent) => {
    const { actions, facts } = levels[level];
    const shown = facts ? event : withoutFacts(event);
    if (actions.includes(event.action)) push(shown);
    for (const listener of listeners) listener(shown);
  };
  const flood = createFloodGuard(publish);
  const faults = createFaultGuard((message) => {
    log.error(message);
    const timestamp = new Date(now()).toISOString();
    if (levels[level].faults) push({ type: 'fault', timestamp, message });
  });
  const problems = () => queue.problems().map((problem) => `audit: ${problem}`);
  return {
    record: flood.add,
    fault: faults.add,
    reopen: () => queue.reopen(path),
    follow: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    lost: queue.lost,
    dropped: queue.dropped,
    problems,
    configure: ({ global }) => {
      level = global.log_level;
      if (global.log_file !== path) queue.reopen(global.log_file);
      path = global.log_file;
    },
    close: async () => {
      flood.close();
      faults.close();
      await Promise.all([queue.close(), exporter?.close()]);
    },
  };
}
