import assert from 'node:assert/strict';
import { everything } from '../../cli/testing/policies.ts';
import { loadPolicy } from '../../contract/load/index.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { camelCase } from '../../contract/values/keys.ts';

/** Returns the policy of a file. @throws when the file is not valid */
export function load(file: unknown): Policy {
  const loaded = loadPolicy(Buffer.from(JSON.stringify(file)), 'policy');
  assert.ok(loaded.ok, JSON.stringify(loaded.ok || loaded.problems));
  return loaded.value;
}

/** Converts keys to camel case. Header names stay unchanged, unless `headerName` changes them. */
export function camelCaseKeys(value: unknown, headerName = (name: string) => name, isHeaders = false): unknown {
  if (Array.isArray(value)) return value.map((entry) => camelCaseKeys(entry, headerName));
  if (typeof value !== 'object' || value === null) return value;
  const nameOf = isHeaders ? headerName : camelCase;
  const entries = Object.entries(value).map(([key, entry]) => [
    nameOf(key),
    isHeaders ? entry : camelCaseKeys(entry, headerName, key === 'headers'),
  ]);
  return Object.fromEntries(entries) as unknown;
}

/** Texts with a special meaning for lexers, variables or placeholders of Caddyfiles, nginx or Lua. */
export const hostileTexts: readonly string[] = [
  ' ',
  ' a  b ',
  '"',
  '"quoted"',
  '`',
  '`a` "b" \\',
  '\\',
  '\\\\',
  '\\"',
  '`\\"',
  'a\\',
  '`a\\',
  '{',
  '}',
  '{}',
  '{ }',
  '# no comment',
  'a # b',
  '<<END',
  '<<END\nEND',
  'a\nb',
  'a\r\nb',
  '`a\r\n"b"\\',
  '\tindented\n\t\tmore',
  '{$HOME}',
  '{$A:b}',
  '{$',
  '${A}',
  '{env.HOME}',
  '{$:{$}',
  '{host} and {path}',
  '{http.request.host}',
  '{header.X-A}',
  '{query.a} {re.b.1} {vars.c} {%path} {?query} {orig_?query}',
  '{{host}}',
  '{block}',
  '{blocks.a}',
  '{args[0]} {args.0}',
  '{args[:]}',
  '{args[0:1]}',
  '{guard.brace}',
  '{guard.backquote}`{guard.brace}',
  '{ '.repeat(110),
  `{a}\\{${'{`'.repeat(110)}`,
  'import /etc/passwd',
  'import',
  '@matcher',
  '(snippet)',
  'é ü 漢字 \u{1f600}',
  '\u00a0\u2028\ufeff',
  '\u0000\u0001\u001b[31m\u007f',
  '{"error":{"code":403,"list":[]}}',
  '<style>p{color:red} a{b}</style>',
  'long '.repeat(99),
  ']]',
  '\\]]',
  'a]=]b"',
  '"]] ]=] ]==] ]===] ]====]',
  '"x]',
  '[[ ]] [=[ ]=]',
  '"[[\nx',
  '-- no comment',
  '--[[ no comment ]]"',
  '\\065 \\x41 \\u{41} \\z \\n',
  '"}',
  "'}",
  '"{',
  "it's",
  '}; } }',
  '${HOME} $HOME $uri',
  '; events {}',
  'é"\\é',
  '\u007f"\\',
  'é'.repeat(5000),
  '"\\'.repeat(3000),
  '\u0000'.repeat(5000),
];

const patterns = [
  '(?i)^/internal/',
  '\\.env$',
  '`',
  '"',
  '\\\\"',
  '`\\"',
  '#',
  ' ',
  '\\{host\\}',
  '\\{host}',
  'a{2,3}',
];

const each = (key: 'response' | 'top', fields: object): Record<string, object> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      return key === 'top' ? [name, { [name]: value }] : [`response.${name}`, { response: { [name]: value } }];
    }),
  );

const { exceptions, response, ...alone } = everything;
const { captcha, mode, ...responseKeys } = response;

/** Policies by what they test. */
export const policies = {
  'nothing but defaults': {},
  'everything at once': everything,
  exceptions: { blockPatterns: ['x'], exceptions: [{ rules: ['block[0]'], path: '`"\\{host}' }] },
  ...each('top', alone),
  ...each('response', { ...responseKeys, mode: 'ratelimit' }),
  captcha: { response: { captcha: { provider: 'recaptcha', siteKey: '`{$HOME}"', title: '{host} `\\"' } } },
  'every pattern': { blockPatterns: patterns, allowPatterns: patterns },
  'all methods': { methods: ['*'] },
  'long lists': {
    allowedIps: Array.from({ length: 300 }, (_, index) => `10.0.${index >> 8}.${index & 255}`),
    methods: Array.from({ length: 40 }, (_, index) => `METHOD-${index}`),
  },
  'a header named like a directive': { response: { headers: { import: 'a', '#x': '`', "'y'": '{path}' } } },
  'a file path with quotes': { securityLogFile: '/var/log/a "b" `c` \\d {$HOME}' },
};
