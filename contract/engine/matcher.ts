/** The first rule that matches a candidate. */
import { stripEnd } from './bytes.ts';
import { createPrefilter, type Prefilter } from './prefilter.ts';
import type { Rule } from './rules.ts';

/** The first of its rules that matches and is not off. */
export type Matcher = (candidate: string, isOff: (rule: Rule) => boolean) => Rule | undefined;

/**
 * The reading of a server that ignores final slashes: Flask, Django, Tornado and `http-server` return the file `/dump.sql` for
 * `/dump.sql/`. Undefined for a candidate without a final slash, and for slashes only. A rule that excuses the candidate
 * excuses this reading too, so this reading can only block.
 */
export function withoutFinalSlashes(candidate: string): string | undefined {
  return candidate.endsWith('/') ? stripEnd(candidate, '/') || undefined : undefined;
}

/** A matcher of `rules` in order. The prefilter is built at first use. */
export function createMatcher(rules: readonly Rule[]): Matcher {
  let prefilter: Prefilter | undefined;
  return (candidate, isOff) => {
    prefilter ??= createPrefilter(rules.map((rule) => rule.literals()));
    for (const index of prefilter(candidate)) {
      const rule = rules[index] as Rule;
      if (rule.test(candidate) && !isOff(rule)) return rule;
    }
    return undefined;
  };
}
