/** The nginx directives that change the path of a request. */
import type { Scope } from '../config.ts';
import type { Directive } from '../parse.ts';
import { type PathPattern, type SampleRequest, substitute, type VariableValues, variablesIn } from './variables.ts';

export interface Use {
  readonly scope: Scope;
  readonly directive: Directive;
  readonly variables: VariableValues;
}

export interface Change {
  /** Texts that form the path. Empty when the directive changes no path. */
  readonly texts: (use: Use) => readonly string[];
  /** New paths of a request, without folders and prefixes of the configuration. */
  readonly paths: (use: Use, request: SampleRequest) => readonly string[];
  /** The pattern of the directive itself. */
  readonly pattern?: (directive: Directive) => PathPattern | undefined;
  readonly hint: (use: Use) => string;
}

const hasVariable = (text: string): boolean => variablesIn(text).length > 0;

/** Returns the prefix of a location. Undefined for a location without a prefix, and for a server. */
export function prefixOf({ directive: { name, args } }: Scope): string | undefined {
  const [first = '', second] = args;
  if (name !== 'location' || /^[~=@]/.test(first)) return undefined;
  return first === '^~' ? second : first;
}

/** Removes the folders before the first variable, because the operator chose their names. */
function withoutFolders(text: string): string {
  const fixed = /^[^$]*/.exec(text)?.[0] ?? '';
  return `/${text.slice(fixed.lastIndexOf('/') + 1)}`;
}

const pathOnly = (text: string): string => text.split(/\?|\$is_args/)[0] ?? '';

/**
 * A URL. A variable at the start of the host, or after `.`, `:` or `-`, belongs to the host:
 * `http://$name.example.com:$port$uri`.
 */
const urlPattern =
  /^(?:[^/]*:\/\/)?(?:unix:[^:$]*(?::(.*))?|(?:\$\{?\w+\}?)?[^/$]*(?:(?<=[.:-])\$\{?\w+\}?[^/$]*)*([/$].*)?)$/;

/** Returns the path of a proxy_pass. Undefined when it has none: nginx then sends the path unchanged. */
export function uriOf(text: string): string | undefined {
  const [, unix, tcp] = urlPattern.exec(text) ?? [];
  return unix ?? tcp;
}

const finalSlashHint = ({ scope, directive: { name, args } }: Use): string =>
  `write \`location ${[...scope.directive.args.slice(0, -1), `${scope.directive.args.at(-1)}/`].join(' ')}\` with \`${name} ${args.join(' ')}\``;
const wholeNamesHint = (): string =>
  'match whole names: put the group between slashes, as in ^/x/(.*)$, or list what it matches, as in (a|b)\\.html$';

const filledText = (text: string, { variables }: Use, request: SampleRequest): string =>
  substitute(withoutFolders(pathOnly(text)), request, variables).replace(/^\/+/, '/');

const variableTexts = (args: readonly string[]): string[] => args.filter((text) => hasVariable(pathOnly(text)));

/** True when a client can cut the name of the folder: `location /x { alias /srv/; }` serves /x../y from /srv/../y. */
const cutsName = (scope: Scope, text: string): boolean =>
  text.endsWith('/') && prefixOf(scope)?.endsWith('/') === false;

/** Returns paths in which a text replaces the prefix of the location. */
function replacedPaths(text: string, use: Use, request: SampleRequest): string[] {
  const prefix = prefixOf(use.scope);
  return prefix === undefined ? [] : [filledText(text, use, request) + request.path.slice(prefix.length)];
}

function createChange(argsOf: (directive: Directive) => readonly string[], appends = ''): Change {
  return {
    texts: ({ directive }) => variableTexts(argsOf(directive)).map((text) => text + appends),
    paths: (use, request) =>
      variableTexts(argsOf(use.directive)).map((text) => filledText(text + appends, use, request)),
    hint: wholeNamesHint,
  };
}

const aliasChange = createChange(({ args }) => args);
const uriChange = createChange(({ args }) => args.flatMap((text) => uriOf(text) ?? []));

export const changesByDirective: Readonly<Record<string, Change>> = {
  alias: {
    texts: (use) => (cutsName(use.scope, use.directive.args[0] ?? '') ? use.directive.args : aliasChange.texts(use)),
    paths: (use, request) => {
      const [text = ''] = use.directive.args;
      return prefixOf(use.scope) === undefined ? aliasChange.paths(use, request) : replacedPaths(text, use, request);
    },
    hint: (use) => (prefixOf(use.scope) === undefined ? wholeNamesHint() : finalSlashHint(use)),
  },
  proxy_pass: {
    texts: (use) => {
      const [text = ''] = use.directive.args;
      if (hasVariable(text)) return uriChange.texts(use);
      const uri = uriOf(text);
      return uri !== undefined && cutsName(use.scope, uri) ? [uri] : [];
    },
    paths: (use, request) => {
      const [text = ''] = use.directive.args;
      return hasVariable(text) ? uriChange.paths(use, request) : replacedPaths(uriOf(text) ?? '', use, request);
    },
    hint: (use) => (hasVariable(use.directive.args[0] ?? '') ? wholeNamesHint() : finalSlashHint(use)),
  },
  rewrite: {
    texts: ({ directive: { args } }) =>
      /^(?:redirect|permanent)$/.test(args[2] ?? '') || /^(?:https?:|\$scheme)/.test(args[1] ?? '')
        ? []
        : variableTexts(args.slice(1, 2)),
    paths: (use, request) => [filledText(use.directive.args[1] ?? '', use, request)],
    pattern: ({ args: [source] }) => (source === undefined ? undefined : { source, isCaseless: false }),
    hint: wholeNamesHint,
  },
  try_files: createChange(({ args }) => args.filter((text) => !/^[=@]/.test(text))),
  root: createChange(({ args }) => args, '$uri'),
  error_page: createChange(({ args }) => args.slice(-1)),
  fastcgi_param: createChange(({ args: [name, value] }) => (name === 'SCRIPT_FILENAME' && value ? [value] : [])),
};
