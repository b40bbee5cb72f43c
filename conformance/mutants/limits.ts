import { limits } from '../../contract/policy/limits.ts';
import { regexLimits } from '../../contract/regex/limits.ts';
import type { Mutant } from './mutant.ts';

const bounds = [
  'pathBytes',
  'queryBytes',
  'queryPairs',
  'headerBytes',
  'decodeRounds',
  'viewBytes',
  'requestBytes',
  'bodyValueBytes',
  'bodyValues',
  'multipartContentBytes',
  'contentTypeBytes',
  'multipartBoundaryBytes',
  'multipartBoundaries',
  'regexBytes',
  'regexNesting',
  'regexRepeat',
  'regexSize',
] as const;

export const limitMutants: readonly Mutant[] = bounds.flatMap((bound) =>
  [limits[bound] - 1, limits[bound] + 1].map((value) => ({
    name: `${bound} is ${value}`,
    file: bound in regexLimits ? 'contract/regex/limits.ts' : 'contract/policy/limits.ts',
    find: `  ${bound}: `,
    replace: `  ${bound}: ${value} + 0 * `,
  })),
);
