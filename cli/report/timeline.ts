/** Counts over time, by bar. The bars get wider as the time range grows. */
import { reportBounds } from '../counting/bounds.ts';

const widths: readonly number[] = reportBounds.bucketMs;

/** Counts of one series, by bar. Bar 0 begins at the epoch. */
export class Series {
  /** Index in `widths` of the width of a bar. */
  level = 0;
  counts = new Map<number, number>();
}

export class Timeline {
  #level = 0;
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  get bucketMs(): number {
    return widths[this.#level] as number;
  }

  add(series: Series, at: number, count: number): void {
    this.#extendTo(at);
    this.#widenBars(series);
    const bucket = Math.floor(at / this.bucketMs);
    series.counts.set(bucket, (series.counts.get(bucket) ?? 0) + count);
  }

  /** Widens the bars until they cover `at`. The widest bars are enough for all accepted times. */
  #extendTo(at: number): void {
    this.#first = Math.min(this.#first, at);
    this.#last = Math.max(this.#last, at);
    while (this.#barCount() > reportBounds.buckets && this.#level < widths.length - 1) this.#level += 1;
  }

  #barCount(): number {
    return Math.floor(this.#last / this.bucketMs) - Math.floor(this.#first / this.bucketMs) + 1;
  }

  #widenBars(series: Series): void {
    if (series.level === this.#level) return;
    const ratio = this.bucketMs / (widths[series.level] as number);
    const joined = new Map<number, number>();
    for (const [bucket, count] of series.counts) {
      const wideBucket = Math.floor(bucket / ratio);
      joined.set(wideBucket, (joined.get(wideBucket) ?? 0) + count);
    }
    series.counts = joined;
    series.level = this.#level;
  }

  /** Returns the start of each bar in milliseconds since the epoch, or an empty list without events. */
  barStarts(): number[] {
    if (this.#first > this.#last) return [];
    const first = Math.floor(this.#first / this.bucketMs);
    return Array.from({ length: this.#barCount() }, (_, index) => (first + index) * this.bucketMs);
  }

  counts(series: Series): number[] {
    this.#widenBars(series);
    return this.barStarts().map((start) => series.counts.get(start / this.bucketMs) ?? 0);
  }
}
