/** Reads the rows of one page of a SQLite table WITHOUT ROWID. Pages of other kinds yield nothing. */

/** Pages with rows: leaf and interior. `head`: bytes of the page header. `before`: bytes before the row in its cell. */
const pageTypes: Readonly<Record<number, { readonly head: number; readonly before: number }>> = {
  10: { head: 8, before: 0 },
  2: { head: 12, before: 4 },
};
const columnCount = 8;
const longestRow = 1000; // longer rows would overflow into other pages; bans are shorter

/** Reads a variable-length integer. SQLite allows nine bytes, but rows of bans use at most four. */
function varint(bytes: Buffer, at: number): readonly [value: number, end: number] {
  let value = 0;
  for (let index = at; index < at + 4; index += 1) {
    const byte = bytes.readUInt8(index);
    value = value * 128 + (byte & 127);
    if (byte < 128) return [value, index + 1];
  }
  throw new RangeError('a number is too long');
}

const integerBytes = [0, 1, 2, 3, 4, 6, 8];
const smallBytes = 6;

/** Reads a column. `type`: its serial type. `length`: the bytes of its value. */
function columnOf(bytes: Buffer, at: number, type: number): readonly [value: unknown, length: number] {
  const integer = integerBytes[type];
  if (type === 0) return [null, 0];
  if (integer !== undefined)
    return [integer > smallBytes ? Number(bytes.readBigInt64BE(at)) : bytes.readIntBE(at, integer), integer];
  if (type === 8 || type === 9) return [type - 8, 0];
  const isText = type >= 13 && type % 2 === 1;
  if (!isText) throw new RangeError('the column is not text');
  const length = (type - 13) / 2;
  if (at + length > bytes.length) throw new RangeError('the column is longer than the page');
  return [bytes.toString('utf8', at, at + length), length];
}

function rowAt(bytes: Buffer, cell: number): unknown[] {
  const [length, start] = varint(bytes, cell);
  const [head, first] = varint(bytes, start);
  if (length > longestRow || start + length > bytes.length) throw new RangeError('the row is longer than the page');
  const row: unknown[] = [];
  let [type, next, body] = [0, first, start + head];
  while (next < start + head && row.length <= columnCount) {
    [type, next] = varint(bytes, next);
    const [value, valueBytes] = columnOf(bytes, body, type);
    row.push(value);
    body += valueBytes;
  }
  return row.length === columnCount && body === start + length ? row : [];
}

/** Yields the intact rows of a page. `begin`: the offset of the page header. */
export function* rowsOfPage(page: Buffer, begin: number): Generator<readonly unknown[]> {
  const node = page.length > begin + 12 ? pageTypes[page.readUInt8(begin)] : undefined;
  if (!node) return;
  const cells = page.readUInt16BE(begin + 3);
  for (let index = 0; index < cells; index += 1) {
    const pointer = begin + node.head + index * 2;
    if (pointer + 2 > page.length) return;
    try {
      yield rowAt(page, page.readUInt16BE(pointer) + node.before);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error; // skip a damaged cell: later cells can be intact
    }
  }
}
