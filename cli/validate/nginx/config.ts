/** The parts of an nginx configuration that matter to the guard. */
import { parseDump } from './dump.ts';
import { withoutComments } from './lua-block.ts';
import type { Directive } from './parse.ts';

/** A server, or a `location`, `if` or `limit_except` in it. */
export interface Scope {
  /** Name in messages, such as `location /api of server example.com`. */
  readonly name: string;
  readonly directive: Directive;
  readonly parent: Scope | undefined;
  /** True when only internal requests reach this scope: in a named location, and in a location with `internal`. */
  readonly isInternal: boolean;
  /**
   * True inside a location with `internal`, whose paths clients cannot choose. False in a named location, because it
   * gets the paths of clients.
   */
  readonly isClosed: boolean;
  /** Hook of the scope, or the inherited one. */
  readonly hook: Directive | undefined;
}

export interface Config {
  readonly main: readonly Directive[];
  readonly http: readonly Directive[];
  readonly line: number;
  readonly servers: readonly Scope[];
  readonly locations: readonly Scope[];
}

export const childrenOf = ({ children = [] }: Directive): readonly Directive[] => children;

export const namedDirectives = (directives: readonly Directive[], ...names: string[]): Directive[] =>
  directives.filter(({ name }) => names.includes(name));

function serverName(directive: Directive): string {
  const namingDirectives = ['server_name', 'listen'].flatMap((name) => namedDirectives(childrenOf(directive), name));
  return `server ${namingDirectives[0]?.args[0] ?? 'without a name'}`;
}

export const luaHooks = (phase: string): string[] => ['', '_block', '_file'].map((form) => `${phase}_by_lua${form}`);

export const rewriteHooks = luaHooks('rewrite');

const hookIn = (directives: readonly Directive[]): Directive | undefined =>
  namedDirectives(directives, ...rewriteHooks)[0];

const nestingBlocks = ['location', 'if', 'limit_except'];

function* nestedScopes(parent: Scope, server: string): Iterable<Scope> {
  for (const directive of namedDirectives(childrenOf(parent.directive), ...nestingBlocks)) {
    const { name, args } = directive;
    const isClosed = parent.isClosed || namedDirectives(childrenOf(directive), 'internal').length > 0;
    const isInternal = parent.isInternal || isClosed || args[0]?.startsWith('@') === true;
    const words = [name, ...args].join(' ');
    const hook = hookIn(childrenOf(directive)) ?? parent.hook;
    const scope = { name: `${words} of ${server}`, directive, parent, isInternal, isClosed, hook };
    yield scope;
    yield* nestedScopes(scope, server);
  }
}

export function readConfig(dump: string): Config {
  const main = parseDump(dump);
  const blocks = namedDirectives(main, 'http');
  const http = blocks.flatMap(childrenOf);
  const inherited = hookIn(http);
  const servers = namedDirectives(http, 'server').map((directive): Scope => {
    const hook = hookIn(childrenOf(directive)) ?? inherited;
    return { name: serverName(directive), directive, parent: undefined, isInternal: false, isClosed: false, hook };
  });
  const locations = servers.flatMap((server) => [...nestedScopes(server, server.name)]);
  return { main, http, line: blocks[0]?.line ?? 1, servers, locations };
}

/** Returns directives of the http block, and of each server, location and `if`. */
export const directivesOf = ({ http, servers, locations }: Config, ...names: string[]): Directive[] =>
  [http, ...[...servers, ...locations].map(({ directive }) => childrenOf(directive))].flatMap((level) =>
    namedDirectives(level, ...names),
  );

/** Returns Lua without comments, or undefined when it is in a file. */
export function luaOf({ lua, name, args }: Directive): string | undefined {
  const source = lua ?? (name.endsWith('_by_lua') ? args.join(' ') : undefined);
  return source === undefined ? undefined : withoutComments(source);
}
