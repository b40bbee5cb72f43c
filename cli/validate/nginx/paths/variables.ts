/** Values of nginx variables for a sample request, as far as they depend on its path. */
import { type Config, childrenOf, directivesOf, namedDirectives, type Scope } from '../config.ts';
import { compile } from './pattern.ts';

export interface PathPattern {
  readonly source: string;
  readonly isCaseless: boolean;
  /** True when the pattern is compared with the encoded target. */
  readonly isRaw?: boolean;
}

/** A value of a variable. `pattern` limits it to requests that match, and gives the captures. */
interface VariableValue {
  /** Undefined for a map, which applies to all servers. */
  readonly server: Scope | undefined;
  readonly value: string;
  readonly pattern: PathPattern | undefined;
}

export type VariableValues = ReadonlyMap<string, readonly VariableValue[]>;

const rawVariable = '$request_uri';
const pathVariables: ReadonlySet<string> = new Set(['$uri', '$document_uri', rawVariable]);

const variablePattern = /\$\{?(\w+)\}?/g;

export const variablesIn = (text: string): string[] => [...text.matchAll(variablePattern)].map(([, name = '']) => name);

/** The pattern of a location, or of an `if` with a variable of the path. */
export function patternOf({ name, args }: Scope['directive']): PathPattern | undefined {
  if (name === 'if') {
    const [subject = '', operator = '', ...words] = args
      .join(' ')
      .replace(/^\(\s*|\s*\)$/g, '')
      .split(/\s+/);
    if (!pathVariables.has(subject) || !/^~\*?$/.test(operator)) return undefined;
    return {
      source: words.join(' ').replace(/^"(.*)"$/s, '$1'),
      isCaseless: operator === '~*',
      isRaw: subject === rawVariable,
    };
  }
  const [operator = '', source] = args;
  const isPattern = name === 'location' && /^~\*?$/.test(operator) && source !== undefined;
  return isPattern ? { source, isCaseless: operator === '~*' } : undefined;
}

/** Returns the innermost pattern. The directives of a scope use its captures. */
export function innermostPattern(scope: Scope | undefined): PathPattern | undefined {
  return scope && (patternOf(scope.directive) ?? innermostPattern(scope.parent));
}

export const serverOf = (scope: Scope): Scope => (scope.parent ? serverOf(scope.parent) : scope);

/** Maximum number of values of one variable, because each is tried with every sample path. */
const mostValues = 64;

/** Returns the values that variables get from `set`, and from the patterns of a `map` of the path. */
export function variableValuesOf(config: Config): VariableValues {
  const variables = new Map<string, VariableValue[]>();
  const add = (name: string | undefined, value: VariableValue) => {
    if (!name?.startsWith('$')) return;
    const values = variables.get(name.slice(1)) ?? [];
    variables.set(name.slice(1), values);
    if (values.length < mostValues) values.push(value);
  };
  for (const scope of [...config.servers, ...config.locations])
    for (const { args } of namedDirectives(childrenOf(scope.directive), 'set'))
      add(args[0], { server: serverOf(scope), value: args[1] ?? '', pattern: innermostPattern(scope) });
  for (const map of directivesOf(config, 'map')) {
    const [subject = ''] = map.args;
    if (!pathVariables.has(subject)) continue;
    for (const { name, args } of childrenOf(map)) {
      const [, star, source] = /^~(\*?)(.+)$/s.exec(name) ?? [];
      if (source === undefined) continue;
      const pattern = { source, isCaseless: star === '*', isRaw: subject === rawVariable };
      add(map.args[1], { server: undefined, value: args[0] ?? '', pattern });
    }
  }
  return variables;
}

const deepest = 4;

export function valuesInServer(server: Scope, variables: VariableValues): VariableValues {
  const serverValues = [...variables].map(
    ([name, all]) => [name, all.filter((one) => !one.server || one.server === server)] as const,
  );
  return new Map(serverValues);
}

/** Returns the values of the variables in a text, and those of the variables in their values. */
export function valuesUsedBy(text: string, variables: VariableValues, depth = 0): VariableValue[] {
  if (depth > deepest) return [];
  const used = variablesIn(text).flatMap((name) => variables.get(name) ?? []);
  return used.flatMap((one) => [one, ...valuesUsedBy(one.value, variables, depth + 1)]);
}

export interface SampleRequest {
  /** The value of `$uri`. */
  readonly path: string;
  readonly captures: RegExpExecArray | undefined;
}

export const rawOf = (path: string): string => path.replaceAll(' ', '%20');

export function capturesOf({ source, isCaseless, isRaw }: PathPattern, path: string): RegExpExecArray | undefined {
  return compile(source, isCaseless)?.exec(isRaw ? rawOf(path) : path) ?? undefined;
}

const knownVariables: Readonly<Record<string, (path: string) => string>> = {
  uri: (path) => path,
  document_uri: (path) => path,
  request_filename: (path) => path,
  fastcgi_script_name: (path) => path,
  request_uri: rawOf,
  is_args: () => '?',
};

/** Replaces variables by their values. Variables that do not depend on the path become empty. */
export function substitute(text: string, request: SampleRequest, variables: VariableValues, depth = 0): string {
  const { path, captures } = request;
  return text.replace(variablePattern, (_, name: string) => {
    const capture = /^\d$/.test(name) ? captures?.[Number(name)] : captures?.groups?.[name];
    if (capture !== undefined) return capture;
    for (const { value, pattern } of depth > deepest ? [] : (variables.get(name) ?? [])) {
      const found = pattern && capturesOf(pattern, path);
      if (!pattern || found) return substitute(value, { path, captures: found }, variables, depth + 1);
    }
    return knownVariables[name]?.(path) ?? '';
  });
}
