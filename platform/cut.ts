/** Parts of texts that are kept. */

/** V8 copies shorter parts anyway. */
const shortestSlice = 13;

/** The first `most` characters as a copy. A slice keeps the whole text that it was taken from in memory. */
export function cut(text: string, most: number): string {
  const part = text.slice(0, most);
  return part.length < shortestSlice ? part : Buffer.from(part, 'utf16le').toString('utf16le');
}
