/** Keys and what they do, for one line of a screen. Pure. */

export type KeyHelp = readonly [key: string, word: string];

/** Between two keys of the line. */
export const keyGap = '  ';

/** The first of the keys that fit the width. None is cut. */
export function fittingKeys(rows: readonly KeyHelp[], width: number): readonly KeyHelp[] {
  let left = width + keyGap.length;
  const tooWide = rows.findIndex(([key, word]) => {
    left -= key.length + 1 + word.length + keyGap.length;
    return left < 0;
  });
  return tooWide < 0 ? rows : rows.slice(0, tooWide);
}
