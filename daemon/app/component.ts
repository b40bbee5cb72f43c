/** Runs a component of the daemon. Restarts it when its section of the configuration changes. */
import { isDeepStrictEqual } from 'node:util';
import type { Daemon } from '../../contract/daemon/schema.ts';

export interface Component<T> {
  readonly current: () => T | undefined;
  /**
   * Starts the component, or restarts it when its section changed. After a failed start, tries to start it with the
   * previous configuration, and rejects.
   */
  readonly apply: (config: Daemon) => Promise<void>;
  readonly problems: () => readonly string[];
  readonly close: () => Promise<void>;
}

export interface ComponentOptions<T> {
  readonly name: string;
  readonly section: (config: Daemon) => unknown;
  /** Returns undefined when the configuration disables the component. `previous` is already closed. */
  readonly start: (config: Daemon, previous: T | undefined) => Promise<T | undefined>;
  /** Whether a closed instance stays current until the next one has started, so that its data remains available. */
  readonly overlaps?: boolean;
  readonly reconfigure?: (current: T, config: Daemon) => void;
}

interface StartedInstance {
  readonly close: () => Promise<void>;
  readonly problems?: () => readonly string[];
}

export function createComponent<T extends StartedInstance>({
  name,
  section,
  start,
  overlaps = false,
  reconfigure,
}: ComponentOptions<T>): Component<T> {
  let current: T | undefined;
  let applied: { readonly config: Daemon } | undefined;
  let problem: string | undefined;
  let last = Promise.resolve();

  /** Starts with the previous configuration. Returns whether that worked. */
  const restore = async (config: Daemon, previous: T | undefined): Promise<boolean> => {
    try {
      current = await start(config, previous);
      applied = { config };
      return true;
    } catch {
      return false;
    }
  };
  const replace = async (config: Daemon) => {
    const before = applied?.config;
    if (before && isDeepStrictEqual(section(config), section(before))) {
      problem = undefined;
      applied = { config };
      if (current) reconfigure?.(current, config);
      return;
    }
    const previous = current;
    if (!overlaps) current = undefined;
    await previous?.close();
    try {
      current = await start(config, previous);
      applied = { config };
      problem = undefined;
    } catch (error) {
      applied = undefined;
      const reason = `${name}: ${(error as Error).message}`;
      const isBack = before !== undefined && (await restore(before, previous));
      problem = isBack ? `${reason}; the previous configuration stays in force` : reason;
      throw new Error(problem, { cause: error });
    }
  };
  return {
    current: () => current,
    apply: (config) => {
      last = last.catch(() => {}).then(() => replace(config));
      return last;
    },
    problems: () => [...(problem === undefined ? [] : [problem]), ...(current?.problems?.() ?? [])],
    close: async () => {
      await last.catch(() => {});
      const old = current;
      current = undefined;
      await old?.close();
    },
  };
}
