/** Decodes base64 values, such as `?f=L2V0Yy9wYXNzd2Q`: applications decode them before they open a file. */

/** Matches both alphabets (RFC 4648 4 and 5), with or without padding. Fewer characters encode at most three bytes. */
const base64Value = /^[A-Za-z0-9+/_-]{6,}={0,2}$/;

/** Decodes a base64 value. Returns undefined unless the whole value is base64. */
export function base64Bytes(value: string): string | undefined {
  if (!base64Value.test(value) || value.replaceAll('=', '').length % 4 === 1) return undefined;
  return Buffer.from(value, 'base64').toString('latin1');
}

/** The first character encodes six of the eight bits of the first byte. Most values begin with another one. */
const printableStart = /^[I-Za-f]/;

/** Like `base64Bytes`, for printable ASCII. */
export function base64Text(value: string): string | undefined {
  const text = printableStart.test(value) ? base64Bytes(value) : undefined;
  return text === undefined || /[^ -~]/.test(text) ? undefined : text;
}
