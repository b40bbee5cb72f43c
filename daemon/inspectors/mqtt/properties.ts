/** Properties of MQTT 5 (2.2.2.2). The identifier determines the type of the value. */
import type { Cursor } from '../framing/cursor.ts';

type Skip = (cursor: Cursor) => void;

const fixed =
  (length: number): Skip =>
  (cursor) =>
    cursor.skip(length);
const prefixed: Skip = (cursor) => cursor.skip(cursor.number(2));
const pair: Skip = (cursor) => {
  prefixed(cursor);
  prefixed(cursor);
};

const authentication = 0x15;

/** Properties of CONNECT and of a will. */
const properties = new Map<number, Skip>([
  [0x01, fixed(1)], // payload format
  [0x02, fixed(4)], // message expiry
  [0x03, prefixed], // content type
  [0x08, prefixed], // response topic
  [0x09, prefixed], // correlation data
  [0x11, fixed(4)], // session expiry
  [authentication, prefixed],
  [0x16, prefixed], // authentication data
  [0x17, fixed(1)], // request problem information
  [0x18, fixed(4)], // will delay
  [0x19, fixed(1)], // request response information
  [0x21, fixed(2)], // receive maximum
  [0x22, fixed(2)], // topic alias maximum
  [0x26, pair], // user property
  [0x27, fixed(4)], // maximum packet size
]);

const lengthBytes = 4;

export function skipProperties(cursor: Cursor): void {
  cursor.skip(cursor.varint(lengthBytes));
}

/** Reads the properties. Returns the method of an enhanced authentication (4.12), if there is one. */
export function authenticationMethod(cursor: Cursor): string | undefined {
  const length = cursor.varint(lengthBytes);
  const end = cursor.at + length;
  let method: string | undefined;
  while (cursor.at < end && !cursor.isOver) {
    const kind = cursor.number(1);
    if (kind === authentication) method = cursor.text(cursor.number(2));
    else (properties.get(kind) ?? past)(cursor);
  }
  return method;
}

const past: Skip = (cursor) => cursor.skip(cursor.left + 1);
