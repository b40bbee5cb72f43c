/** Byte strings of the conformance data. */

/** Returns `<key>` or the decoded `<key>Base64` as a Latin-1 string; undefined when both are absent. */
export function bytesOf(holder: Record<string, unknown>, key: string): string | undefined {
  const text = holder[key];
  if (typeof text === 'string') return text;
  const base64 = holder[`${key}Base64`];
  return typeof base64 === 'string' ? atob(base64) : undefined;
}
