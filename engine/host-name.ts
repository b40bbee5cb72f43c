/**
 * The name in a Host header or `:authority`, for exceptions: in lower case, without a port and without the final dot of
 * the DNS root, which names the same host. Empty for everything that is not a name, such as an IPv6 address: servers read
 * such hosts in different ways, so no exception applies to them.
 */
export function hostName(host: string): string {
  const name = host.replace(/:[0-9]*$/, '').replace(/\.$/, '');
  return /[^A-Za-z0-9_.-]/.test(name) ? '' : name.toLowerCase();
}
