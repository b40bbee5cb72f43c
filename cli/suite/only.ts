import { didYouMean } from '../../contract/values/nearest.ts';
import { UsageError } from '../../platform/errors.ts';
import type { LoadedSuite } from './case.ts';

/** Selects the cases with one of the texts in their name. @throws UsageError for a text that occurs in no name */
export function selectCases(suite: LoadedSuite, only: readonly string[] = []): LoadedSuite {
  if (only.length === 0) return suite;
  const { name, cases } = suite;
  for (const text of only) {
    if (cases.some((one) => one.name.includes(text))) continue;
    const hint = didYouMean(
      text,
      cases.map((one) => one.name),
    );
    throw new UsageError(`no case of ${name} has ${JSON.stringify(text)} in its name`, {
      code: 'no_cases',
      hint: hint ?? 'pass a part of a name; letter case counts',
    });
  }
  return { name, cases: cases.filter((one) => only.some((text) => one.name.includes(text))) };
}
