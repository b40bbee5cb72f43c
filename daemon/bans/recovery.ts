/**
 * Recovers rows of a damaged store page by page (sqlite.org/fileformat2.html). It does not follow the tree, so a lost
 * page does not hide other pages.
 */
import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { rowsOfPage } from './recovery-page.ts';
import { isRow, type Row, timeOrInfinity } from './row.ts';

const usualPageBytes = 4096;
const mostPageBytes = 65_536;
const fileHeaderBytes = 100;
const walHeaderBytes = 32;
const frameHeaderBytes = 24;

interface File {
  readonly read: (at: number, length: number) => Buffer;
  readonly bytes: number;
  readonly close: () => void;
}

/** Opens a file of the store. A pipe or device in its place reads as empty. */
function openFile(path: string): File {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stat = fstatSync(descriptor);
  const read = (at: number, length: number) => {
    const bytes = Buffer.alloc(stat.isFile() ? length : 0);
    return bytes.subarray(0, bytes.length > 0 ? readSync(descriptor, bytes, 0, length, at) : 0);
  };
  return { read, bytes: stat.isFile() ? stat.size : 0, close: () => closeSync(descriptor) };
}

const isPageSize = (bytes: number): boolean =>
  bytes >= 512 && bytes <= mostPageBytes && Number.isInteger(Math.log2(bytes));

function pageBytesOf(header: Buffer): number {
  if (header.length < fileHeaderBytes) return usualPageBytes;
  const declaredBytes = header.readUInt16BE(16);
  const bytes = declaredBytes === 1 ? mostPageBytes : declaredBytes;
  return isPageSize(bytes) ? bytes : usualPageBytes;
}

/** The offsets of the newest committed version of each page in the log (-wal). */
function pagesOfLog(log: File, pageBytes: number): Map<number, number> {
  const pages = new Map<number, number>();
  const salt = log.read(0, walHeaderBytes).subarray(16, 24);
  let uncommitted: [page: number, at: number][] = [];
  const step = frameHeaderBytes + pageBytes;
  for (let at = walHeaderBytes; at + step <= log.bytes; at += step) {
    const frame = log.read(at, frameHeaderBytes);
    if (!frame.subarray(8, 16).equals(salt)) break; // this and later frames are from before the last checkpoint
    uncommitted.push([frame.readUInt32BE(0), at + frameHeaderBytes]);
    if (frame.readUInt32BE(4) === 0) continue; // the transaction continues
    for (const [page, offset] of uncommitted) pages.set(page, offset);
    uncommitted = [];
  }
  return pages;
}

/** The offset of the page header. On the first page, the file header precedes it. */
const pageHeaderOffset = (page: number): number => (page === 1 ? fileHeaderBytes : 0);

/**
 * Yields the newest version of each page and the offset of its header. Iterates over the pages in the log, not over all
 * page numbers: a damaged log can contain any number.
 */
function* pagesOf(file: File, log: File | undefined): Generator<readonly [page: Buffer, begin: number]> {
  const pageBytes = pageBytesOf(file.read(0, fileHeaderBytes));
  const logged = log ? pagesOfLog(log, pageBytes) : new Map<number, number>();
  for (let page = 1; (page - 1) * pageBytes < file.bytes; page += 1)
    if (!logged.has(page)) yield [file.read((page - 1) * pageBytes, pageBytes), pageHeaderOffset(page)];
  if (log) for (const [page, offset] of logged) yield [log.read(offset, pageBytes), pageHeaderOffset(page)];
}

const isNewer = ([, , , , bannedAt, expiresAt]: Row, [, , , , other, otherEnd]: Row): boolean =>
  bannedAt === other ? timeOrInfinity(expiresAt) > timeOrInfinity(otherEnd) : bannedAt > other;

/**
 * The rows of a damaged store, one for each address.
 * @throws when the file cannot be opened
 */
export function recoveredRows(path: string): Iterable<Row> {
  const rows = new Map<string, Row>();
  const file = openFile(path);
  const log = existsSync(`${path}-wal`) ? openFile(`${path}-wal`) : undefined;
  try {
    for (const [page, begin] of pagesOf(file, log))
      for (const row of rowsOfPage(page, begin)) {
        if (!isRow(row)) continue;
        const earlier = rows.get(row[0]);
        if (!earlier || isNewer(row, earlier)) rows.set(row[0], row);
      }
  } finally {
    file.close();
    log?.close();
  }
  return rows.values();
}
