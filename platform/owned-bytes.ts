/**
 * Bytes that share their memory with no others, so that it can be freed without the collector. The collector waits until
 * it has found several times the bytes in use, and a flood of connections would fill the memory until then.
 */

/** Returns the bytes of both in new memory, and frees the first ones. */
export function joinBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = Buffer.allocUnsafeSlow(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  freeBytes(first);
  return joined;
}

/** Frees the memory. Every view of it becomes empty. Bytes that share their memory are left to the collector. */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (byteLength > 0 && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
