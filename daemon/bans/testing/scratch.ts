/** For tests: bans in a temporary folder. */
import type { Daemon } from '../../../contract/daemon/schema.ts';
import { loadDaemon } from '../../../contract/load/daemon.ts';
import { scratchFolder } from '../../../platform/scratch-folder.ts';
import type { BanChange, ConfigurableBans } from '../ban.ts';
import { createBans } from '../index.ts';
import type { StallMs } from '../stall-timer.ts';

/** Registers cleanup after a test. */
interface Cleanup {
  readonly after: (done: () => void | Promise<void>) => void;
}

/** The configuration in a YAML text. */
export function configOf(text = 'version: 1'): Daemon {
  const loaded = loadDaemon(Buffer.from(text), 'tcp-guard.yaml', {});
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.value;
}

export const dataFolder = (): string => scratchFolder('bans-');

export interface Scratch {
  readonly bans: ConfigurableBans;
  readonly changes: BanChange[];
  /** Milliseconds, set by the test. The monotonic clock moves with it. */
  clock: number;
  /** Moves the wall clock forward by milliseconds. Negative: back. */
  readonly step: (ms: number) => void;
}

export async function scratchBans(
  test: Cleanup,
  {
    yaml,
    dataDir = dataFolder(),
    clock = 1_000_000,
    stallMs = { write: 60_000, load: 60_000 }, // the disk may be busy with other tests
    onFault = () => {},
  }: {
    yaml?: string;
    dataDir?: string;
    clock?: number;
    stallMs?: StallMs;
    onFault?: (message: string) => void;
  } = {},
): Promise<Scratch> {
  const changes: BanChange[] = [];
  let stepped = 0;
  const step = (ms: number) => {
    stepped += ms;
    scratch.clock += ms;
  };
  const scratch = { clock, changes, step };
  const bans = await createBans({
    config: configOf(yaml),
    dataDir,
    onFault,
    now: () => scratch.clock,
    monotonic: () => scratch.clock - stepped,
    onChange: (change) => changes.push(change),
    stallMs,
  });
  test.after(async () => void (await bans.close()));
  return Object.assign(scratch, { bans });
}
