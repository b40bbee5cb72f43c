/**
 * Every bound on what a client, an upstream or a neighbour can make the daemon hold, each with its reason. Bounds of files
 * and policies are in contract/limits.ts.
 */
export const daemonBounds = {
  /** Bytes of an unfinished line or message that an inspector keeps of each side: SMTP allows lines of 12,288 for AUTH (RFC 4954 4), the longest of the text protocols. */
  inspectorPendingBytes: 16_384,
  /** Bytes that a fact of a connection keeps: names of hosts and users fit, and a flood of facts stays small. */
  factBytes: 256,
} as const;
