/**
 * Returns the name in a Host header or `:authority`, for exceptions. The name is in lower case, without port and
 * without the final dot of the DNS root, which means the same host. Returns the empty string for everything that is not
 * a name, such as an IPv6 address: servers read such hosts in different ways, so no exception applies to them.
 */
export function hostName(host: string): string {
  const name = host.replace(/:[0-9]*$/, '').replace(/\.$/, '');
  return /[^A-Za-z0-9_.-]/.test(name) ? '' : name.toLowerCase();
}
