/** Profiles of applications, and their expansion to exceptions. */
import rows from '../generated/applications.json' with { type: 'json' };
import { engineRules } from './engine-rules.ts';
import type { Exception, Policy } from './schema.ts';

interface ApplicationRow {
  readonly name: string;
  readonly product: string;
  readonly basePaths: readonly string[];
  readonly marks: readonly string[];
  readonly passages: readonly { readonly path: string; readonly rules: string | readonly string[] }[];
}

export const applications: readonly ApplicationRow[] = rows;

/** Categories of rules about names of files. A profile never names a rule of another category. */
export const fileCategories: readonly string[] = [
  'env',
  'hidden',
  'vcs',
  'cloud',
  'keys',
  'dump',
  'backup',
  'config',
  'log',
  'develop',
  'admin',
];

/** Ids of the rules about names of files: what is off where an application serves files of its users. */
export const fileRules: readonly string[] = engineRules
  .filter(({ action, category }) => action === 'block' && fileCategories.includes(category))
  .map(({ id }) => id);

/** Returns the base path as a pattern. It has only letters, digits and `/ . _ ~ -`, of which a pattern reads the dot. */
const basePattern = (path: string): string => path.replace(/\/$/, '').replaceAll('.', '\\.');

/** Returns the exceptions that an entry of `applications` means. Go and Lua expand generated tables the same way. */
export function expandApplication({ name, basePath, hosts }: Policy['applications'][number]): Exception[] {
  const row = applications.find((one) => one.name === name);
  const base = basePattern(basePath ?? row?.basePaths[0] ?? '/');
  return (row?.passages ?? []).map(({ path, rules }) => ({
    rules: rules === 'files' ? [...fileRules] : [...rules],
    path: `^${base}${path}`,
    hosts: [...hosts],
    clients: [],
  }));
}

export interface NamedException extends Exception {
  /** The place in the policy, such as `exceptions[0]` or `applications[0]`. */
  readonly name: string;
}

/** Returns the exceptions of a policy, then those of its applications. */
export function exceptionsOf({ exceptions, applications: entries }: Policy): NamedException[] {
  return [
    ...exceptions.map((exception, index) => ({ ...exception, name: `exceptions[${index}]` })),
    ...entries.flatMap((entry, index) =>
      expandApplication(entry).map((exception) => ({ ...exception, name: `applications[${index}]` })),
    ),
  ];
}
