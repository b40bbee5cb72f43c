/** A warning that has a path, but not yet a position in the file. */
import type { Path } from '../../schema/problem.ts';
import type { Located } from '../check.ts';
import type { Problem } from '../problem.ts';
import { pathText } from '../tree.ts';
import type { WarningKind } from './kinds.ts';

export interface Warning {
  readonly kind: WarningKind;
  readonly path: Path;
  readonly message: string;
  readonly hint?: string;
}

export const byPosition = (a: Problem, b: Problem): number => a.line - b.line || a.column - b.column;

export function withPositions(warnings: Iterable<Warning>, { place }: Pick<Located, 'place'>): Problem[] {
  const problems = Array.from(warnings, ({ path, ...rest }) => ({ ...rest, path: pathText(path), ...place(path) }));
  return problems.sort(byPosition);
}
