import { jsonText } from '../../../platform/escape.ts';
import type { Paint } from '../../program/paint.ts';
import type { SuiteResult } from '../result.ts';
import { githubText } from './github.ts';
import { junitText } from './junit.ts';
import { tapText } from './tap.ts';
import { suiteText } from './text.ts';

/** Returns the text of a result, without a final newline. */
type Reporter = (result: SuiteResult, paint: Paint) => string;

export const reporters = {
  text: suiteText,
  json: jsonText,
  junit: junitText,
  github: githubText,
  tap: tapText,
} as const satisfies Record<string, Reporter>;

export const reportText = (name: keyof typeof reporters, result: SuiteResult, paint: Paint): string =>
  (reporters[name] as Reporter)(result, paint);
