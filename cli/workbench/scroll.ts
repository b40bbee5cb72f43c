/** Scrolling of panes. Pure. */

export interface Scroll {
  /** Lines, down or up. */
  readonly by: number;
  /** The greatest offset that has an effect. */
  readonly last: number;
}

/** The new offset. Content that became shorter counts with its present end. */
export const scrolled = (offset: number, { by, last }: Scroll): number =>
  Math.max(0, Math.min(Math.min(offset, last) + by, last));
