/** Finds directives that turn an allowed path into a path that the guard would block. */

import { limits } from '../../../../contract/policy/limits.ts';
import { Policy } from '../../../../contract/policy/schema.ts';
import { compile as compilePolicy, type Guard } from '../../../../engine/index.ts';
import { type Config, childrenOf, type Scope } from '../config.ts';
import type { Finding } from '../finding.ts';
import { type Change, changesByDirective, prefixOf, type Use, uriOf } from './changes.ts';
import { matchingTexts } from './pattern.ts';
import {
  capturesOf,
  innermostPattern,
  type PathPattern,
  patternOf,
  rawOf,
  type SampleRequest,
  serverOf,
  substitute,
  valuesInServer,
  valuesUsedBy,
  variablesIn,
  variableValuesOf,
} from './variables.ts';

/**
 * The default policy blocks these as a whole path segment, but not as the end of a longer name. `sql` is blocked only
 * after a dot.
 */
const secretPaths = ['.git/config', 'id_rsa', 'backup.sql', 'sql', '.env', '../.env'];
/** Part of a sample path. Its space, decoded by nginx, would end the target of the request line. */
const decodableText = 'a b';
const secretName = 'id_rsa';

let cachedGuard: Guard | undefined;

function verdictOn(path: string) {
  cachedGuard ??= compilePolicy(Policy.parse({}));
  return cachedGuard.evaluate({ method: 'GET', target: rawOf(path), headers: [], host: 'example.com' });
}

const isBlocked = (path: string): boolean => verdictOn(path).verdict === 'blocked';
/**
 * True when no rule matches the path. A path that an allow rule matches passes also with the name of a secret in it, so
 * no directive is reported for it.
 */
const isPassed = (path: string): boolean => verdictOn(path).reason === 'no_match';

const isMatch = (pattern: PathPattern | undefined, path: string): boolean =>
  !pattern || capturesOf(pattern, path) !== undefined;

/** True when requests with this path reach the location. */
function reaches(scope: Scope | undefined, path: string): boolean {
  if (!scope) return true;
  const { name, args } = scope.directive;
  const prefix = prefixOf(scope);
  const isExact = name === 'location' && args[0] === '=';
  const isHere = isExact ? path === args[1] : prefix === undefined || path.startsWith(prefix);
  return isHere && isMatch(patternOf(scope.directive), path) && reaches(scope.parent, path);
}

function nearestPrefix(scope: Scope | undefined): string {
  return scope === undefined ? '' : (prefixOf(scope) ?? nearestPrefix(scope.parent));
}

/** Yields paths that reach the directive. `inserted` is the part that a client chooses. */
function* requestsOf(use: Use, change: Change, inserted: string): Iterable<SampleRequest> {
  const own = change.pattern?.(use.directive);
  const pattern = own ?? innermostPattern(use.scope);
  const prefix = nearestPrefix(use.scope);
  const usedValues = change.texts(use).flatMap((text) => valuesUsedBy(text, use.variables));
  const sources = [pattern, ...usedValues.map((one) => one.pattern)];
  const texts = sources.flatMap((one) => (one ? matchingTexts(one.source, inserted) : []));
  const paths = [...texts, ...texts.map((text) => prefix + text), prefix + inserted, `${prefix}/${inserted}`];
  for (const path of new Set(paths)) {
    if (!path.startsWith('/') || !reaches(use.scope, path) || !isMatch(own, path)) continue;
    yield { path, captures: pattern && capturesOf(pattern, path) };
  }
}

const findingAt = (use: Use, kind: string, message: string, hint: string): Finding => ({
  ...{ level: 'problem', kind, line: use.directive.line, path: use.scope.name, message, hint },
});

function* findExposed(use: Use, change: Change): Iterable<Finding> {
  for (const secret of secretPaths)
    for (const request of requestsOf(use, change, secret)) {
      if (!isPassed(request.path)) continue;
      const path = change.paths(use, request).find(isBlocked);
      if (path === undefined) continue;
      const message = `${use.directive.name} makes ${path} of ${request.path}, which the guard does not block`;
      yield findingAt(use, 'path_changed', message, change.hint(use));
      return;
    }
}

const clientVariables = /\$\{?(?:arg_\w+|cookie_\w+|http_(?!host\b)\w+|args|query_string)\b/;

/** Finds paths from another part of the request, which the guard does not read as a path. */
function* findChosenElsewhere(use: Use, change: Change): Iterable<Finding> {
  for (const text of change.texts(use).map((one) => one.split(/\?|\$is_args/)[0] ?? '')) {
    const usedTexts = valuesUsedBy(text, use.variables).map(({ value }) => value);
    const [name] = clientVariables.exec([text, ...usedTexts].join(' ')) ?? [];
    if (name === undefined) continue;
    const message = `${use.directive.name} takes a path from ${name}, which the guard does not read as a path`;
    yield findingAt(use, 'path_from_request', message, 'take the path from $uri, or list the allowed values in a map');
    return;
  }
}

/** `rewrite ^ $request_uri` sets $uri to the target without decoding. */
const keepsRaw = ({ scope }: Use): boolean =>
  childrenOf(scope.directive).some(({ name, args }) => name === 'rewrite' && args[1] === '$request_uri');

/** Finds decoded paths for a backend. nginx encodes a path, but not in a proxy_pass with variables. */
function* findDecoded(use: Use, change: Change): Iterable<Finding> {
  const { name, args } = use.directive;
  const uri = uriOf(args[0] ?? '') ?? '';
  if (name !== 'proxy_pass' || variablesIn(uri).length === 0 || keepsRaw(use)) return;
  for (const request of requestsOf(use, change, decodableText)) {
    if (!substitute(uri, request, use.variables).includes(decodableText)) continue;
    const message =
      'proxy_pass sends a decoded path: %20 and %0a in a request end its target there, and begin new headers';
    const hint = 'use proxy_pass without a path, or with $request_uri; limit captures to characters such as [\\w/.-]';
    yield findingAt(use, 'path_decoded', message, hint);
    return;
  }
}

/** Finds a proxy_pass whose path has no leading slash, so that it becomes part of the host. */
function* findChosenHosts(use: Use, change: Change): Iterable<Finding> {
  const [uri = ''] = use.directive.name === 'proxy_pass' ? change.texts(use) : [];
  if (!uri.startsWith('$')) return;
  for (const request of requestsOf(use, change, secretName)) {
    const path = substitute(uri, request, use.variables);
    if (path === '' || path.startsWith('/')) continue;
    const message = `proxy_pass appends ${path} of ${request.path} to the name of the backend, so a client chooses the backend`;
    yield findingAt(use, 'host_from_request', message, `write a slash before ${uri}`);
    return;
  }
}

function* findingsOf(use: Use, change: Change): Iterable<Finding> {
  if (change.texts(use).length > 0) {
    const chosenHost = [...findChosenHosts(use, change)];
    yield* chosenHost.length > 0 ? chosenHost : findExposed(use, change);
    yield* findChosenElsewhere(use, change);
  }
  yield* findDecoded(use, change);
}

function* findings(config: Config): Iterable<Finding> {
  const variables = variableValuesOf(config);
  const byServer = new Map(config.servers.map((server) => [server, valuesInServer(server, variables)]));
  for (const scope of [...config.servers, ...config.locations]) {
    if (scope.isClosed) continue;
    for (const directive of childrenOf(scope.directive)) {
      const change = Object.hasOwn(changesByDirective, directive.name) ? changesByDirective[directive.name] : undefined;
      if (change)
        yield* findingsOf({ scope, directive, variables: byServer.get(serverOf(scope)) ?? variables }, change);
    }
  }
}

/** @returns at most as many findings as are reported for one file */
export function* pathChanges(config: Config): Iterable<Finding> {
  let count = 0;
  for (const one of findings(config)) {
    yield one;
    count += 1;
    if (count === limits.fileProblems) return;
  }
}
