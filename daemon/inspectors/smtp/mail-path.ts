/** Parses the sender in MAIL (RFC 5321 4.1.2) as leniently as servers do. */

const quote = '"';
const pathEnds = new Set(['>', ' ', '\t']);

function quoteEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += text[at] === '\\' ? 2 : 1) if (text[at] === quote) return at;
  return text.length;
}

/** The domain in `FROM:<path>`, in lower case. Empty for the null sender and for an invalid path. */
export function senderDomain(argument: string): string {
  const path = argument.replace(/^from[ \t]*:[ \t]*<?[ \t]*/i, '');
  let domainAt = path.length;
  let at = 0;
  for (; at < path.length && !pathEnds.has(path[at] as string); at += 1) {
    if (path[at] === quote) at = quoteEnd(path, at);
    else if (path[at] === '@') domainAt = at + 1;
  }
  return path.slice(domainAt, at).toLowerCase().replace(/\.$/, '');
}

const quotedForm = /"(?:[^"\\]|\\.)*"/.source;
const routeForm = /(?:@[^\x00-\x20"()<>\\:]*:)?/.source;
const localPartForm = `(?:[^\\x00-\\x20"()<>@\\\\]|${quotedForm})*`;
const hostForm = /[\w\x80-\xff-]+(?:\.[\w\x80-\xff-]+)*\.?/.source;
const addressLiteralForm = /\[[\w.:-]+\]/.source;
const pathForm = `${routeForm}${localPartForm}(?:@(?:${hostForm}|${addressLiteralForm}))?`;
const parametersForm = /(?:[ \t]+[a-z\d-]+(?:=[^ \t]*)?)*[ \t]*$/.source;
const plainForm = new RegExp(`^from[ \\t]*:[ \\t]*(?![ \\t])(?:<${pathForm}>|${pathForm}${parametersForm})`, 'i');

/**
 * Whether all servers find the same domain in `FROM:<path>`. Exim and Postfix also accept comments, phrases and quoted
 * domains of RFC 822, but each a different subset.
 */
export const isPlainPath = (argument: string): boolean => plainForm.test(argument);
