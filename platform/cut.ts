/** V8 keeps a reference to the original text for slices of this length or more. It copies shorter ones. */
const shortestSlice = 13;

/** Returns a copy of the first `most` characters. A slice would keep the whole original text in memory. */
export function cut(text: string, most: number): string {
  const part = text.slice(0, most);
  return part.length < shortestSlice ? part : Buffer.from(part, 'utf16le').toString('utf16le');
}
