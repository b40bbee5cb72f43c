/** What the daemon is called as a target; apart from its code, which few runs need. */
export const tcpGuardNames: readonly string[] = ['tcp-guard', 'tcp', 'l4'];
