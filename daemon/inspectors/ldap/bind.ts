/** Reads the user and the method of a bind request (RFC 4511 4.2). */
import { elements, integerOf } from '../framing/ber.ts';
import { copyStart } from '../framing/events.ts';
import { type FingerprintContext, fingerprintOf } from '../framing/fingerprint.ts';
import { provesPassword, saslFingerprint, saslUser } from '../framing/sasl.ts';

export interface BindRequest {
  /** The user as a DN, or as a name in SASL. Undefined when it cannot be read. */
  readonly user: string | undefined;
  readonly mechanism: string | undefined;
  /** Whether the bind has no password: anonymous or unauthenticated (RFC 4513 5.1), or with the mechanism ANONYMOUS. */
  readonly isAnonymous: boolean;
  /** Whether a refusal is about a password. */
  readonly hasPassword: boolean;
  readonly fingerprint?: string | undefined;
}

const tags = { integer: 0x02, octets: 0x04, simple: 0x80, sasl: 0xa3 } as const;
const [oldest, newest] = [2, 3];

/** `named`: the user of an earlier step. Returns undefined when the request is incomplete or not of version 2 or 3. */
export function readBind(content: Buffer, context: FingerprintContext, named?: string): BindRequest | undefined {
  const [version, name, authentication] = elements(content);
  const number = version?.tag === tags.integer ? (integerOf(version.content) ?? 0) : 0;
  if (number < oldest || number > newest || name?.tag !== tags.octets || !authentication) return undefined;
  const dn = copyStart(name.content.toString('latin1'));
  if (authentication.tag === tags.simple) {
    const isAnonymous = authentication.isWhole && authentication.content.length === 0;
    const password = authentication.isWhole ? authentication.content.toString('latin1') : undefined;
    const fingerprint = fingerprintOf(context, name.content.toString('latin1'), password);
    return { user: dn, mechanism: undefined, isAnonymous, hasPassword: true, fingerprint };
  }
  if (authentication.tag !== tags.sasl)
    return { user: dn, mechanism: undefined, isAnonymous: false, hasPassword: true };
  const [method, credentials] = elements(authentication.content);
  const mechanism = copyStart(method?.content.toString('latin1').toUpperCase() ?? '');
  const response = credentials?.content.toString('base64') ?? '';
  const user = saslUser(mechanism, response) ?? named ?? dn;
  const hasPassword = provesPassword(mechanism, response);
  const fingerprint = fingerprintOf(context, saslFingerprint(context, mechanism), response);
  return { user, mechanism, isAnonymous: mechanism === 'ANONYMOUS', hasPassword, fingerprint };
}
