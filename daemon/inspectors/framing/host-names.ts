/**
 * Lists of host names. An entry is a name, or `*.suffix` for every name below the suffix. Case and a final dot are
 * ignored.
 */

export function hostNames(list: readonly string[]): (name: string) => boolean {
  const normal = list.map((entry) => entry.toLowerCase());
  const exact = new Set(normal.filter((entry) => !entry.startsWith('*.')));
  const suffixes = new Set(normal.filter((entry) => entry.startsWith('*.')).map((entry) => entry.slice(2)));
  return (name) => {
    const host = name.toLowerCase().replace(/\.$/, '');
    if (exact.has(host)) return true;
    for (let dot = host.indexOf('.'); suffixes.size > 0 && dot >= 0; dot = host.indexOf('.', dot + 1))
      if (suffixes.has(host.slice(dot + 1))) return true;
    return false;
  };
}
