type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Returns undefined when there are more than `most` bytes. */
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

/** @throws Error when there are more than `most` bytes */
export async function textWithin(chunks: Chunks, most: number): Promise<string> {
  const bytes = await bytesWithin(chunks, most);
  if (!bytes) throw new Error(`a response of more than ${most} bytes`);
  return bytes.toString('utf8');
}
