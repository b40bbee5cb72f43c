/** Decodes base64 values, such as `?f=L2V0Yy9wYXNzd2Q`: applications decode them before they open a file. */

/** Matches both alphabets (RFC 4648 4 and 5), with or without padding. Fewer characters encode at most three bytes. */
const base64Value = /^[A-Za-z0-9+/_-]{6,}={0,2}$/;

/** Decodes a base64 value. Returns undefined unless the whole value is base64 and its text is printable ASCII. */
export function base64Text(value: string): string | undefined {
  if (!base64Value.test(value) || value.replaceAll('=', '').length % 4 === 1) return undefined;
  const text = Buffer.from(value, 'base64').toString('latin1');
  return /[^ -~]/.test(text) ? undefined : text;
}
