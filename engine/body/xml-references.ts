/** Decodes character references in XML. References to other entities stay unchanged. */
import { limits } from '../../contract/policy/limits.ts';
import { utf8 } from '../bytes.ts';

const namedCharacters: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', apos: "'", quot: '"' };

const reference = /&(?:(lt|gt|amp|apos|quot)|#([0-9]+)|#[xX]([0-9A-Fa-f]+));/g;

/** Decodes one reference. The number of a surrogate, or one that is too large for a code point, stays unchanged. */
function decodeReference(written: string, name?: string, decimal?: string, hex?: string): string {
  if (name !== undefined) return namedCharacters[name] as string;
  const codePoint = decimal === undefined ? Number.parseInt(hex as string, 16) : Number.parseInt(decimal, 10);
  return codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint <= 0xdfff) ? written : utf8(codePoint);
}

export function dereferenced(text: string): string {
  return text.replace(reference, decodeReference);
}

/** True when the text has an ampersand that does not begin a supported reference. */
export function hasOtherReference(text: string): boolean {
  return text.replace(reference, '').includes('&');
}

/**
 * Returns the texts in the literal of an entity. The literal can be another declaration, such as `<!ENTITY x SYSTEM
 * 'file:///etc/passwd'>`. Each declaration inside another one decodes references once more, so references are decoded
 * `limits.decodeRounds` times.
 */
export function innerTexts(literal: string): string[] {
  let text = literal;
  for (let rounds = 0; rounds < limits.decodeRounds; rounds += 1) text = dereferenced(text);
  return /["'<>]/.test(text) ? text.split(/["'<>]/) : [];
}
