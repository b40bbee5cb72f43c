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
interface Setting {
  /** Undefined for a map, which applies to all servers. */
  readonly server: Scope | undefined;
  readonly value: string;
  readonly pattern: PathPattern | undefined;
}

export type Settings = ReadonlyMap<string, readonly Setting[]>;

const rawVariable = '$request_uri';
const pathVariables: ReadonlySet<string> = new Set(['$uri', '$document_uri', rawVariable]);

const variable = /\$\{?(\w+)\}?/g;

export const variablesIn = (text: string): string[] => [...text.matchAll(variable)].map(([, name = '']) => name);

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

/** Maximum number of settings of one variable, because each is tried with every sample path. */
const mostSettings = 64;

/** Returns the variables of `set` and `map`. */
export function settingsOf(config: Config): Settings {
  const settings = new Map<string, Setting[]>();
  const add = (name: string | undefined, setting: Setting) => {
    if (!name?.startsWith('$')) return;
    const knownVariables = settings.get(name.slice(1)) ?? [];
    settings.set(name.slice(1), knownVariables);
    if (knownVariables.length < mostSettings) knownVariables.push(setting);
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
  return settings;
}

const deepest = 4;

export function settingsIn(server: Scope, settings: Settings): Settings {
  const own = [...settings].map(
    ([name, all]) => [name, all.filter((one) => !one.server || one.server === server)] as const,
  );
  return new Map(own);
}

/** Returns the settings of the variables in a text, and those of the variables in their values. */
export function settingsBehind(text: string, settings: Settings, depth = 0): Setting[] {
  if (depth > deepest) return [];
  const used = variablesIn(text).flatMap((name) => settings.get(name) ?? []);
  return used.flatMap((setting) => [setting, ...settingsBehind(setting.value, settings, depth + 1)]);
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
export function substitute(text: string, request: SampleRequest, settings: Settings, depth = 0): string {
  const { path, captures } = request;
  return text.replace(variable, (_, name: string) => {
    const own = /^\d$/.test(name) ? captures?.[Number(name)] : captures?.groups?.[name];
    if (own !== undefined) return own;
    for (const { value, pattern } of depth > deepest ? [] : (settings.get(name) ?? [])) {
      const found = pattern && capturesOf(pattern, path);
      if (!pattern || found) return substitute(value, { path, captures: found }, settings, depth + 1);
    }
    return knownVariables[name]?.(path) ?? '';
  });
}
