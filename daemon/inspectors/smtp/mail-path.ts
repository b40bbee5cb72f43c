/** The sender in MAIL (RFC 5321 4.1.2), parsed as leniently as servers do. */

const quote = '"';
const ends = new Set(['>', ' ', '\t']);

/** Where the quoted text at `from` ends. */
function quoteEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += text[at] === '\\' ? 2 : 1) if (text[at] === quote) return at;
  return text.length;
}

/** The domain of the path in `FROM:<path> parameters`, in lower case. Empty for the null sender and for an invalid path. */
export function senderDomain(argument: string): string {
  const path = argument.replace(/^from[ \t]*:[ \t]*<?[ \t]*/i, '');
  let domainAt = path.length;
  let at = 0;
  for (; at < path.length && !ends.has(path[at] as string); at += 1) {
    if (path[at] === quote) at = quoteEnd(path, at);
    else if (path[at] === '@') domainAt = at + 1;
  }
  return path.slice(domainAt, at).toLowerCase().replace(/\.$/, '');
}
