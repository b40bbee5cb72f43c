/** Positions in lists and panes. Pure. */

export interface Scroll {
  /** Number of lines; negative: up. */
  readonly by: number;
  /** The greatest offset that has an effect. */
  readonly last: number;
}

/** Returns the position, or the nearest one from 0 to `last`. */
export const clamp = (position: number, last: number): number => Math.max(0, Math.min(position, last));

/** Returns the new offset. If the content became shorter, starts from its present end. */
export const scrollBy = (offset: number, { by, last }: Scroll): number => clamp(Math.min(offset, last) + by, last);
