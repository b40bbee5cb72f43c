import type { Press } from './keys/press.ts';

export interface Field {
  readonly text: string;
  /** Position in code units, from 0 to the length of the text. */
  readonly cursor: number;
}

/** Maximum number of characters of a field. The limits of the engine for paths and queries are not higher. */
export const longestField = 16_384;

export const fieldOf = (text: string): Field => ({ text, cursor: text.length });

/** Inserts text at the cursor, without control characters. Keeps line breaks if `isMultiline`. */
export function insertText({ text, cursor }: Field, added: string, isMultiline = false): Field {
  const lines = added.slice(0, 2 * longestField).replace(/\r\n?/g, '\n');
  const clean = lines.replace(isMultiline ? /[\x00-\x09\x0b-\x1f\x7f-\x9f]/g : /[\x00-\x1f\x7f-\x9f]/g, '');
  const fitting = clean.slice(0, Math.max(0, longestField - text.length));
  return { text: text.slice(0, cursor) + fitting + text.slice(cursor), cursor: cursor + fitting.length };
}

function previousCharacter(text: string, at: number): number {
  const isPair = at > 1 && /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 2, at));
  return Math.max(0, at - (isPair ? 2 : 1));
}

function nextCharacter(text: string, at: number): number {
  const isPair = /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(at, at + 2));
  return Math.min(text.length, at + (isPair ? 2 : 1));
}

const removeText = (text: string, from: number, to: number): Field => ({
  text: text.slice(0, from) + text.slice(to),
  cursor: from,
});

const edits: Readonly<Record<string, (field: Field) => Field>> = {
  left: ({ text, cursor }) => ({ text, cursor: previousCharacter(text, cursor) }),
  right: ({ text, cursor }) => ({ text, cursor: nextCharacter(text, cursor) }),
  home: ({ text }) => ({ text, cursor: 0 }),
  end: ({ text }) => fieldOf(text),
  backspace: ({ text, cursor }) => removeText(text, previousCharacter(text, cursor), cursor),
  delete: ({ text, cursor }) => removeText(text, cursor, nextCharacter(text, cursor)),
  'ctrl-a': ({ text }) => ({ text, cursor: 0 }),
  'ctrl-e': ({ text }) => fieldOf(text),
  'ctrl-u': ({ text, cursor }) => removeText(text, 0, cursor),
  'ctrl-w': ({ text, cursor }) => removeText(text, text.slice(0, cursor).search(/[^\s/]*[\s/]*$/), cursor),
};

/** Returns the field after a key. Undefined when the key does not edit. */
export const editField = (field: Field, key: string): Field | undefined => edits[key]?.(field);

export const typeInto = (field: Field, { name, text }: Press): Field | undefined =>
  text === '' ? editField(field, name) : insertText(field, text);

/** Returns a search for texts with every word of the field, in any letter case. */
export function searchOf({ text }: Field): (searched: string) => boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return (searched) => {
    const lower = searched.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
}
