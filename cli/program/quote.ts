const plainWord = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Quotes one word for a POSIX shell. */
export function quote(word: string): string {
  return plainWord.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
