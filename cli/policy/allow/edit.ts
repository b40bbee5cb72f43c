/** Adds an exception to the text of a policy. Besides, only the white space in an empty list or policy changes. */
import { readJson } from '../../../contract/load/json.ts';
import type { Node } from '../../../contract/load/tree.ts';
import type { Exception } from './result.ts';

/** Returns the offset after the value that begins at `start` in valid JSON. */
export function endOf(text: string, start: number): number {
  const part = /"(?:[^"\\]|\\.)*"|[[{]|[\]}]|[^\s[\]{}",:]+/gsy;
  let depth = 0;
  let at = start;
  do {
    part.lastIndex = at;
    const [word = ''] = part.exec(text) ?? [];
    if (word === '[' || word === '{') depth += 1;
    if (word === ']' || word === '}') depth -= 1;
    at += word.length || 1; // skip white space, comma or colon
  } while (depth > 0);
  return at;
}

/** Returns the white space before `offset` if it is the start of a line, otherwise undefined. */
function indentAt(text: string, offset: number): string | undefined {
  return /(?:^|\n)([ \t]*)$/.exec(text.slice(0, offset))?.[1];
}

export const exceptionText = ({ rules, path, hosts }: Exception): string => {
  const members = Object.entries({ rules, path, ...(hosts && { hosts }) });
  return `{ ${members.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value).replaceAll('","', '", "')}`).join(', ')} }`;
};

interface Insertion {
  readonly at: number;
  readonly added: string;
}

function insertionAfter(text: string, last: number, start: number, added: string, newLine: string): Insertion {
  const indent = indentAt(text, start);
  return { at: endOf(text, last), added: indent === undefined ? `, ${added}` : `,${newLine}${indent}${added}` };
}

function insertionFor(text: string, root: Node, exception: Exception, newLine: string): Insertion {
  const members = [...(root.members ?? [])].map(([, member]) => member);
  const list = root.members?.get('exceptions')?.node;
  const lastItem = list?.items?.at(-1);
  if (lastItem) return insertionAfter(text, lastItem.start, lastItem.start, exceptionText(exception), newLine);
  const [first, last] = [members[0], members.toSorted((one, other) => one.start - other.start).at(-1)];
  const outer = first && indentAt(text, first.start);
  const unit = outer === undefined || outer === '' ? '  ' : outer;
  const items =
    first && outer === undefined
      ? `[${exceptionText(exception)}]`
      : `[${newLine}${unit}${unit}${exceptionText(exception)}${newLine}${unit}]`;
  if (list) return { at: list.start, added: items };
  const member = `"exceptions": ${items}`;
  if (last) return insertionAfter(text, last.node.start, last.start, member, newLine);
  return { at: root.start + 1, added: `${newLine}${unit}${member}${newLine}` };
}

/** Returns the text with the exception. @param text a valid policy */
export function addException(text: string, exception: Exception): string {
  const { root } = readJson(text);
  if (!root) throw new Error('the text of a valid policy cannot be read');
  const newLine = text.includes('\r\n') ? '\r\n' : '\n';
  const { at, added } = insertionFor(text, root, exception, newLine);
  const list = root.members?.get('exceptions')?.node;
  const end = list && at === list.start ? endOf(text, at) : at === root.start + 1 ? endOf(text, root.start) - 1 : at;
  return text.slice(0, at) + added + text.slice(end);
}
