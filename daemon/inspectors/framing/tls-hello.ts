/** Parses a ClientHello (RFC 8446 4.1.2). */

export interface ClientHello {
  /** The version field of the message. Standard clients never send more than TLS 1.2 here. */
  readonly legacyVersion: number;
  /** The offered versions. Empty when the extension is absent. Lists of numbers have no GREASE values (RFC 8701). */
  readonly supportedVersions: readonly number[];
  readonly ciphers: readonly number[];
  readonly extensions: readonly number[];
  readonly signatureAlgorithms: readonly number[];
  /** Protocol names as byte strings, in order of preference. */
  readonly protocols: readonly string[];
  readonly serverName: string | undefined;
}

export const extensionTypes = { serverName: 0, signatureAlgorithms: 13, alpn: 16, supportedVersions: 43 } as const;

class Malformed extends Error {}

/**
 * Reads the numbers and vectors (RFC 8446 3.4) of a message. Throws `Malformed` when one extends past the end;
 * `parseClientHello` catches the error.
 */
class Cursor {
  private at = 0;
  private readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  read(length: number): Buffer {
    const end = this.at + length;
    if (end > this.bytes.length) throw new Malformed();
    const part = this.bytes.subarray(this.at, end);
    this.at = end;
    return part;
  }

  number(width: number): number {
    return this.read(width).readUIntBE(0, width);
  }

  vector(width: number): Cursor {
    return new Cursor(this.read(this.number(width)));
  }

  all<Item>(read: (cursor: Cursor) => Item): Item[] {
    const items: Item[] = [];
    while (!this.isAtEnd) items.push(read(this));
    return items;
  }

  text(): string {
    return this.bytes.toString('latin1', this.at);
  }
}

const number16 = (cursor: Cursor) => cursor.number(2);

/** Whether clients add this value at random (RFC 8701): 0x0a0a, 0x1a1a, to 0xfafa. */
const isGrease = (value: number) => (value & 0x0f0f) === 0x0a0a && value >> 8 === (value & 0xff);
const withoutGrease = (values: readonly number[]) => values.filter((value) => !isGrease(value));

const nameForm = /^[\x21-\x7e]+$/;

/** RFC 6066 3 allows one host name. */
function readServerName(cursor: Cursor): string {
  const names = cursor.vector(2).all((list) => ({ type: list.number(1), name: list.vector(2).text() }));
  const [first, ...others] = names.filter(({ type }) => type === 0);
  if (!first || others.length > 0 || !nameForm.test(first.name)) throw new Malformed();
  return first.name;
}

/** Two extensions of one type are forbidden (RFC 8446 4.2): the inspector and the server could read different ones. */
function readExtensions(cursor: Cursor): Map<number, Cursor> {
  const extensions = new Map<number, Cursor>();
  if (cursor.isAtEnd) return extensions;
  for (const [type, data] of cursor.vector(2).all((list) => [list.number(2), list.vector(2)] as const)) {
    if (extensions.has(type)) throw new Malformed();
    extensions.set(type, data);
  }
  return extensions;
}

function parse(cursor: Cursor): ClientHello {
  const legacyVersion = cursor.number(2);
  cursor.read(32); // random
  cursor.vector(1); // session id
  const ciphers = cursor.vector(2).all(number16);
  cursor.vector(1); // compression methods
  const extensions = readExtensions(cursor);
  if (!cursor.isAtEnd) throw new Malformed();
  const { serverName, signatureAlgorithms, alpn, supportedVersions } = extensionTypes;
  const named = extensions.get(serverName);
  return {
    legacyVersion,
    supportedVersions: withoutGrease(extensions.get(supportedVersions)?.vector(1).all(number16) ?? []),
    ciphers: withoutGrease(ciphers),
    extensions: withoutGrease([...extensions.keys()]),
    signatureAlgorithms: withoutGrease(extensions.get(signatureAlgorithms)?.vector(2).all(number16) ?? []),
    protocols:
      extensions
        .get(alpn)
        ?.vector(2)
        .all((list) => list.vector(1).text()) ?? [],
    serverName: named && readServerName(named),
  };
}

/** `body`: the message without its header. Returns undefined when the message is malformed. */
export function parseClientHello(body: Buffer): ClientHello | undefined {
  try {
    return parse(new Cursor(body));
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}
