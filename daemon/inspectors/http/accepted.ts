/** The credentials that a server has accepted on a connection. Requests that repeat them are not logins. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';

const { heldItemBytes, httpAcceptedLogins } = daemonBounds;

export class AcceptedLogins {
  private readonly fingerprints = new Set<string>();
  private readonly hold: (bytes: number) => void;

  constructor(hold: (bytes: number) => void) {
    this.hold = hold;
  }

  has(fingerprint: string | undefined): boolean {
    return fingerprint !== undefined && this.fingerprints.has(fingerprint);
  }

  /** Adds credentials as the newest ones. Beyond the bound, forgets the oldest: their next request is a login again. */
  add(fingerprint: string | undefined): void {
    if (fingerprint === undefined) return;
    this.remove(fingerprint);
    this.fingerprints.add(fingerprint);
    this.hold(heldItemBytes);
    const [oldest] = this.fingerprints;
    if (this.fingerprints.size > httpAcceptedLogins) this.remove(oldest);
  }

  remove(fingerprint: string | undefined): void {
    if (fingerprint !== undefined && this.fingerprints.delete(fingerprint)) this.hold(-heldItemBytes);
  }
}
