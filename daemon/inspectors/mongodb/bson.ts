/** Iterates over the available elements of a BSON document (bsonspec.org 1.1). A nested document is one element. */

export interface BsonElement {
  readonly type: number;
  readonly name: string;
  readonly value: Buffer;
}

export const bsonTypes = {
  double: 0x01,
  text: 0x02,
  document: 0x03,
  binary: 0x05,
  boolean: 0x08,
  int32: 0x10,
  int64: 0x12,
} as const;

const lengthBytes = 4;
const binaryHeadBytes = 5;

const fixedSize = (bytes: number) => () => bytes;
/** Returns the size function of a type with a length prefix. `uncounted`: bytes that the prefix does not include. */
const prefixedSize = (uncounted: number) => (bytes: Buffer, at: number) =>
  at + lengthBytes <= bytes.length ? bytes.readUInt32LE(at) + uncounted : Number.POSITIVE_INFINITY;

function expressionSize(bytes: Buffer, at: number): number {
  const middle = bytes.indexOf(0, at);
  const end = middle < 0 ? -1 : bytes.indexOf(0, middle + 1);
  return end < 0 ? Number.POSITIVE_INFINITY : end + 1 - at;
}

const sizes = new Map<number, (bytes: Buffer, at: number) => number>([
  [bsonTypes.double, fixedSize(8)],
  [bsonTypes.text, prefixedSize(lengthBytes)],
  [bsonTypes.document, prefixedSize(0)],
  [0x04, prefixedSize(0)], // array
  [bsonTypes.binary, prefixedSize(binaryHeadBytes)],
  [0x06, fixedSize(0)], // undefined
  [0x07, fixedSize(12)], // object id
  [bsonTypes.boolean, fixedSize(1)],
  [0x09, fixedSize(8)], // date
  [0x0a, fixedSize(0)], // null
  [0x0b, expressionSize],
  [0x0c, prefixedSize(lengthBytes + 12)], // pointer
  [0x0d, prefixedSize(lengthBytes)], // code
  [0x0e, prefixedSize(lengthBytes)], // symbol
  [0x0f, prefixedSize(0)], // code with scope
  [bsonTypes.int32, fixedSize(4)],
  [0x11, fixedSize(8)], // timestamp
  [bsonTypes.int64, fixedSize(8)],
  [0x13, fixedSize(16)], // decimal
  [0x7f, fixedSize(0)],
  [0xff, fixedSize(0)],
]);

/** The elements of the document at `at`. Ends at the first one that is incomplete or has an unknown type. */
export function* bsonElements(bytes: Buffer, at = 0): Generator<BsonElement> {
  for (let from = at + lengthBytes; from < bytes.length; ) {
    const type = bytes[from] ?? 0;
    const end = bytes.indexOf(0, from + 1);
    if (type === 0 || end < 0) return;
    const size = sizes.get(type)?.(bytes, end + 1) ?? Number.POSITIVE_INFINITY;
    if (end + 1 + size > bytes.length) return;
    yield { type, name: bytes.toString('latin1', from + 1, end), value: bytes.subarray(end + 1, end + 1 + size) };
    from = end + 1 + size;
  }
}

const numberReaders = new Map<number, (value: Buffer) => number>([
  [bsonTypes.double, (value) => value.readDoubleLE()],
  [bsonTypes.boolean, (value) => value[0] ?? 0],
  [bsonTypes.int32, (value) => value.readInt32LE()],
  [bsonTypes.int64, (value) => Number(value.readBigInt64LE())],
]);

/** The value of a number or a boolean. Undefined for other types. */
export const numberOf = ({ type, value }: BsonElement): number | undefined => numberReaders.get(type)?.(value);

/** The value of a string. Undefined for other types. */
export const textOf = ({ type, value }: BsonElement): string | undefined =>
  type === bsonTypes.text ? value.toString('latin1', lengthBytes, Math.max(lengthBytes, value.length - 1)) : undefined;

/** The bytes of a binary. Some clients send a base64 string instead. Undefined for other types. */
export function binaryOf(element: BsonElement): Buffer | undefined {
  if (element.type === bsonTypes.binary) return element.value.subarray(binaryHeadBytes);
  const text = textOf(element);
  return text === undefined ? undefined : Buffer.from(text, 'base64');
}
