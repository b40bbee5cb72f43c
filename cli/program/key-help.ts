export type KeyHelp = readonly [key: string, word: string];

export const keyGap = '  ';

/** Returns the first keys that fit into `width` columns. */
export function fittingKeys(rows: readonly KeyHelp[], width: number): readonly KeyHelp[] {
  let left = width + keyGap.length;
  const tooWide = rows.findIndex(([key, word]) => {
    left -= key.length + 1 + word.length + keyGap.length;
    return left < 0;
  });
  return tooWide < 0 ? rows : rows.slice(0, tooWide);
}
