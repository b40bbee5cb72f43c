/** Applies environment variables to the daemon's file: three that override keys, and `${NAME}` in any string. */
import { type Fields, isFields, type Path, valueAt } from '../schema/problem.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that override keys of the file. An empty variable counts as unset. */
const overrides = {
  GUARD_LOG_LEVEL: ['global', 'log_level'],
  GUARD_API_LISTEN: ['api', 'listen'],
  GUARD_API_SOCKET: ['api', 'socket'],
} as const satisfies Record<string, Path>;

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

export function hasReference(value: unknown): boolean {
  return typeof value === 'string' && value.search(reference) >= 0;
}

interface Unset {
  readonly path: Path;
  readonly name: string;
}

interface Expanded {
  readonly value: unknown;
  /** References to unset or empty variables. */
  readonly unset: readonly Unset[];
}

function expandText(text: string, path: Path, environment: Environment, unset: Unset[]): string {
  return text.replace(reference, (written, name: string) => {
    const value = Object.hasOwn(environment, name) && environment[name];
    if (value) return value;
    unset.push({ path, name });
    return written;
  });
}

function expandValue(value: unknown, path: Path, environment: Environment, unset: Unset[]): unknown {
  if (typeof value === 'string') return expandText(value, path, environment, unset);
  if (Array.isArray(value))
    return value.map((entry, index) => expandValue(entry, [...path, index], environment, unset));
  if (!isFields(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, entry]) => [key, expandValue(entry, [...path, key], environment, unset)]),
  );
}

/** Replaces the references in a file. A reference inside the value of a variable stays unchanged. */
export function expandReferences(value: unknown, environment: Environment): Expanded {
  const unset: Unset[] = [];
  return { value: expandValue(value, [], environment, unset), unset };
}

/** Sections that can be disabled, with the length of their path and whether they are enabled by default. */
const switchableSections: ReadonlyMap<unknown, { readonly depth: number; readonly isOn: boolean }> = new Map([
  ['threatfeed', { depth: 1, isOn: false }],
  ['services', { depth: 2, isOn: true }],
]);

/** Whether a path is in a disabled section, whose values are never read. */
export function isInDisabledSection(file: unknown, path: Path): boolean {
  const { depth, isOn } = switchableSections.get(path[0]) ?? { depth: Number.POSITIVE_INFINITY, isOn: true };
  if (path.length <= depth) return false;
  const enabled = valueAt(file, [...path.slice(0, depth), 'enabled']);
  return enabled === undefined ? !isOn : enabled === false;
}

function withValue(file: Fields, [section, key]: readonly [string, string], value: string): Fields {
  const fields = file[section] ?? {};
  return isFields(fields) ? { ...file, [section]: { ...fields, [key]: value } } : file;
}

/** Overrides the values of a file. A section that is not a mapping stays unchanged. */
export function applyOverrides(file: unknown, environment: Environment): unknown {
  if (!isFields(file)) return file;
  return Object.entries(overrides).reduce<Fields>((changed, [name, path]) => {
    const value = environment[name];
    return value ? withValue(changed, path, value) : changed;
  }, file);
}

/** Returns the variable that overrides the key at `path`. */
export function variableOf(path: Path, environment: Environment): string | undefined {
  const isSet = (name: string, key: Path) => environment[name] && key.join('.') === path.join('.');
  return Object.entries(overrides).find(([name, key]) => isSet(name, key))?.[0];
}
