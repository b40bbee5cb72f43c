/** Writes a policy as configuration of nginx with its Lua module. */

import { readsBodies } from '../../contract/policy/exploits.ts';
import { type ModeRow, modes } from '../../contract/policy/modes.ts';
import { reference } from '../../contract/policy/reference.ts';
import type { Policy } from '../../contract/policy/schema.ts';
import { snakeCaseKeys } from '../../contract/values/keys.ts';
import { luaString, luaValue } from './lua.ts';
import { sparsePolicy } from './sparse.ts';

export interface Directive {
  readonly text: string;
  readonly why: string;
}

/** LuaJIT of Debian and of OpenResty searches this folder by default. */
const luaFolder = '/usr/local/share/lua/5.1';

function urlsOf({ response }: Policy): URL[] {
  const { mode, proxyUrl, captcha } = response;
  if (mode === 'proxy' && proxyUrl !== undefined) return [new URL(proxyUrl)];
  if (mode !== 'captcha' || captcha?.secretKey === undefined) return [];
  // Without `verifyUrl`, any https URL with a host name is enough: it only decides which directives are needed.
  return [new URL(captcha.verifyUrl ?? 'https://captcha.invalid')];
}

const isAddress = ({ hostname }: URL): boolean => /^[\d.]+$|^\[/.test(hostname);

export const policyNeeds = {
  sharedDict: ({ response: { mode }, secret, securityLog }: Policy): boolean =>
    securityLog || (modes[mode] as ModeRow).holdsRequests || (mode === 'fake_success' && secret === undefined),
  resolver: (policy: Policy): boolean => urlsOf(policy).some((url) => !isAddress(url)),
  certificates: (policy: Policy): boolean => urlsOf(policy).some(({ protocol }) => protocol === 'https:'),
} as const;

function variableNames({ secret, response }: Policy): string[] {
  return [secret, response.captcha?.secretKey].flatMap((value) => /^\$\{(\w+)\}$/.exec(value ?? '')?.[1] ?? []);
}

/** Returns directives for the main context, outside of every block. */
export function mainDirectives(policies: readonly Policy[]): readonly Directive[] {
  const names = new Set(policies.flatMap(variableNames));
  return [
    { text: 'pcre_jit on;', why: 'nginx also compiles the patterns in its configuration' },
    ...[...names].map((name) => ({ text: `env ${name};`, why: 'without it nginx hides the variable from Lua' })),
  ];
}

const commonDirectives: readonly Directive[] = [
  {
    text: `lua_package_path "${luaFolder}/?.lua;${luaFolder}/?/init.lua;;";`,
    why: 'the folder that contains guard/; nginx accepts this directive once, so extend yours if you have one',
  },
  {
    text: 'rewrite_by_lua_no_postpone on;',
    why: 'the guard runs before `return` and `rewrite` of a location; otherwise it would not see requests that they answer',
  },
  { text: 'lua_check_client_abort on;', why: 'a held response ends when its client disconnects' },
  {
    text: 'lua_transform_underscores_in_response_headers off;',
    why: 'header names in the policy are sent verbatim',
  },
  { text: 'lua_regex_match_limit 100000;', why: 'a pattern that takes longer blocks the request' },
  { text: 'lua_regex_cache_max_entries 4096;', why: 'each worker compiles every pattern once' },
  { text: 'large_client_header_buffers 4 32k;', why: 'long targets reach the guard instead of a 414 from nginx' },
];

const dictionaryDirective: Directive = {
  text: 'lua_shared_dict guard 1m;',
  why: 'shared by all workers: the numbers of events and of held requests, and the secret if the policy has none',
};
const referenceVariable: Directive = {
  text: `map "" $${reference.field} { default ""; }`,
  why: 'a log_format that names the variable has the reference of a blocked request',
};
const certificateDirectives: readonly Directive[] = [
  {
    text: 'lua_ssl_trusted_certificate /etc/ssl/certs/ca-certificates.crt;',
    why: 'the certificate authorities that the guard trusts for https',
  },
  { text: 'lua_ssl_verify_depth 4;', why: 'certificate chains with intermediates' },
];

/** nginx's smallest default buffer for a body: two memory pages, which have 4 KiB each on x86-64. */
const defaultBodyBuffer = 8 * 1024;

function bodyBufferDirectives(policies: readonly Policy[]): readonly Directive[] {
  const bytes = Math.max(0, ...policies.filter(readsBodies).map(({ maxBodyBytes }) => maxBodyBytes));
  if (bytes <= defaultBodyBuffer) return [];
  const text = `client_body_buffer_size ${Math.ceil(bytes / 1024)}k;`;
  return [{ text, why: 'the inspected part of a body stays in memory' }];
}

/** Returns directives for the http block. The resolver is missing, because only the user can choose one. */
export function httpDirectives(policies: readonly Policy[]): readonly Directive[] {
  return [
    ...commonDirectives,
    ...(policies.some(policyNeeds.sharedDict) ? [dictionaryDirective] : []),
    ...(policies.some(({ securityLog }) => securityLog) ? [referenceVariable] : []),
    ...(policies.some(policyNeeds.certificates) ? certificateDirectives : []),
    ...bodyBufferDirectives(policies),
  ];
}

/** A policy for `check(name)` in Lua. `check()` without a name uses the policy without a name. */
export interface Named {
  readonly policy: Policy;
  readonly name?: string;
}

const nameArguments = (name: string | undefined): string[] => (name === undefined ? [] : [luaString(name)]);

function init({ policy, name }: Named): string {
  const table = luaValue(snakeCaseKeys(sparsePolicy(policy)), '    ');
  return `    require("guard").init(${[table, ...nameArguments(name)].join(', ')})\n`;
}

export const initBlock = (named: readonly Named[]): string => `init_by_lua_block {\n${named.map(init).join('')}}\n`;

export const checkBlock = (name?: string): string =>
  `rewrite_by_lua_block {\n    require("guard").check(${nameArguments(name).join('')})\n}\n`;

const commentedDirective = ({ text, why }: Directive): string => `# ${why}\n${text}\n`;

const resolverNote = `# The policy connects to a server by name. If the http block has no resolver, add yours:
# resolver 127.0.0.53;
`;

function headText(policy: Policy): string {
  const above = mainDirectives([policy]).map(({ text, why }) => `#     ${text}  # ${why}\n`);
  return `# Request Guard in nginx with its Lua module (Debian: libnginx-mod-http-lua, or OpenResty).
# This file belongs in the http block: save it as /etc/nginx/conf.d/guard.conf, or include it there.
# Add these lines at the top of nginx.conf, outside of every block:
${above.join('')}`;
}

/** Writes the file for the http block. Its comments list the lines for other places. */
export function generateNginx(policy: Policy): string {
  const parts = [
    headText(policy),
    `${httpDirectives([policy]).map(commentedDirective).join('')}${policyNeeds.resolver(policy) ? resolverNote : ''}`,
    `# The policy. nginx runs only one such block: if you have one, add the line to it.\n${initBlock([{ policy }])}`,
    `# Every server and location below inherits this, unless it has its own rewrite_by_lua: then call check() first in that one.\n${checkBlock()}`,
  ];
  return parts.join('\n');
}
