import type { RuleSize } from '../rule-sizes.ts';

export interface Shape {
  readonly id: string;
  readonly category: string;
  readonly size?: RuleSize;
  readonly why: string;
  /** Alternatives, without regard to letter case. */
  readonly patterns: readonly string[];
  readonly matches: readonly string[];
  readonly nearMisses: readonly string[];
}
