/** Decisions on disk, for a daemon that starts while the LAPI is not available. */
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbsent, readRegular, replaceFile } from '../../platform/regular-file.ts';
import { type KeyedDecision, readStored, type StoredDecision, toStored } from './decision.ts';
import { decisionsPerTurn } from './turn.ts';

const fileName = 'threatfeed.jsonl';
const headLine = '{"version":1}';

export interface FeedStore {
  /** Returns the stored decisions that have not ended. Rejects when the file cannot be read or is damaged. */
  readonly load: (now: number) => Promise<KeyedDecision[]>;
  /**
   * Replaces the file after the new one is on disk. Of a decision that changes meanwhile, the file has the old or the
   * new state.
   */
  readonly save: (decisions: Iterable<KeyedDecision>) => Promise<void>;
}

function* lineSlices(decisions: Iterable<KeyedDecision>): Generator<string> {
  let lines = [headLine];
  let count = 0;
  for (const keyed of decisions) {
    lines.push(JSON.stringify(toStored(keyed)));
    count++;
    if (lines.length < decisionsPerTurn) continue;
    yield `${lines.join('\n')}\n`;
    lines = [];
  }
  yield `${[...lines, JSON.stringify({ count })].join('\n')}\n`;
}

async function writeDecisions(file: FileHandle, decisions: Iterable<KeyedDecision>): Promise<void> {
  for (const slice of lineSlices(decisions)) await file.writeFile(slice);
  await file.sync();
}

export function feedStore(dataDir: string): FeedStore {
  const path = join(dataDir, fileName);
  return {
    load: async (now) => {
      const bytes = await readRegular(path, Number.POSITIVE_INFINITY).catch((error: unknown) => {
        if (isAbsent(error)) return undefined;
        throw error;
      });
      return bytes === undefined ? [] : readLines(bytes.toString(), now);
    },
    save: (decisions) => replaceFile(path, (file) => writeDecisions(file, decisions)),
  };
}

function readLines(text: string, now: number): KeyedDecision[] {
  const lines = text.split('\n');
  const [first, ...rest] = lines;
  const stored = rest.slice(0, -2);
  const isWhole = first === headLine && rest.at(-2) === JSON.stringify({ count: stored.length });
  if (!isWhole) throw new Error('the file is damaged');
  return stored.flatMap((line) => readStored(JSON.parse(line) as StoredDecision, now) ?? []);
}
