/** Finds directives that read the protocol of an upgrade before the guard removes it. */
import { type Config, directivesOf } from './config.ts';
import type { Check } from './finding.ts';

/** Directives of nginx that run before the hook of the guard, or with it in the order of its phase. */
const early = ['set', 'if', 'rewrite', 'return'];

/** Names of variables, without `$`, whose value comes from the header: `http_upgrade`, and maps of it. */
function protocolNames({ http }: Config): string[] {
  const names = ['http_upgrade'];
  // nginx reads a map at the first use of its variable, and a map can read another one.
  const maps = http.filter(({ name }) => name === 'map');
  for (const { args } of [...maps, ...maps]) {
    const [source = '', variable = ''] = args;
    if (names.some((name) => isRead(source, name))) names.push(variable.replace(/^\$/, ''));
  }
  return [...new Set(names)];
}

/** Whether a text has this variable, such as `$http_upgrade` or `${http_upgrade}`. */
const isRead = (text: string, name: string): boolean =>
  text.split('$').some((part, index) => index > 0 && /^\{?(\w+)/.exec(part)?.[1] === name);

function* findEarlyReads(config: Config): ReturnType<Check> {
  const names = protocolNames(config);
  for (const directive of directivesOf(config, ...early)) {
    const text = directive.args.join(' ');
    const name = names.find((one) => isRead(text, one));
    if (name === undefined) continue;
    yield {
      ...{ level: 'warning', kind: 'upgrade_read_early', line: directive.line, path: directive.name },
      message: `it reads $${name} before the guard, so the backend receives protocols that allow_upgrades does not have`,
      hint: 'use the variable only in proxy_set_header: see docs/nginx.md',
    };
  }
}

export const upgradeChecks: readonly Check[] = [findEarlyReads];
