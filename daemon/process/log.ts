/**
 * The log: messages for the operator on standard error. For systemd's journal, each line begins with the priority of
 * its level (sd-daemon(3)). Otherwise a message begins with the time and the level.
 */
import { fstatSync } from 'node:fs';
import { readable } from '../../platform/escape.ts';

const priorities = { error: 3, warning: 4, info: 6 } as const;
export type Level = keyof typeof priorities;

/**
 * Whether standard error is the journal. JOURNAL_STREAM names its device and inode: a process can inherit the variable
 * but have a redirected standard error.
 */
function isJournal({ JOURNAL_STREAM }: NodeJS.ProcessEnv): boolean {
  if (JOURNAL_STREAM === undefined) return false;
  try {
    const { dev, ino } = fstatSync(process.stderr.fd, { bigint: true });
    return JOURNAL_STREAM === `${dev}:${ino}`;
  } catch {
    return false; // standard error is closed
  }
}

/** Formats a message, which can have several lines. Characters that a terminal interprets are escaped. */
export function logText(level: Level, message: string, toJournal: boolean, now: number): string {
  const lines = message.trimEnd().split('\n').map(readable);
  if (toJournal) return lines.map((line) => `<${priorities[level]}>${line}\n`).join('');
  return `${new Date(now).toISOString()} ${level}: ${lines.join('\n  ')}\n`;
}

const toJournal = isJournal(process.env);
const writeAt = (level: Level) => (message: string) =>
  void process.stderr.write(logText(level, message, toJournal, Date.now()));

export const log: Readonly<Record<Level, (message: string) => void>> = {
  error: writeAt('error'),
  warning: writeAt('warning'),
  info: writeAt('info'),
};
