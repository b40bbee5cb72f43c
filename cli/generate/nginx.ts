/** A policy as configuration of nginx with its Lua module: a file for the http block, and what belongs above it. */

import { type ModeRow, modes } from '../../contract/policy/modes.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { snakeCaseKeys } from '../../contract/schema/keys.ts';
import type { Generated } from './generated.ts';
import { luaString, luaValue } from './lua.ts';
import { sparse } from './sparse.ts';

/** A directive, and why it is there. */
export interface Directive {
  readonly text: string;
  readonly why: string;
}

/** Where `docs/nginx.md` puts the folder `guard`: LuaJIT of Debian and of OpenResty look there anyway. */
const modules = '/usr/local/share/lua/5.1';

/** What a policy asks of the world outside: hosts it connects to. */
function urlsOf({ response }: Policy): URL[] {
  const { mode, proxyUrl, captcha } = response;
  if (mode === 'proxy' && proxyUrl !== undefined) return [new URL(proxyUrl)];
  if (mode !== 'captcha' || captcha?.secretKey === undefined) return [];
  // The providers' own endpoints are https and have names, as this one.
  return [new URL(captcha.verifyUrl ?? 'https://captcha.invalid')];
}

const isAddress = ({ hostname }: URL): boolean => /^[\d.]+$|^\[/.test(hostname);

export const needs = {
  sharedDict: ({ response: { mode }, secret }: Policy): boolean =>
    (modes[mode] as ModeRow).holds || (mode === 'fake_success' && secret === undefined),
  resolver: (policy: Policy): boolean => urlsOf(policy).some((url) => !isAddress(url)),
  certificates: (policy: Policy): boolean => urlsOf(policy).some(({ protocol }) => protocol === 'https:'),
} as const;

/** Variables that the policy names as `${NAME}`. */
function variables({ secret, response }: Policy): string[] {
  return [secret, response.captcha?.secretKey].flatMap((value) => /^\$\{(\w+)\}$/.exec(value ?? '')?.[1] ?? []);
}

/** For the main context, outside of every block. */
export function mainDirectives(policies: readonly Policy[]): readonly Directive[] {
  const names = new Set(policies.flatMap(variables));
  return [
    { text: 'pcre_jit on;', why: 'patterns of nginx itself are compiled as well' },
    ...[...names].map((name) => ({ text: `env ${name};`, why: 'nginx hides its environment from Lua otherwise' })),
  ];
}

const always: readonly Directive[] = [
  {
    text: `lua_package_path "${modules}/?.lua;${modules}/?/init.lua;;";`,
    why: 'the folder that holds guard/; it may stand once, so add it to yours if you have one',
  },
  {
    text: 'rewrite_by_lua_no_postpone on;',
    why: 'the guard runs before `return` and `rewrite` of a location; behind them it would not see what they answer',
  },
  { text: 'lua_check_client_abort on;', why: 'an answer that is held ends when its client leaves' },
  {
    text: 'lua_transform_underscores_in_response_headers off;',
    why: 'names of headers in the policy are sent as they stand there',
  },
  { text: 'lua_regex_match_limit 100000;', why: 'a pattern that takes longer blocks the request' },
  { text: 'lua_regex_cache_max_entries 4096;', why: 'every pattern is compiled once for each worker' },
  { text: 'large_client_header_buffers 4 32k;', why: 'the guard judges long targets, not nginx' },
];

const dictionary: Directive = {
  text: 'lua_shared_dict guard 1m;',
  why: 'what all workers have to know: how many requests are held, and the secret where the policy has none',
};
const certificates: readonly Directive[] = [
  { text: 'lua_ssl_trusted_certificate /etc/ssl/certs/ca-certificates.crt;', why: 'whom the guard trusts over https' },
  { text: 'lua_ssl_verify_depth 4;', why: 'chains of certificates with intermediates' },
];

/** What nginx keeps of a body in memory by itself, bytes (two pages of 8 KiB). */
const ownBodyBuffer = 16 * 1024;

/** Bodies within the buffer are inspected without a file in between. */
function bodyBuffer(policies: readonly Policy[]): readonly Directive[] {
  const bytes = Math.max(0, ...policies.filter(({ checkBody }) => checkBody).map(({ maxBodyBytes }) => maxBodyBytes));
  if (bytes <= ownBodyBuffer) return [];
  const text = `client_body_buffer_size ${Math.ceil(bytes / 1024)}k;`;
  return [{ text, why: 'what is inspected of a body stays in memory' }];
}

/** For the http block; without a resolver, which only the user can name. */
export function httpDirectives(policies: readonly Policy[]): readonly Directive[] {
  return [
    ...always,
    ...(policies.some(needs.sharedDict) ? [dictionary] : []),
    ...(policies.some(needs.certificates) ? certificates : []),
    ...bodyBuffer(policies),
  ];
}

/** One policy of a proxy; the one without a name is that of `check()`. */
export interface Named {
  readonly policy: Policy;
  readonly name?: string;
}

const argument = (name: string | undefined): string[] => (name === undefined ? [] : [luaString(name)]);

function init({ policy, name }: Named): string {
  const table = luaValue(snakeCaseKeys(sparse(policy)), '    ');
  return `    require("guard").init(${[table, ...argument(name)].join(', ')})\n`;
}

export const initBlock = (named: readonly Named[]): string => `init_by_lua_block {\n${named.map(init).join('')}}\n`;

export const checkBlock = (name?: string): string =>
  `rewrite_by_lua_block {\n    require("guard").check(${argument(name).join('')})\n}\n`;

const explained = ({ text, why }: Directive): string => `# ${why}\n${text}\n`;

const resolverNote = `# The policy asks a server by its name. If the http block has no resolver yet, name yours:
# resolver 127.0.0.53;
`;

function head(policy: Policy): string {
  const above = mainDirectives([policy]).map(({ text, why }) => `#     ${text}  # ${why}\n`);
  return `# Request Guard in nginx with its Lua module (Debian: libnginx-mod-http-lua, or OpenResty).
# This file belongs into the http block: save it as /etc/nginx/conf.d/guard.conf, or include it there.
# Outside of every block, at the top of nginx.conf, belong:
${above.join('')}`;
}

/** The file for the http block; comments say what belongs elsewhere. */
export function generateNginx(policy: Policy): Generated {
  const parts = [
    head(policy),
    `${httpDirectives([policy]).map(explained).join('')}${needs.resolver(policy) ? resolverNote : ''}`,
    `# The policy. nginx runs one such block: add the line to yours if you have one.\n${initBlock([{ policy }])}`,
    `# Every server and location below inherits this, unless it has a rewrite_by_lua of its own: then call it there first.\n${checkBlock()}`,
  ];
  return { text: parts.join('\n') };
}
