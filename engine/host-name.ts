/**
 * Returns the name in a Host header or `:authority`, in lower case. Returns the empty string for other hosts, such as
 * an IPv6 address: servers read such hosts in different ways, so no exception with hosts applies to them.
 */
export function hostName(host: string): string {
  const name = host.replace(/:[0-9]*$/, '').replace(/\.$/, '');
  return /[^A-Za-z0-9_.-]/.test(name) ? '' : name.toLowerCase();
}
