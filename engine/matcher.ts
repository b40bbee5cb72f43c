/** Finds the first rule that matches a candidate. */
import { isHeaderTarget } from '../contract/policy/headers.ts';
import { limits } from '../contract/policy/limits.ts';
import { createPrefilter, type Prefilter } from '../contract/regex/prefilter.ts';
import { stripEnd } from './bytes.ts';
import { scripts } from './path-readings.ts';
import type { Rule, RuleKind } from './rules.ts';

/** What a request decides about a rule that matches a candidate. */
export interface RuleFilter {
  /** True when the request satisfies what the rule requires besides the match. */
  readonly isMet: (rule: Rule) => boolean;
  /** True when an exception disables the rule. */
  readonly isOff: (rule: Rule) => boolean;
}

/** Returns the first rule that matches, is met and is not off. */
export type Matcher = (candidate: string, filter: RuleFilter) => Rule | undefined;

/** Matches the extension of a script in front of path info, and the slash after it. */
const fileSegment = new RegExp(`\\.(?:${scripts})/`, 'gi');

/** Returns the path up to the end of each of the first `limits.pathInfoFiles` segments that can be a script. */
function pathInfoFiles(path: string): string[] {
  const dot = path.indexOf('.');
  if (dot < 0 || !path.includes('/', dot)) return []; // most paths: a regular expression would take longer
  const files: string[] = [];
  for (const { index, 0: extension } of path.matchAll(fileSegment)) {
    if (files.length === limits.pathInfoFiles) break;
    files.push(path.slice(0, index + extension.length - 1));
  }
  return files;
}

/**
 * Returns the readings of servers that ignore the end of a candidate: `/dump.sql` for `/dump.sql/` (Flask, Tornado),
 * and `/shell.php` for `/shell.php/x`, where `/x` is the path info. These readings can only block. A header that is
 * matched verbatim has none.
 */
export function shorterReadings(candidate: string, kind: RuleKind): string[] {
  if (isHeaderTarget(kind)) return [];
  const bare = candidate.endsWith('/') ? stripEnd(candidate, '/') : candidate;
  const files = kind === 'path' ? pathInfoFiles(bare) : [];
  return bare === candidate || bare === '' ? files : [bare, ...files];
}

/** Returns a matcher that tests `rules` in order. It builds the prefilter at first use. */
export function createMatcher(rules: readonly Rule[]): Matcher {
  let prefilter: Prefilter | undefined;
  return (candidate, { isMet, isOff }) => {
    prefilter ??= createPrefilter(rules.map((rule) => rule.literals()));
    for (const index of prefilter(candidate)) {
      const rule = rules[index] as Rule;
      if (rule.test(candidate) && isMet(rule) && !isOff(rule)) return rule;
    }
    return undefined;
  };
}
