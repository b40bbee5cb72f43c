/**
 * Keyed hashes of a user and a password, by which a repeated guess is recognized. The password is not kept. The texts
 * are hashed as the client sent them: equal hashes mean equal passwords, but not the reverse.
 */
import { createHmac } from 'node:crypto';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import type { InspectorContext } from '../inspector.ts';

const digits = 22; // 128 bits in base64

export type FingerprintContext = Pick<InspectorContext, 'fingerprintKey'>;

/**
 * The fingerprint of byte strings, one of which can be the fingerprint of earlier ones. Undefined without a key, when a
 * part is unknown, and when it is so long that an inspector may not have all of it.
 */
export function fingerprintOf(
  { fingerprintKey }: FingerprintContext,
  ...parts: readonly (string | undefined)[]
): string | undefined {
  if (!fingerprintKey) return undefined;
  let text = '';
  for (const part of parts) {
    if (part === undefined || part.length > daemonBounds.passwordBytes) return undefined;
    text += `${part.length}:${part}`;
  }
  return createHmac('sha256', fingerprintKey).update(text, 'latin1').digest('base64url').slice(0, digits);
}
