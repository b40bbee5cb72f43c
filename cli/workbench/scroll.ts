/** Scrolling of panes. Pure. */

export interface Scroll {
  /** Number of lines; negative: up. */
  readonly by: number;
  /** The greatest offset that has an effect. */
  readonly last: number;
}

/** Returns the new offset. If the content became shorter, starts from its present end. */
export const scrolled = (offset: number, { by, last }: Scroll): number =>
  Math.max(0, Math.min(Math.min(offset, last) + by, last));
