export type KeyHelp = readonly [key: string, word: string];

export const keyGap = '  ';

/** Returns as many keys as fit. None is cut. */
export function fittingKeys(rows: readonly KeyHelp[], width: number): readonly KeyHelp[] {
  let left = width + keyGap.length;
  const tooWide = rows.findIndex(([key, word]) => {
    left -= key.length + 1 + word.length + keyGap.length;
    return left < 0;
  });
  return tooWide < 0 ? rows : rows.slice(0, tooWide);
}
