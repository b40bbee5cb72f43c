/** Makes and checks whole ban lists (contract/policy/ban-list.ts). */
import { crc32 } from 'node:zlib';
import {
  banListBytes,
  banListEdge,
  banListEnd,
  banListVersion,
  hex,
  numberDigits,
  rangeBytes,
} from '../contract/policy/ban-list.ts';
import { limits } from '../contract/policy/limits.ts';

const blockBytes = limits.banListBlock * rangeBytes;
const digitsOf = (value: number): string => hex(value, numberDigits);

/** Work that pauses at each step. Between two of them is at most one block of ranges, which takes a few milliseconds. */
type Steps<Result> = Generator<void, Result, void>;

function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

function* sumSteps(firstLine: string, ranges: Buffer): Steps<string> {
  let sum = firstLine;
  for (let at = 0; at === 0 || at < ranges.length; at += blockBytes) {
    sum = digitsOf(crc32(ranges.subarray(at, at + blockBytes), crc32(sum)));
    yield;
  }
  return sum;
}

/**
 * The checksum of the lines before the last one: the CRC-32 of each block behind the previous result, beginning with
 * the first line. nginx checks one block at a time between requests.
 */
export const banListChecksum = (firstLine: string, ranges: Buffer): string => finish(sumSteps(firstLine, ranges));

/** Returns the file of sorted, disjoint ranges in the form of `rangeLines`. `written`: seconds since 1970. */
export function banListFile(ranges: readonly string[], written: number): Buffer {
  const firstLine = `${banListVersion}${digitsOf(written)}\n`;
  const body = Buffer.from(ranges.join(''), 'latin1');
  const lastLine = `${banListEnd}${digitsOf(ranges.length)} ${banListChecksum(firstLine, body)}\n`;
  return Buffer.concat([Buffer.from(firstLine), body, Buffer.from(lastLine)]);
}

const firstLineForm = new RegExp(`^${banListVersion}([0-9a-f]{8})\n$`);

/** Returns when a file was written, seconds since 1970. Undefined: its first line has another form. */
export function writtenIn(firstLine: string): number | undefined {
  const [, digits] = firstLineForm.exec(firstLine) ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

const lastLineForm = new RegExp(`^${banListEnd}([0-9a-f]{8}) ([0-9a-f]{8})\n$`);

/** Returns why the lines are not sorted, disjoint ranges, or undefined. Lines never repeat. */
function* faultSteps(ranges: Buffer): Steps<string | undefined> {
  let last = '';
  for (let at = 0; at < ranges.length; at += blockBytes) {
    const lines = ranges.toString('latin1', at, at + blockBytes).split('\n');
    if (lines.pop() !== '') return 'a line has another form'; // the block does not end with a line end
    for (const [index, line] of lines.entries()) {
      const isStart = index % 2 === 0;
      if (!(isStart ? /^[0-9a-f]{32}$/ : /^[0-9a-f]{32} [0-9a-f]{8}$/).test(line)) return 'a line has another form';
      if (line <= last) return 'the ranges are not sorted, or overlap';
      last = line;
    }
    yield;
  }
  return undefined;
}

export type ReadBanList =
  | { readonly ranges: Buffer; readonly written: number }
  /** Why the file is refused. */
  | { readonly fault: string };

/** `readBanList` in steps, for a process that serves connections meanwhile. */
export function* readingSteps(bytes: Buffer): Steps<ReadBanList> {
  const size = bytes.length - 2 * banListEdge;
  if (size < 0 || size % rangeBytes !== 0 || bytes.length > banListBytes) return { fault: 'it has a wrong size' };
  const firstLine = bytes.toString('latin1', 0, banListEdge);
  const written = writtenIn(firstLine);
  if (written === undefined) return { fault: 'its first line is another one: its version may be newer' };
  const ranges = bytes.subarray(banListEdge, banListEdge + size);
  const [, count = '', checksum] = lastLineForm.exec(bytes.toString('latin1', banListEdge + size)) ?? [];
  if (Number.parseInt(count, 16) !== size / rangeBytes || checksum !== (yield* sumSteps(firstLine, ranges)))
    return { fault: 'its count or its checksum is wrong' };
  const fault = yield* faultSteps(ranges);
  return fault === undefined ? { ranges, written } : { fault };
}

/** Checks a whole file. `ranges` are its bytes between the first line and the last one. */
export const readBanList = (bytes: Buffer): ReadBanList => finish(readingSteps(bytes));
