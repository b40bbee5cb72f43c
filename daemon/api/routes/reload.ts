import type { Problem } from '../../../contract/load/problem.ts';
import { jsonAnswer } from '../answer.ts';
import type { Route } from '../call.ts';
import { ApiFailure } from '../failure.ts';

function shownProblem({ path, line, column, message, hint }: Problem) {
  return { path, line, column, message, ...(hint !== undefined && { hint }) };
}

export const reload: Route<'reload'> = async ({ control }, { caller }) => {
  const outcome = await control.reload(`POST /reload from ${caller}`);
  if (outcome.ok) {
    const { changed, restart, problems } = outcome;
    return jsonAnswer({ changed, restart, problems });
  }
  const { length } = outcome.problems;
  const message = `${length} ${length === 1 ? 'problem' : 'problems'}; the previous configuration stays in force`;
  throw new ApiFailure('invalid_configuration', message, { problems: outcome.problems.map(shownProblem) });
};
