/** The sender of a mail as MAIL names it (RFC 5321 4.1.2), read as loosely as servers read it. */

const quote = '"';
const ends = new Set(['>', ' ', '\t']);

/** Where quoted text that begins at `from` ends. */
function quoteEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += text[at] === '\\' ? 2 : 1) if (text[at] === quote) return at;
  return text.length;
}

/** Domain of the path in `FROM:<path> parameters`, in lower case; empty for the null sender and for none. */
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
