export interface Scroll {
  /** Number of lines; negative: up. */
  readonly by: number;
  /** The greatest offset that has an effect. */
  readonly last: number;
}

/** Returns the nearest position from 0 to `last`. */
export const clamp = (position: number, last: number): number => Math.max(0, Math.min(position, last));

/** Returns the offset after scrolling. If the content became shorter, starts from its present end. */
export const scrollBy = (offset: number, { by, last }: Scroll): number => clamp(Math.min(offset, last) + by, last);
