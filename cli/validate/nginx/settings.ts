/** Finds missing directives that the policies need. */
import { isMode, type ModeRow, modes } from '../../../contract/policy/modes.ts';
import { type Config, directivesOf, namedDirectives } from './config.ts';
import { type Check, type Finding, inits, policyText } from './finding.ts';

function needsOf(config: Config) {
  const text = policyText(config);
  const used = [...text.matchAll(/\bmode\s*=\s*"(\w+)"/g)].map(([, name = '']) => name).filter(isMode);
  const urls = [...text.matchAll(/\b(?:proxy_url|verify_url)\s*=\s*"([^"]*)"/g)].map(([, url = '']) => url);
  const verifies = used.includes('captcha') && /\bsecret_key\b/.test(text);
  const asks = used.includes('proxy') ? urls : verifies ? [...urls, 'https://provider.invalid'] : [];
  return {
    holds: used.some((mode) => (modes[mode] as ModeRow).holdsRequests),
    resolver: asks.some((url) => !/^https?:\/\/(?:[\d.]+|\[)(?:[:/]|$)/.test(url)),
    certificates: asks.some((url) => url.startsWith('https:')),
    variables: [...text.matchAll(/"\$\{(\w+)\}"/g)].map(([, name = '']) => name),
  };
}

interface Setting {
  readonly name: string;
  readonly isNeeded: (needs: ReturnType<typeof needsOf>) => boolean;
  readonly isGood: (args: readonly string[]) => boolean;
  readonly level: Finding['level'];
  readonly message: string;
  readonly text: string;
}

const kibibytes = (size = '0'): number => {
  const [, count = '0', unit = ''] = /^(\d+)([km]?)$/i.exec(size) ?? [];
  return Number(count) * ({ '': 1 / 1024, k: 1, m: 1024 }[unit.toLowerCase()] ?? 0);
};

const settings: readonly Setting[] = [
  {
    name: 'lua_shared_dict',
    isNeeded: ({ holds }) => holds,
    isGood: ([zone]) => zone === 'guard',
    level: 'warning',
    message: 'the response mode holds requests, and without a shared dictionary each worker counts only its own',
    text: 'lua_shared_dict guard 1m;',
  },
  {
    name: 'lua_check_client_abort',
    isNeeded: ({ holds }) => holds,
    isGood: ([state]) => state === 'on',
    level: 'warning',
    message: 'the response mode holds requests, and nginx keeps holding them after the client disconnects',
    text: 'lua_check_client_abort on;',
  },
  {
    name: 'lua_regex_match_limit',
    isNeeded: () => true,
    isGood: ([limit]) => Number(limit) > 0,
    level: 'warning',
    message: 'nothing limits the time of a pattern search',
    text: 'lua_regex_match_limit 100000;',
  },
  {
    name: 'large_client_header_buffers',
    isNeeded: () => true,
    isGood: ([count, size]) => Number(count) >= 4 && kibibytes(size) >= 32,
    level: 'warning',
    message: 'nginx refuses long targets with 414 and without an event',
    text: 'large_client_header_buffers 4 32k;',
  },
  {
    name: 'resolver',
    isNeeded: ({ resolver }) => resolver,
    isGood: ([address]) => address !== undefined,
    level: 'problem',
    message: 'the policy connects to a server by name without a resolver: these requests get 502, or no captcha pass',
    text: 'resolver 127.0.0.53;',
  },
  {
    name: 'lua_ssl_trusted_certificate',
    isNeeded: ({ certificates }) => certificates,
    isGood: ([file]) => file !== undefined,
    level: 'problem',
    message: 'the policy connects to a server over https, and nginx trusts no certificate authority',
    text: 'lua_ssl_trusted_certificate /etc/ssl/certs/ca-certificates.crt;',
  },
];

function* findMissingSettings(config: Config): Iterable<Finding> {
  const needs = needsOf(config);
  for (const { name, isNeeded, isGood, level, message, text } of settings) {
    const found = directivesOf(config, name);
    if (!isNeeded(needs) || found.some(({ args }) => isGood(args))) continue;
    const line = found[0]?.line ?? config.line;
    yield { level, kind: 'setting', line, path: name, message, hint: `put \`${text}\` in the http block` };
  }
}

function* findMissingVariables(config: Config): Iterable<Finding> {
  const declared = namedDirectives(config.main, 'env').map(({ args }) => args[0]?.split('=')[0]);
  for (const name of new Set(needsOf(config).variables))
    if (!declared.includes(name))
      yield {
        ...{ level: 'problem', kind: 'environment', line: inits(config)[0]?.line ?? 1, path: `\${${name}}` },
        message: 'the policy reads this variable, but nginx hides it from Lua',
        hint: `put \`env ${name};\` at the top of nginx.conf`,
      };
}

export const settingChecks: readonly Check[] = [findMissingSettings, findMissingVariables];
