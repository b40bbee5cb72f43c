/** Properties of MQTT 5 (2.2.2.2). The identifier determines the type of the value. */
import type { Cursor } from '../framing/cursor.ts';

type Skip = (cursor: Cursor) => void;

const skipFixed =
  (length: number): Skip =>
  (cursor) =>
    cursor.skip(length);
const skipPrefixed: Skip = (cursor) => cursor.skip(cursor.number(2));
const skipPair: Skip = (cursor) => {
  skipPrefixed(cursor);
  skipPrefixed(cursor);
};

const authenticationMethodId = 0x15;

const propertySkips = new Map<number, Skip>([
  [0x01, skipFixed(1)], // payload format
  [0x02, skipFixed(4)], // message expiry
  [0x03, skipPrefixed], // content type
  [0x08, skipPrefixed], // response topic
  [0x09, skipPrefixed], // correlation data
  [0x11, skipFixed(4)], // session expiry
  [authenticationMethodId, skipPrefixed],
  [0x16, skipPrefixed], // authentication data
  [0x17, skipFixed(1)], // request problem information
  [0x18, skipFixed(4)], // will delay
  [0x19, skipFixed(1)], // request response information
  [0x21, skipFixed(2)], // receive maximum
  [0x22, skipFixed(2)], // topic alias maximum
  [0x26, skipPair], // user property
  [0x27, skipFixed(4)], // maximum packet size
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
    if (kind === authenticationMethodId) method = cursor.text(cursor.number(2));
    else (propertySkips.get(kind) ?? skipPastEnd)(cursor);
  }
  return method;
}

const skipPastEnd: Skip = (cursor) => cursor.skip(cursor.left + 1);
