/** tcp-guard.yaml. */

import { type Environment, expand, hasReference, isOff, override, variableOf } from '../daemon/environment.ts';
import { type Daemon, daemonSchema } from '../daemon/schema.ts';
import { limits } from '../policy/limits.ts';
import { valueAt } from '../schema/problem.ts';
import { type Form, loadFile, type Prepared } from './check.ts';
import type { Issue } from './issues.ts';
import type { Loaded } from './problem.ts';
import type { Node } from './tree.ts';
import { daemonWarnings } from './warnings/daemon.ts';
import { readYaml } from './yaml.ts';

type Schema = ReturnType<typeof daemonSchema>;

const unsetIssue = (name: string, path: Issue['path']): Issue => ({
  kind: 'bad_value',
  message: `the environment variable ${name} is not set`,
  path,
  hint: `set ${name} where tcp-guard runs`,
});

/** Whether what is wrong with a text may be right once its reference is replaced; it stays a text, and becomes no list or mapping. */
const isOpen = (kind: Issue['kind'], value: unknown): boolean => kind !== 'wrong_type' && hasReference(value);

/** The values that hold where the daemon runs. What is off may refer to variables that are not set there. */
function expanded({ value }: Node, environment: Environment): Prepared {
  const { value: file, unset } = expand(value, environment);
  const missed = unset.filter(({ path }) => !isOff(file, path));
  return {
    value: override(file, environment),
    issues: missed.map(({ name, path }) => unsetIssue(name, path)),
    counts: ({ kind, path }) => !(isOff(file, path) && isOpen(kind, valueAt(file, path))),
    variable: (path) => variableOf(path, environment),
  };
}

/** The values that are known: a text with a reference may become any text. */
const unexpanded = ({ value }: Node): Prepared => ({
  value,
  counts: ({ kind, path }) => !isOpen(kind, valueAt(value, path)),
});

function form(environment: Environment | undefined): Form<Schema> {
  const schema = daemonSchema();
  return {
    schema,
    maxBytes: limits.daemonFileBytes,
    read: readYaml,
    knows: (path) => ({ schema, path }),
    warnings: daemonWarnings,
    prepare: environment ? (root) => expanded(root, environment) : unexpanded,
  };
}

/**
 * Reads a daemon file. `name` is what the user calls it. With an `environment` its variables are applied, and one that is
 * referred to and not set is a problem; without one, texts with `${NAME}` are taken verbatim. Never throws.
 */
export function loadDaemon(bytes: Uint8Array, name: string, environment?: Environment): Loaded<Daemon> {
  return loadFile(bytes, name, form(environment));
}
