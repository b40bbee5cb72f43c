/** Problems of the configuration as text for the operator. */
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Loaded, Problem } from '../../contract/load/index.ts';

/** For a problem in an environment variable, the line is 0 and `path` is the name of the variable. */
export const problemText = (name: string, { line, column, path, message, hint }: Omit<Problem, 'kind'>): string =>
  `${line > 0 ? `${name}:${line}:${column}: ` : ''}${path ? `${path}: ` : ''}${message}${hint ? `\n  ${hint}` : ''}`;

/** Adds the position in the file to a problem that was found after the file was checked, such as a port in use. */
export function withPosition(loaded: Loaded<Daemon>, problem: Problem): Problem {
  if (!loaded.ok || problem.line > 0 || problem.path === '') return problem;
  return { ...problem, ...loaded.place(problem.path.split('.')) };
}

export const problemClause = ({ path, message }: Pick<Problem, 'path' | 'message'>): string =>
  path ? `${path}: ${message}` : message;
