/** References to characters in XML. References to other entities stay unchanged. */
import { limits } from '../contract/policy/limits.ts';
import { utf8 } from './bytes.ts';

const characters: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', apos: "'", quot: '"' };

const reference = /&(?:(lt|gt|amp|apos|quot)|#([0-9]+)|#[xX]([0-9A-Fa-f]+));/g;

/** A number that is not a code point stays unchanged. */
function decoded(written: string, name?: string, decimal?: string, hex?: string): string {
  if (name !== undefined) return characters[name] as string;
  const codePoint = decimal === undefined ? Number.parseInt(hex as string, 16) : Number.parseInt(decimal, 10);
  return codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint <= 0xdfff) ? written : utf8(codePoint);
}

export function dereferenced(text: string): string {
  return text.replace(reference, decoded);
}

/** Whether an ampersand does not begin a known reference. */
export function hasOtherReference(text: string): boolean {
  return text.replace(reference, '').includes('&');
}

/**
 * The texts between quotation marks and angle brackets in a literal of a declaration: an entity with the value
 * `<!ENTITY x SYSTEM 'file:///etc/passwd'>` declares another one where it is used. A parser decodes the references of the
 * inner declaration once more, so they are decoded as often as URL escapes.
 */
export function innerTexts(literal: string): string[] {
  let text = literal;
  for (let rounds = 0; rounds < limits.decodeRounds; rounds += 1) text = dereferenced(text);
  return /["'<>]/.test(text) ? text.split(/["'<>]/) : [];
}
