/** A part of the daemon that begins anew when its section of the configuration changes. */
import { isDeepStrictEqual } from 'node:util';
import type { Daemon } from '../contract/daemon.ts';

export interface Part<T> {
  readonly current: () => T | undefined;
  /** Begins, or begins anew when the section is another than before. Rejects when it cannot; then the part is not there. */
  readonly apply: (config: Daemon) => Promise<void>;
  readonly problems: () => readonly string[];
  readonly close: () => Promise<void>;
}

export interface PartOptions<T> {
  readonly name: string;
  readonly section: (config: Daemon) => unknown;
  /** Undefined: the configuration asks for none. */
  readonly start: (config: Daemon) => Promise<T | undefined>;
}

export function createPart<T extends { close: () => Promise<void> }>({
  name,
  section,
  start,
}: PartOptions<T>): Part<T> {
  let current: T | undefined;
  let applied: unknown;
  let problem: string | undefined;
  let last = Promise.resolve();

  const close = async () => {
    const old = current;
    current = undefined;
    await old?.close();
  };
  const renew = async (config: Daemon) => {
    const wanted = section(config);
    if (isDeepStrictEqual(wanted, applied)) return;
    applied = undefined;
    await close();
    try {
      current = await start(config);
      applied = wanted;
      problem = undefined;
    } catch (error) {
      problem = `${name}: ${(error as Error).message}`;
      throw error;
    }
  };
  return {
    current: () => current,
    apply: (config) => {
      last = last.catch(() => {}).then(() => renew(config));
      return last;
    },
    problems: () => (problem === undefined ? [] : [problem]),
    close: async () => {
      await last.catch(() => {});
      await close();
    },
  };
}
