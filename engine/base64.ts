/** Values that are base64 as a whole, which applications decode before they open a file: `?f=L2V0Yy9wYXNzd2Q`. */

/** Both alphabets (RFC 4648 4 and 5), padded or not. Five characters are too few for the name of a file. */
const encoded = /^[A-Za-z0-9+/_-]{6,}={0,2}$/;

/** The text of a value in base64. Undefined unless the value is base64 as a whole and its text printable ASCII. */
export function base64Text(value: string): string | undefined {
  if (!encoded.test(value) || value.replaceAll('=', '').length % 4 === 1) return undefined;
  const text = Buffer.from(value, 'base64').toString('latin1');
  return /[^ -~]/.test(text) ? undefined : text;
}
