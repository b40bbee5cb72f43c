/** The reference of a blocked request, with which the operator finds its event. It is random and reveals nothing. */
export const reference = {
  /** Crockford's base32: it has no letter that looks like another character. */
  alphabet: '0123456789ABCDEFGHJKMNPQRSTVWXYZ',
  /** 50 random bits: a million events have a duplicate with a probability of 1 in 2,000. */
  characters: 10,
  header: 'X-Guard-Reference',
  /** Field of Caddy's access log, and variable of nginx, in every mode. */
  field: 'guard_reference',
} as const;

/** Characters that a person may type in place of a character of the alphabet. */
const aliases: Readonly<Record<string, string>> = { I: '1', L: '1', O: '0' };

const pattern = new RegExp(`^[${reference.alphabet}]{${reference.characters}}$`);

export const isReference = (value: unknown): value is string => typeof value === 'string' && pattern.test(value);

/** Returns the reference as the guard writes it, also for lower case and aliases. Returns undefined for other texts. */
export function normalizedReference(text: string): string | undefined {
  const normalized = text
    .trim()
    .toUpperCase()
    .replace(/[ILO]/g, (letter) => aliases[letter] ?? letter);
  return isReference(normalized) ? normalized : undefined;
}
