/** Finds directives that turn an allowed path into a path that the guard would block. */

import { limits } from '../../../../contract/policy/limits.ts';
import { Policy } from '../../../../contract/policy/schema.ts';
import { compile as compilePolicy, type Guard } from '../../../../engine/index.ts';
import { type Config, childrenOf, type Scope } from '../config.ts';
import type { Finding } from '../finding.ts';
import { type Change, changes, prefixOf, type Use, uriOf } from './changes.ts';
import { matchingTexts } from './pattern.ts';
import {
  captured,
  innermostPattern,
  type PathPattern,
  patternOf,
  rawOf,
  type SampleRequest,
  serverOf,
  settingsBehind,
  settingsIn,
  settingsOf,
  substituted,
  variablesIn,
} from './variables.ts';

/**
 * File names that the default policy blocks as a whole path segment, but not as the end of a longer name. `sql` is blocked
 * only after a dot.
 */
const secrets = ['.git/config', 'id_rsa', 'backup.sql', 'sql', '.env', '../.env'];
/** A text with a space. Clients send the space encoded. When nginx decodes it, it ends the target of a request line. */
const decodable = 'a b';
const secretName = 'id_rsa';

let cached: Guard | undefined;

function verdictOn(path: string) {
  cached ??= compilePolicy(Policy.parse({}));
  return cached.evaluate({ method: 'GET', target: rawOf(path), headers: [], host: 'example.com' });
}

const isBlocked = (path: string): boolean => verdictOn(path).verdict === 'blocked';
/** True when no rule matches the path. A path that an allow rule matches is excluded, because it may contain any name. */
const passes = (path: string): boolean => verdictOn(path).reason === 'no_match';

const matches = (pattern: PathPattern | undefined, path: string): boolean =>
  !pattern || captured(pattern, path) !== undefined;

/** True when requests with this path reach the scope. Considers only locations. */
function reaches(scope: Scope | undefined, path: string): boolean {
  if (!scope) return true;
  const { name, args } = scope.directive;
  const prefix = prefixOf(scope);
  const isExact = name === 'location' && args[0] === '=';
  const isHere = isExact ? path === args[1] : prefix === undefined || path.startsWith(prefix);
  return isHere && matches(patternOf(scope.directive), path) && reaches(scope.parent, path);
}

/** Returns the innermost prefix location of a scope. */
function nearestPrefix(scope: Scope | undefined): string {
  return scope === undefined ? '' : (prefixOf(scope) ?? nearestPrefix(scope.parent));
}

/**
 * Yields paths that reach the directive. Each contains the text `inserted`, which represents text that a
 * client chooses.
 */
function* requestsOf(use: Use, change: Change, inserted: string): Iterable<SampleRequest> {
  const own = change.pattern?.(use.directive);
  const pattern = own ?? innermostPattern(use.scope);
  const prefix = nearestPrefix(use.scope);
  const behind = change.texts(use).flatMap((text) => settingsBehind(text, use.settings));
  const sources = [pattern, ...behind.map((setting) => setting.pattern)];
  const texts = sources.flatMap((one) => (one ? matchingTexts(one.source, inserted) : []));
  const paths = [...texts, ...texts.map((text) => prefix + text), prefix + inserted, `${prefix}/${inserted}`];
  for (const path of new Set(paths)) {
    if (!path.startsWith('/') || !reaches(use.scope, path) || !matches(own, path)) continue;
    yield { path, captures: pattern && captured(pattern, path) };
  }
}

const finding = (use: Use, kind: string, message: string, hint: string): Finding => ({
  ...{ level: 'problem', kind, line: use.directive.line, path: use.scope.name, message, hint },
});

function* exposed(use: Use, change: Change): Iterable<Finding> {
  for (const secret of secrets)
    for (const request of requestsOf(use, change, secret)) {
      if (!passes(request.path)) continue;
      const path = change.paths(use, request).find(isBlocked);
      if (path === undefined) continue;
      const message = `${use.directive.name} makes ${path} of ${request.path}, which the guard does not block`;
      yield finding(use, 'path_changed', message, change.hint(use));
      return;
    }
}

const chosen = /\$\{?(?:arg_\w+|cookie_\w+|http_(?!host\b)\w+|args|query_string)\b/;

/** Finds paths that come from another part of the request. The guard reads that part differently, or not at all. */
function* chosenElsewhere(use: Use, change: Change): Iterable<Finding> {
  for (const text of change.texts(use).map((one) => one.split(/\?|\$is_args/)[0] ?? '')) {
    const behind = settingsBehind(text, use.settings).map(({ value }) => value);
    const [name] = chosen.exec([text, ...behind].join(' ')) ?? [];
    if (name === undefined) continue;
    const message = `${use.directive.name} takes a path from ${name}, which the guard does not read as a path`;
    yield finding(use, 'path_from_request', message, 'take the path from $uri, or list the allowed values in a map');
    return;
  }
}

/** True when `rewrite ^ $request_uri` sets $uri to the raw target. Nothing is decoded then. */
const keepsRaw = ({ scope }: Use): boolean =>
  childrenOf(scope.directive).some(({ name, args }) => name === 'rewrite' && args[1] === '$request_uri');

/** Finds decoded paths. nginx encodes a path for the backend, but not in a proxy_pass with variables. */
function* decoded(use: Use, change: Change): Iterable<Finding> {
  const { name, args } = use.directive;
  const uri = uriOf(args[0] ?? '') ?? '';
  if (name !== 'proxy_pass' || variablesIn(uri).length === 0 || keepsRaw(use)) return;
  for (const request of requestsOf(use, change, decodable)) {
    if (!substituted(uri, request, use.settings).includes(decodable)) continue;
    const message =
      'proxy_pass sends a decoded path: %20 and %0a in a request end its target there, and begin new headers';
    const hint = 'use proxy_pass without a path, or with $request_uri; limit captures to characters such as [\\w/.-]';
    yield finding(use, 'path_decoded', message, hint);
    return;
  }
}

/** Finds paths without a leading slash, because they become part of the host. */
function* hostChosen(use: Use, change: Change): Iterable<Finding> {
  const [uri = ''] = use.directive.name === 'proxy_pass' ? change.texts(use) : [];
  if (!uri.startsWith('$')) return;
  for (const request of requestsOf(use, change, secretName)) {
    const path = substituted(uri, request, use.settings);
    if (path === '' || path.startsWith('/')) continue;
    const message = `proxy_pass appends ${path} of ${request.path} to the name of the backend, so a client chooses the backend`;
    yield finding(use, 'host_from_request', message, `write a slash before ${uri}`);
    return;
  }
}

function* findingsOf(use: Use, change: Change): Iterable<Finding> {
  if (change.texts(use).length > 0) {
    const chosenHost = [...hostChosen(use, change)];
    yield* chosenHost.length > 0 ? chosenHost : exposed(use, change);
    yield* chosenElsewhere(use, change);
  }
  yield* decoded(use, change);
}

function* findings(config: Config): Iterable<Finding> {
  const settings = settingsOf(config);
  const byServer = new Map(config.servers.map((server) => [server, settingsIn(server, settings)]));
  for (const scope of [...config.servers, ...config.locations]) {
    if (scope.isClosed) continue;
    for (const directive of childrenOf(scope.directive)) {
      const change = Object.hasOwn(changes, directive.name) ? changes[directive.name] : undefined;
      if (change) yield* findingsOf({ scope, directive, settings: byServer.get(serverOf(scope)) ?? settings }, change);
    }
  }
}

/** Yields the findings about paths, at most as many as are reported for one file. */
export function* pathChanges(config: Config): Iterable<Finding> {
  let count = 0;
  for (const one of findings(config)) {
    yield one;
    count += 1;
    if (count === limits.fileProblems) return;
  }
}
