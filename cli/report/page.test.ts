/** Tests that the page escapes hostile events, loads nothing, and has a bounded size. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runCaptured } from '../testing/captured.ts';
import { scratch } from '../testing/scratch.ts';
import { suspectList } from './lists.ts';
import type { ReportResult } from './result.ts';
import { auditLine, blockLine, linesText, minutesAgo, now } from './testing/examples.ts';

const run = async (stdin: string, ...argv: readonly string[]): Promise<string> =>
  (await runCaptured(['dashboard', 'report', '-', ...argv], { now, stdin })).stdout;

const texts = [
  '<script>alert(1)</script>',
  '"onmouseover="x',
  "'><img src=x>",
  '{{constructor.constructor("x")()}}',
  '\x1b[2J\x07\x9b',
  '\u202etxt\u2028\ufeff',
  '</title></style><base href=//x>',
  '__proto__',
  'constructor',
  '&lt;b&gt;',
];
const hostile = linesText(
  texts.flatMap((text, index) => [
    blockLine({ path: text, rule_id: text, gateway: text, client_ip: `192.0.2.${index}` }),
    auditLine({ reason: text, client_ip: `192.0.2.${index}` }),
  ]),
);

const tags = /<(\/?[a-z][a-z0-9]*|!doctype)((?:\s+[a-zA-Z:-]+(?:="[^"]*")?)*)\s*\/?>/g;
/** Elements and attributes that the page may have. None of them loads or runs anything. */
const elements = new Set(
  (
    '!doctype html head meta title style body header nav main section h1 h2 p a ul li dl dt dd div table caption thead ' +
    'tbody tr th td svg path rect text desc details summary span br time code'
  ).split(' '),
);
const attributes = new Set(
  (
    'lang html charset http-equiv content name id class role tabindex scope href aria-label aria-labelledby aria-hidden ' +
    'viewBox width height d x y dy text-anchor data-title'
  ).split(' '),
);

/** Returns the text of a page without its tags. Fails at a tag or an attribute that is not in the lists. */
function textOf(page: string): string {
  return page.replace(/<style>[\s\S]*?<\/style>/, '').replace(tags, (_, name: string, rest: string) => {
    assert.ok(elements.has(name.replace('/', '')), name);
    for (const [, attribute = ''] of rest.matchAll(/([a-zA-Z:-]+)(?:="[^"]*")?/g))
      assert.ok(attributes.has(attribute), attribute);
    return '';
  });
}

describe('hostile events', () => {
  it('leave no markup but that of the page', async () => {
    const page = await run(hostile);
    assert.equal(textOf(page).match(/[<>"']/), null);
    assert.ok(page.includes('&lt;script&gt;alert(1)&lt;/script&gt;'));
  });
  it('leave no control character and no invisible one', async () => {
    const page = await run(hostile);
    assert.equal(page.match(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ufeff]/), null);
    assert.ok(page.includes('\\x1b[2J'));
  });
  it('leave the names of prototypes names', async () => {
    const { rules } = JSON.parse(await run(hostile, '--json')) as ReportResult;
    for (const name of ['__proto__', 'constructor'])
      assert.equal(rules.rows.filter(({ rule, count }) => rule === name && count === 1).length, 2, name);
  });
});

describe('the page', () => {
  it('loads nothing and runs nothing', async () => {
    const page = await run(hostile);
    assert.match(page, /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-/);
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
    assert.ok(style.length > 0);
    assert.equal(style.match(/url\(|@import|[<\\]/), null);
    for (const [, target = ''] of page.matchAll(/\shref="([^"]*)"/g)) assert.match(target, /^#[a-z-]+$/);
  });
  it('names each chart, and has its numbers in a table', async () => {
    const page = await run(linesText([blockLine(), blockLine({ timestamp: minutesAgo(0), rule_id: 'other' })]));
    assert.equal(page.match(/<svg class="chart"[^>]* role="img" aria-labelledby=/g)?.length, 2);
    assert.ok(page.includes('<caption>Blocked over time by rule: requests in 1 minute'));
    const tables = page.split('<details>').slice(1);
    assert.equal(tables.length, 2);
    for (const one of tables) assert.match(one, /<th scope="row"><time>2026-11-21 23:50<\/time><\/th>/);
  });
  it('says which charts and lists also count requests in mode detect', async () => {
    const note =
      /<h2 id="([a-z-]+)">[^<]*<\/h2>\n<p>Also counts the requests that a policy in mode detect only reported\.<\/p>/g;
    const noted = (page: string) => Array.from(page.matchAll(note), ([, id]) => id);
    const detected = blockLine({ type: 'guard_detect' });
    assert.deepEqual(noted(await run(linesText([blockLine(), detected]))), ['time', 'time-rules', 'paths']);
    assert.deepEqual(noted(await run(linesText([blockLine()]))), []);
  });
  it('has the name of the site', async () => {
    const page = await run('', '--site', '<b>shop.example\x1b');
    assert.match(page, /<h1>What was blocked at &lt;b&gt;shop\.example\\x1b<\/h1>/);
    assert.match(page, /<title>What was blocked at &lt;b&gt;shop/);
  });
  it('has a page without events too', async () => {
    const page = await run('');
    assert.match(page, /No events\./);
    assert.match(page, /<h2 id="paths">Paths<\/h2>\n<p>None\.<\/p>/);
  });
  it('says what a list leaves out', async () => {
    const page = await run(linesText(Array.from({ length: 80 }, (_, index) => blockLine({ path: `/p${index}` }))));
    assert.match(page, /The first 50 of 80 paths\./);
    assert.equal(page.match(/<th scope="row">\/p\d+<\/th>/g)?.length, 50);
  });
});

describe('more different values than are counted', () => {
  /** Yields events. A quarter of them have the same address, path and rule. The others differ in address and path. */
  function* events(): Generator<string> {
    const [name, long] = ['<"\u202e'.repeat(20), '<"\u202e'.repeat(60)];
    for (let index = 0; index < 40_000; index += 1) {
      const client_ip = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
      const often = index % 4 === 0 ? { client_ip: '192.0.2.1', path: '/.env', rule_id: 'env-file' } : {};
      yield blockLine({
        ...{ client_ip, timestamp: minutesAgo(index / 10), gateway: `${index % 50}${name}` },
        ...{ rule_id: `${index % 500}${name}`, path: `/${index}${long}`, ...often },
      });
    }
  }
  it('leave the page below 1 MB, and the counts of the list right', async () => {
    const cwd = scratch();
    const argv = ['dashboard', 'report', '-', '--json', '-o', 'page.html'];
    const { stdout } = await runCaptured(argv, { now, cwd, stdin: linesText([...events()]) });
    const page = readFileSync(join(cwd, 'page.html'), 'utf8');
    assert.ok(page.length < 1_000_000, `${page.length}`);
    assert.ok(page.includes('There were more different addresses than are counted one by one'));
    const { addresses, paths, rules, totals } = JSON.parse(stdout) as ReportResult;
    assert.equal(totals.blocked, 40_000);
    const firsts = [addresses.rows[0], paths.rows[0], rules.rows[0]];
    for (const { count, missed } of firsts as { count: number; missed: number }[])
      assert.ok(count <= 10_000 && 10_000 <= count + missed, `${count} ${missed}`);
    assert.deepEqual(
      [addresses.rows[0]?.address, paths.rows[0]?.path, rules.rows[0]?.rule],
      ['192.0.2.1', '/.env', 'env-file'],
    );
  });
});

it('draws no bar that is wider than its column, also where another column orders the rows', () => {
  const row = { layer: 'gateway', rule: 'one', blocked: 1, detected: 0, clients: 2, clientsExact: true } as const;
  const more = { ...{ count: 1, missed: 0, perClient: 1, paths: [], reference: null } };
  const { html } = suspectList([
    { ...row, ...more },
    { ...row, ...more, rule: 'two', clients: 1, count: 50 },
  ]);
  const widths = [...html.matchAll(/<rect class="s0" width="([\d.]+)"/g)].map(([, width]) => Number(width));
  assert.deepEqual([widths.length, Math.max(...widths)], [2, 80]);
});
