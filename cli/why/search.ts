/**
 * Searches event files for a reference. Parses few lines without its bytes, so a search takes about as long as
 * `grep -F`.
 */

import { whyBounds } from '../counting/bounds.ts';
import { damageOf, nameOf } from '../input/log-lines.ts';
import type { Context } from '../program/context.ts';
import { chunksOf } from './chunks.ts';
import { eventOf, type FoundEvent } from './event.ts';

const lineFeed = 0x0a;

/** Yields blocks of whole lines. Drops a line across chunks if it is longer than `lineBytes`. */
async function* blocksOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start = Buffer.alloc(0);
  let isTooLong = false;
  const extend = (part: Buffer): void => {
    isTooLong ||= start.length + part.length > whyBounds.lineBytes;
    start = isTooLong ? Buffer.alloc(0) : Buffer.concat([start, part]);
  };
  for await (const chunk of chunks) {
    const first = chunk.indexOf(lineFeed) + 1;
    if (first === 0) {
      extend(chunk);
      continue;
    }
    extend(chunk.subarray(0, first));
    if (!isTooLong) yield start;
    const end = chunk.lastIndexOf(lineFeed) + 1;
    if (end > first) yield chunk.subarray(first, end);
    [start, isTooLong] = [Buffer.alloc(0), false];
    extend(chunk.subarray(end));
  }
  if (start.length > 0) yield start;
}

/** Yields each line with one of the texts, once. Drops lines of more than `lineBytes` bytes. */
export function* linesWith(block: Buffer, needles: readonly Buffer[]): Generator<string> {
  const seen = new Set<number>();
  for (const needle of needles) {
    for (let at = block.indexOf(needle); at >= 0; ) {
      const from = block.lastIndexOf(lineFeed, at) + 1;
      const next = block.indexOf(lineFeed, at);
      const end = next < 0 ? block.length : next;
      if (!seen.has(from) && end - from <= whyBounds.lineBytes) yield block.toString('utf8', from, end);
      seen.add(from);
      at = block.indexOf(needle, end);
    }
  }
}

/** Returns the bytes of a value in JSON. The key is not included, because spaces may separate key and value. */
export const needleOf = (value: string): Buffer => Buffer.from(JSON.stringify(value));

/** Returns the bytes of the reference with its key, as gateways write it. A longer needle is found in less time. */
export const compactNeedleOf = (reference: string): Buffer => Buffer.from(`"reference":"${reference}"`);

/** Bytes in the type of each event. */
export const eventNeedle = Buffer.from('"guard_');

function eventIn(block: Buffer, needle: Buffer, reference?: string): FoundEvent | undefined {
  for (const line of linesWith(block, [needle])) {
    const event = eventOf(line);
    if (event && event.reference === (reference ?? event.reference)) return event;
  }
  return undefined;
}

const bytesOf = (blocks: readonly Buffer[]): number => blocks.reduce((sum, { length }) => sum + length, 0);

export interface FoundInFile {
  readonly file: string;
  readonly event: FoundEvent;
  /** Blocks of lines around the event, including its own block. */
  readonly blocks: readonly Buffer[];
}

/** Remarks about the searched files. */
export class SearchNotes {
  /** Damage of compressed files. */
  readonly damageMessages = new Set<string>();
  /** True when a searched file has any event. */
  hasEvents = false;
}

export interface Search {
  readonly reference: string;
  /** Bytes that the line of the event has. Other lines are not compared with the reference. */
  readonly needle: Buffer;
  readonly notes: SearchNotes;
}

/** Searches a file for the event. Returns undefined when no line with the needle is the event. */
export async function searchFile(
  file: string,
  { reference, needle, notes }: Search,
  context: Context,
): Promise<FoundInFile | undefined> {
  const around: Buffer[] = [];
  let event: FoundEvent | undefined;
  let most = 0;
  try {
    for await (const block of blocksOf(chunksOf(file, context))) {
      around.push(block);
      if (event && bytesOf(around) >= most) break;
      if (event) continue;
      while (around.length > 1 && bytesOf(around) > whyBounds.countedBytes) around.shift();
      notes.hasEvents ||= eventIn(block, eventNeedle) !== undefined;
      event = eventIn(block, needle, reference);
      most = bytesOf(around) + whyBounds.countedBytes;
    }
  } catch (error) {
    const problem = damageOf(error);
    if (problem === undefined) throw error;
    notes.damageMessages.add(`${nameOf(file)}: ${problem}`);
  }
  return event && { file: nameOf(file), event, blocks: around };
}
