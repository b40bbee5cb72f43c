/**
 * Values of the variables that a configuration names as `${NAME}`. They are made up, except for variables that `--env`
 * passes, because the configuration may come from a stranger.
 */
import { type Environment, expandReferences } from '../../../contract/daemon/environment.ts';
import { pathText } from '../../../contract/load/tree.ts';
import { UsageError } from '../../../platform/errors.ts';

/** Long enough for every key. Not secret, because only this machine reaches a sandbox. */
export const madeUpValue = 'made-up-for-the-sandbox';

/** Values that `--env` passes from this machine, by variable. */
export type Passed = Readonly<Record<string, string>>;

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Returns the values of variables that `--env` names. @throws UsageError for a name that is not valid or not set */
export function passedVariables(names: readonly string[], env: Environment): Passed {
  const entries = names.map((name) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value && variableName.test(name)) return [name, value] as const;
    const hint = 'pass the name of a variable that is set here; without --env the sandbox gets a made-up value';
    throw new UsageError(`--env ${JSON.stringify(name)} is not the name of a variable that is set`, {
      ...{ code: 'variable_unset', hint },
    });
  });
  return Object.fromEntries(entries);
}

const referencesIn = (value: unknown) => expandReferences(value, {}).unset;

const pickVariables = (passed: Passed, names: ReadonlySet<string>): Passed =>
  Object.fromEntries(Object.entries(passed).filter(([name]) => names.has(name)));

/** Returns values of the variables that texts in `value` name. */
export function sandboxVariables(value: unknown, passed: Passed): Readonly<Record<string, string>> {
  const names = new Set(referencesIn(value).map(({ name }) => name));
  return { ...Object.fromEntries(Array.from(names, (name) => [name, madeUpValue])), ...pickVariables(passed, names) };
}

export function variableNotes(variables: Readonly<Record<string, string>>): string[] {
  const names = Object.keys(variables).filter((name) => variables[name] === madeUpValue);
  if (names.length === 0) return [];
  const written = names.map((name) => `\${${name}}`).join(', ');
  return [`the sandbox has made-up values for ${written}; --env <name> passes the value of this machine on`];
}

/**
 * The error for a key that refuses the value of its variable. The message does not contain that value.
 * @param value the configuration, or the text of the key alone
 */
export function unfitVariable(value: unknown, key: string, passed: Passed): UsageError {
  const named = referencesIn(value).filter(({ path }) => path.length === 0 || pathText(path) === key);
  const { name } = named.find((one) => !Object.hasOwn(passed, one.name)) ?? named[0] ?? { name: key };
  const isPassed = Object.hasOwn(passed, name);
  return new UsageError(`${key} cannot have the ${isPassed ? '' : 'made-up '}value of \${${name}}`, {
    code: 'variable_unfit',
    hint: isPassed ? `correct the value of ${name}` : `pass the value of this machine on with --env ${name}`,
  });
}
