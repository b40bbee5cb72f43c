/** Every mutant: each constant off by one, each clause of the algorithm dropped or swapped. */
import { addressMutants } from './addresses.ts';
import { bodyMutants } from './bodies.ts';
import { byteMutants } from './bytes.ts';
import { contentTypeMutants } from './content-types.ts';
import { limitMutants } from './limits.ts';
import { multipartMutants } from './multipart.ts';
import type { Mutant } from './mutant.ts';
import { patternMutants } from './patterns.ts';
import { readingMutants } from './readings.ts';
import { targetMutants } from './targets.ts';
import { verdictMutants } from './verdicts.ts';
import { xmlMutants } from './xml.ts';

export const mutants: readonly Mutant[] = [
  ...limitMutants,
  ...byteMutants,
  ...readingMutants,
  ...targetMutants,
  ...bodyMutants,
  ...contentTypeMutants,
  ...multipartMutants,
  ...xmlMutants,
  ...verdictMutants,
  ...addressMutants,
  ...patternMutants,
];
