import type { Key } from 'ink';

export interface Press {
  /** Name such as `up`, `enter`, `ctrl-p`, `alt-1`. For typed text it is the text itself. */
  readonly name: string;
  /** Characters to insert. Empty when the key is not text. */
  readonly text: string;
  /** Pasted characters run no commands. */
  readonly isPaste?: true;
}

const namedKeys = {
  upArrow: 'up',
  downArrow: 'down',
  leftArrow: 'left',
  rightArrow: 'right',
  pageUp: 'page-up',
  pageDown: 'page-down',
  home: 'home',
  end: 'end',
  return: 'enter',
  escape: 'escape',
  backspace: 'backspace',
  delete: 'delete',
} as const satisfies Partial<Record<keyof Key, string>>;

const controls: Readonly<Record<string, string>> = {
  ...{ '\r': 'enter', '\n': 'enter', '\t': 'tab', '\x1b': 'escape', '\b': 'backspace', '\x7f': 'backspace' },
};

const controlName = (character: string): string =>
  controls[character] ?? `ctrl-${String.fromCharCode(character.charCodeAt(0) + 0x60)}`;

function specialName(input: string, key: Key): string | undefined {
  if (key.tab) return key.shift ? 'shift-tab' : 'tab';
  const found = (Object.keys(namedKeys) as (keyof typeof namedKeys)[]).find((flag) => key[flag]);
  if (found) return namedKeys[found];
  if (key.ctrl && input !== '') return `ctrl-${input}`;
  return key.meta && input !== '' ? `alt-${input}` : undefined;
}

/** Converts input to key presses. A terminal may report several typed keys together. */
export function pressesOf(input: string, key: Key): Press[] {
  const name = specialName(input, key);
  if (name !== undefined) return [{ name, text: '' }];
  return (input.match(/[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+/g) ?? []).map((part) =>
    /^[\x00-\x1f\x7f]$/.test(part) ? { name: controlName(part), text: '' } : { name: part, text: part },
  );
}
