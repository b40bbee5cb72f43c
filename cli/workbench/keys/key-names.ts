const symbols: Readonly<Record<string, string>> = {
  tab: 'Tab',
  'shift-tab': 'Shift-Tab',
  escape: 'Esc',
  enter: 'Enter',
  'page-up': 'PgUp',
  'page-down': 'PgDn',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
};

/** Returns `^P` for `ctrl-p` and `Alt-1` for `alt-1`. */
export const keyText = (key: string): string =>
  symbols[key] ??
  key
    .replace(/^ctrl-(.)$/, (_, letter: string) => `^${letter.toUpperCase()}`)
    .replace(/^alt-(.)$/, (_, letter: string) => `Alt-${letter}`);

export const keysText = (keys: readonly string[]): string => keys.map(keyText).join(' ');
