/** Reads byte strings of the conformance data: Latin-1 strings with one character for each byte. */
import type { VectorRequest } from '../../contract/vectors/schema.ts';

/** Returns `<key>` or the decoded `<key>Base64`; undefined when both are absent. */
export function bytesOf(holder: Record<string, unknown>, key: string): string | undefined {
  const text = holder[key];
  if (typeof text === 'string') return text;
  const base64 = holder[`${key}Base64`];
  return typeof base64 === 'string' ? atob(base64) : undefined;
}

export function headersOf({ headers = [] }: Pick<VectorRequest, 'headers'>): (readonly [string, string])[] {
  return headers.map(([name, value]) => [name, typeof value === 'string' ? value : atob(value.base64)] as const);
}
