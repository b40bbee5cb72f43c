/**
 * The reference of a blocked request. A visitor reads it in the response, and the operator finds the event by it. It is
 * random, so it reveals nothing about the request or about other references.
 */
export const reference = {
  /** Crockford's base32: it has no letter that looks like another character. */
  alphabet: '0123456789ABCDEFGHJKMNPQRSTVWXYZ',
  /** 50 random bits: in a million events, two have the same reference with a probability of 1 in 2,000. */
  characters: 10,
  /** Header of the response in the modes that show the reference. */
  header: 'X-Guard-Reference',
  /** Field of Caddy's access log, and variable of nginx. They have the reference in every mode. */
  field: 'guard_reference',
} as const;

/** Characters that a person may type in place of a character of the alphabet. */
const aliases: Readonly<Record<string, string>> = { I: '1', L: '1', O: '0' };

const pattern = new RegExp(`^[${reference.alphabet}]{${reference.characters}}$`);

/** Whether a value is a reference as the guard writes it. */
export const isReference = (value: unknown): value is string => typeof value === 'string' && pattern.test(value);

/** Returns the reference as the guard writes it. Accepts lower case and aliases. Undefined: it is not a reference. */
export function normalizedReference(text: string): string | undefined {
  const normalized = text
    .trim()
    .toUpperCase()
    .replace(/[ILO]/g, (letter) => aliases[letter] ?? letter);
  return isReference(normalized) ? normalized : undefined;
}
