/** BER (X.690) as LDAP restricts it: definite lengths of at most four bytes, and tags of one byte. */

const mostLengthBytes = 4;

/** The length of the element at `at`, with its tag and length field. 0: more bytes are needed. -1: invalid. */
export function elementSize(bytes: Buffer, at: number, end: number): number {
  const from = contentAt(bytes, at, end);
  return from <= 0 ? from : from - at + contentLength(bytes, at);
}

/** The offset of the element's content. 0: more bytes are needed. -1: invalid. */
export function contentAt(bytes: Buffer, at: number, end: number): number {
  if (end - at < 2) return 0;
  const first = bytes[at + 1] ?? 0;
  if (first < 0x80) return at + 2;
  const count = first & 0x7f;
  if (count === 0 || count > mostLengthBytes) return -1;
  return end - at < 2 + count ? 0 : at + 2 + count;
}

function contentLength(bytes: Buffer, at: number): number {
  const first = bytes[at + 1] ?? 0;
  return first < 0x80 ? first : bytes.readUIntBE(at + 2, first & 0x7f);
}

export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  readonly isWhole: boolean;
}

/** Yields the available elements in order. Ends at the first one that is invalid or has an incomplete length. */
export function* elements(bytes: Buffer): Generator<Element> {
  for (let at = 0; at < bytes.length; ) {
    const size = elementSize(bytes, at, bytes.length);
    if (size <= 0) return;
    const content = bytes.subarray(contentAt(bytes, at, bytes.length), at + size);
    yield { tag: bytes[at] ?? 0, content, isWhole: at + size <= bytes.length };
    at += size;
  }
}

/** The value of an INTEGER or ENUMERATED of 1 to 4 bytes. Undefined for other lengths. */
export const integerOf = (content: Buffer): number | undefined =>
  content.length >= 1 && content.length <= 4 ? content.readIntBE(0, content.length) : undefined;
