/** Cuts a text after `most` characters. A cut text ends with `...`. */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}...` : text;
