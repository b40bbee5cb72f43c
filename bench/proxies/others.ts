/**
 * Compares the guard with other tools in the same nginx: what they find, which honest requests they block, and what a
 * request costs. docs/comparison.md has the results.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedRequest } from '../../conformance/applications/recorded.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import type { Row } from '../measure/row.ts';
import { type Content, fixedResponse, modules, proxyTo, startNginx } from './nginx.ts';
import { statusesOf } from './others/ask.ts';
import { conformanceTargets, honestRequests, restrictedFiles } from './others/requests.ts';
import { type Running, sideBySide } from './side-by-side.ts';

/** Debian's settings with the engine on. The audit log is off, because only the guard would have none. */
const coreRules = `Include /etc/nginx/modsecurity.conf
SecRuleEngine On
SecAuditEngine Off
Include /etc/modsecurity/crs/crs-setup.conf
Include /usr/share/modsecurity-crs/rules/*.conf
`;

/** Filters of fail2ban that read access logs. */
const filters = ['nginx-botsearch', 'nginx-bad-request', 'php-url-fopen', 'apache-badbots'];

interface Lists {
  readonly 'conformance data': readonly RecordedRequest[];
  readonly 'restricted files of the Core Rule Set': readonly RecordedRequest[];
  readonly 'honest requests of browsers': readonly RecordedRequest[];
}

const refused = (statuses: readonly number[]): number => statuses.filter((status) => status === 403).length;

const row = (name: string, count: number, total: number): Row => ({
  ...{ name, measured: `${count} of ${total}`, ratio: count / total, budget: 'reported', holds: true },
});

/** Drops what nginx itself refuses, such as a malformed escape. */
async function reaching(bare: Running, requests: readonly RecordedRequest[]): Promise<RecordedRequest[]> {
  const statuses = await statusesOf(bare.url, requests);
  return requests.filter((_, index) => statuses[index] === 200);
}

async function* rowsOfTool(tool: string, { url }: Running, lists: Lists): AsyncGenerator<Row> {
  for (const [list, requests] of Object.entries(lists) as [string, RecordedRequest[]][])
    yield row(`${tool}, ${list}: blocked`, refused(await statusesOf(url, requests)), requests.length);
}

/** Returns the number of lines that at least one filter matches. */
function matchedLines(log: string): number {
  const lines = filters.flatMap((filter) => {
    const args = ['--print-all-matched', log, `/etc/fail2ban/filter.d/${filter}.conf`];
    const output = execFileSync('fail2ban-regex', args, { encoding: 'utf8', maxBuffer: 1e8 });
    return output.split('\n').filter((line) => /^\|\s+127\.0\.0\.1 - /.test(line));
  });
  return new Set(lines).size;
}

/** fail2ban sees what was answered: a missing page for a scanner, a page for a browser. */
async function* rowsOfFail2ban(folder: string, lists: Lists): AsyncGenerator<Row> {
  for (const [list, requests] of Object.entries(lists) as [string, RecordedRequest[]][]) {
    const log = join(folder, `${list.replaceAll(' ', '-')}.log`);
    const status = list.startsWith('honest') ? '200 ok' : '404';
    const location = `access_log ${log} combined; return ${status};`;
    {
      await using server = await startNginx(folder, undefined, { location });
      await statusesOf(server.url, requests);
    }
    const written = readFileSync(log, 'utf8').trimEnd().split('\n').length;
    yield row(`fail2ban, ${list}: matched lines`, matchedLines(log), written);
  }
}

export async function* benchOthers(): AsyncGenerator<Row> {
  const folder = scratchFolder('guard-bench-');
  const rules = join(folder, 'core-rules.conf');
  writeFileSync(rules, coreRules);
  await using backend = await startNginx(folder, undefined, fixedResponse);
  const content = proxyTo(backend);
  const withRules: Content = {
    ...content,
    load: `load_module ${modules}/ngx_http_modsecurity_module.so;`,
    upstream: `${content.upstream} modsecurity on; modsecurity_rules_file ${rules};`,
  };
  await using bare = await startNginx(folder, undefined, content);
  await using guarded = await startNginx(folder, '{}', content);
  await using ruled = await startNginx(folder, undefined, withRules);
  const lists: Lists = {
    'conformance data': await reaching(bare, conformanceTargets()),
    'restricted files of the Core Rule Set': await reaching(bare, restrictedFiles()),
    'honest requests of browsers': await reaching(bare, honestRequests()),
  };
  yield* rowsOfTool('guard', guarded, lists);
  yield* rowsOfTool('Core Rule Set', ruled, lists);
  yield* rowsOfFail2ban(folder, lists);
  const page = (nginx: Running): Running => ({ ...nginx, url: `${nginx.url}/shop/products/lamp?page=2` });
  yield* await sideBySide('guard in nginx', 0, page(bare), page(guarded));
  yield* await sideBySide('Core Rule Set in nginx', 0, page(bare), page(ruled));
}
