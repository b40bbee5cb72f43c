/** Byte strings of the conformance data. */

/** Bytes of `<key>` or `<key>Base64` as a latin1 string; undefined when neither is there. */
export function bytesOf(holder: Record<string, unknown>, key: string): string | undefined {
  const text = holder[key];
  if (typeof text === 'string') return text;
  const base64 = holder[`${key}Base64`];
  return typeof base64 === 'string' ? atob(base64) : undefined;
}
