/** Recognizes files of other programs, which users pass in place of a policy or of tcp-guard.yaml. */
import type { Fault } from './tree.ts';

interface Kind {
  readonly what: string;
  /** Matches from the start of a line. Each part ends within its line or has a bound, so that the search is linear. */
  readonly pattern: RegExp;
  readonly hint: string;
}

const kinds: readonly Kind[] = [
  {
    what: 'a configuration of nginx',
    pattern:
      /^[ \t]*(?:(?:http|events|server|location|upstream)\b[^:;{}\n]*\{|(?:user|listen|server_name|worker_processes|load_module|include|proxy_pass)[ \t][^;\n]*;[ \t\r]*$)/m,
    hint: 'check all of it: nginx -T | guardcli validate --nginx -',
  },
  {
    what: 'an INI or TOML file',
    pattern: /^[ \t]*\[\[?\w[\w. -]*\]\]?[ \t\r]*$(?=[^=:]{0,200}=)/m,
    hint: 'pass guard.json or tcp-guard.yaml; docs/coming-from.md lists what replaces the keys of fail2ban',
  },
  {
    what: 'a Caddyfile',
    pattern: /^[ \t]*(?:(?:reverse_proxy|file_server|handle|respond|guard)\b[^;{\n"]*\{?|[\w*.:-]+[ \t]\{)[ \t\r]*$/m,
    hint: 'pass the policy in it; caddy validate checks the Caddyfile',
  },
];

/** Returns the fault of a text that another program reads, or undefined. Only for texts that contain no object. */
export function foreignFault(text: string): Fault | undefined {
  for (const { what, pattern, hint } of kinds) {
    const found = pattern.exec(text);
    const message = `expected a policy or a configuration of tcp-guard, found ${what}`;
    if (found) return { offset: found.index + found[0].search(/\S/), message, hint };
  }
  return undefined;
}
