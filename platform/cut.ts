/** V8 keeps a reference to the original text for slices of this length or more. It copies shorter ones. */
const shortestSlice = 13;

/** Returns a copy of the first `most` characters. A slice would keep the whole original text in memory. */
export function cut(text: string, most: number): string {
  const part = text.slice(0, most);
  return part.length < shortestSlice ? part : Buffer.from(part, 'utf16le').toString('utf16le');
}

/** Returns the start of a text that has at most this many bytes in UTF-8. Does not cut a character into pieces. */
export const cutBytes = (text: string, most: number): string =>
  Buffer.byteLength(text) <= most
    ? text
    : new TextDecoder().decode(Buffer.from(text).subarray(0, most), { stream: true });
