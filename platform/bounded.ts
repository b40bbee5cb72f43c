type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Reads all bytes. When there are more than `most`, stops reading and returns undefined. */
export async function bytesWithin(chunks: Chunks, most: number): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of chunks) {
    bytes += part.length;
    if (bytes > most) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Returns the text of a response. @throws Error when it has more than `most` bytes */
export async function textWithin(chunks: Chunks, most: number): Promise<string> {
  const bytes = await bytesWithin(chunks, most);
  if (!bytes) throw new Error(`a response of more than ${most} bytes`);
  return bytes.toString('utf8');
}
