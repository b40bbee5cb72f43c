/**
 * Finds directives that send another path to the backend or the file system than the one that the guard saw. Each is
 * judged by its text alone: which paths a pattern can make is left to the reader of the warning.
 */
import { limits } from '../../../contract/policy/limits.ts';
import { type Config, childrenOf, type Scope } from './config.ts';
import type { Finding } from './finding.ts';
import type { Directive } from './parse.ts';

const page = '"Where nginx changes a path" in docs/nginx.md';

/** A directive with its texts that become a path, and the location or server that it is in. */
interface Use {
  readonly scope: Scope;
  readonly directive: Directive;
  readonly texts: readonly string[];
}

const isRedirect = ([, text = '', flag = '']: readonly string[]): boolean =>
  /^(?:redirect|permanent)$/.test(flag) || /^(?:https?:|\$scheme)/.test(text);

/** The arguments of each directive that become a path. */
const pathArguments: Readonly<Record<string, (args: readonly string[]) => readonly string[]>> = {
  alias: (args) => args,
  root: (args) => args,
  proxy_pass: (args) => args,
  rewrite: (args) => (isRedirect(args) ? [] : args.slice(1, 2)),
  try_files: (args) => args.filter((text) => !/^[=@]/.test(text)),
  error_page: (args) => args.slice(-1),
  fastcgi_param: ([name, value = '']) => (name === 'SCRIPT_FILENAME' ? [value] : []),
};

/** Returns the prefix of a location. Undefined for a location without a prefix, and for a server. */
function prefixOf({ directive: { name, args } }: Scope): string | undefined {
  const [first = '', second] = args;
  if (name !== 'location' || /^[~=@]/.test(first)) return undefined;
  return first === '^~' ? second : first;
}

/** `location /x { alias /srv/; }` serves `/x.git/config` from `/srv/.git/config`. */
const cutsName = ({ scope, directive: { name, args } }: Use): boolean =>
  /^(?:alias|proxy_pass)$/.test(name) && args[0]?.endsWith('/') === true && prefixOf(scope)?.endsWith('/') === false;

function matchInTexts(pattern: RegExp, { texts }: Use): string | undefined {
  for (const text of texts) {
    const found = pattern.exec(text.split(/\?|\$is_args/)[0] ?? '')?.[0];
    if (found !== undefined) return found;
  }
  return undefined;
}

const clientVariable = /\$\{?(?:arg_\w+|cookie_\w+|http_(?!host\b)\w+|args\b|query_string\b)\}?/;
const capture = /\$\{?[1-9]\}?/;
const decodedPath = /\$\{?(?:document_)?uri\b\}?/;

/** `rewrite ^ $request_uri` sets $uri to the target without decoding. */
const keepsRaw = ({ scope }: Use): boolean =>
  childrenOf(scope.directive).some(({ name, args }) => name === 'rewrite' && args[1] === '$request_uri');

interface Check extends Pick<Finding, 'level' | 'kind' | 'hint'> {
  /** Returns what is wrong with the directive, or undefined. */
  readonly message: (use: Use) => string | undefined;
}

/** The first check with a message is reported. */
const checks: readonly Check[] = [
  {
    ...{ level: 'problem', kind: 'path_changed', hint: 'end the prefix of the location in a slash, too' },
    message: (use) =>
      cutsName(use)
        ? `${use.directive.name} makes /.git/config of ${prefixOf(use.scope)}.git/config, which the guard does not block`
        : undefined,
  },
  {
    ...{ level: 'problem', kind: 'path_from_request' },
    hint: 'take the path from $uri, or list the allowed values in a map',
    message: (use) => {
      const name = matchInTexts(clientVariable, use);
      return name && `${use.directive.name} takes a path from ${name}, which the guard does not read as a path`;
    },
  },
  {
    ...{ level: 'problem', kind: 'path_decoded', hint: 'use proxy_pass without a path, or with $request_uri' },
    message: (use) =>
      use.directive.name === 'proxy_pass' && decodedPath.test(use.texts.join(' ')) && !keepsRaw(use)
        ? 'proxy_pass sends a decoded path: %20 and %0a in a request end its target there, and begin new headers'
        : undefined,
  },
  {
    ...{ level: 'warning', kind: 'path_rewritten', hint: `check what the pattern matches: ${page}` },
    message: (use) => {
      const name = matchInTexts(use.directive.name === 'rewrite' ? /\$/ : capture, use);
      return name && `${use.directive.name} makes a path of a part of the request, and the guard saw the whole one`;
    },
  },
];

function* usesIn(config: Config): Iterable<Use> {
  for (const scope of [...config.servers, ...config.locations]) {
    if (scope.isClosed) continue;
    for (const directive of childrenOf(scope.directive)) {
      const { name, args } = directive;
      const texts = Object.hasOwn(pathArguments, name) ? (pathArguments[name]?.(args) ?? []) : [];
      if (texts.length > 0) yield { scope, directive, texts };
    }
  }
}

/** @returns at most as many findings as are reported for one file */
export function* pathChecks(config: Config): Iterable<Finding> {
  let count = 0;
  for (const use of usesIn(config))
    for (const { message, ...check } of checks) {
      const text = message(use);
      if (text === undefined) continue;
      yield { ...check, message: text, line: use.directive.line, path: use.scope.name };
      count += 1;
      if (count === limits.fileProblems) return;
      break;
    }
}
