/** The table in the kernel, with the real nft. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { until } from '../../platform/testing/until.ts';
import { type Prefix, readPrefix } from '../address/prefix.ts';
import { temporaryFolder } from '../testing/daemon.ts';
import { skip } from '../testing/kernel-bans.ts';
import { openGeneration } from './generation.ts';
import type { ListName } from './kernel-bans.ts';
import { flushTable } from './listed.ts';
import { ownerOf } from './ruleset.ts';
import { type Fixed, KernelTable } from './table.ts';

const nft = (...args: string[]): string => execFileSync('nft', args, { encoding: 'utf8', stdio: 'pipe' });
/** The tables without the counters of elements. */
const tableNow = (): string => nft('list', 'ruleset', 'inet').replaceAll(/ counter packets \d+ bytes \d+/g, '');

const fixed: Fixed = { scope: 'host', owner: ownerOf('/a'), exempt: [], ports: [], lists: ['ban', 'threatfeed'] };

const port = { service: 'a', host: '0.0.0.0', port: 4711, isTarpit: false, proxies: [] };

/** `count` addresses of one network. */
const many = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `198.18.${index >> 8}.${index & 255}`);

function prefixOf(text: string): Prefix {
  const prefix = readPrefix(text);
  assert.ok(prefix);
  return prefix;
}

/** Sends one packet of a new connection from an address of this host. */
function probe(from: string, to: number): void {
  const host = from.includes(':') ? '::1' : '127.0.0.1';
  const code = `require('node:net').connect({ host: '${host}', port: ${to}, localAddress: '${from}' }).setTimeout(300, () => process.exit()).on('error', () => {})`;
  execFileSync(process.execPath, ['-e', code]);
}

function createTable(t: TestContext, { over = fixed, now = Date.now, deletes = true } = {}) {
  const faults: string[] = [];
  const generation = openGeneration();
  /** `asked`: how often the generation was read. */
  const state = { fixed: over, asked: 0 };
  const table = new KernelTable({
    now,
    fault: (message) => faults.push(message),
    fixed: () => state.fixed,
    generation: () => {
      state.asked += 1;
      return generation();
    },
    dropped: () => {},
  });
  t.after(async () => {
    await table.close(deletes);
    await flushTable().catch(() => {});
  });
  const list = (text: string, leftMs: number, source: ListName = 'ban') => {
    table.listed({ source, prefix: prefixOf(text), until: leftMs === 0 ? 0 : now() + leftMs });
  };
  return { table, list, faults, state };
}

/** Puts an nft before the real one on the path. Returns a function that ends that. */
function replaceNft(t: TestContext, scriptOf: (real: string, folder: string) => string): () => void {
  const folder = temporaryFolder();
  const real = execFileSync('sh', ['-c', 'command -v nft'], { encoding: 'utf8' }).trim();
  writeFileSync(join(folder, 'nft'), `#!/bin/sh\n${scriptOf(real, folder)}\n`);
  chmodSync(join(folder, 'nft'), 0o755);
  const { PATH } = process.env;
  process.env.PATH = `${folder}${delimiter}${PATH}`;
  const accept = () => {
    process.env.PATH = PATH;
  };
  t.after(accept);
  return accept;
}

/** Makes nft refuse what has a text. */
const refuseText = (t: TestContext, text: string): (() => void) =>
  replaceNft(
    t,
    (real) => `[ "$1" = -f ] || exec ${real} "$@"
input=$(cat)
case $input in *'${text}'*) echo 'Error: refused' >&2; exit 1 ;; esac
printf '%s\\n' "$input" | ${real} -f -`,
  );

/** Returns a function that counts how often the daemon listed the table since now. */
function countListings(t: TestContext): () => number {
  const log = join(temporaryFolder(), 'listings');
  writeFileSync(log, '');
  replaceNft(t, (real) => `[ "$1" != --terse ] || echo >>${log}\nexec ${real} "$@"`);
  return () => readFileSync(log).length;
}

test('networks overlap, ends change in both directions, and what is lifted is gone', { skip }, async (t) => {
  const { table, list } = createTable(t);
  for (const network of ['192.0.2.0/24', '192.0.2.7', '2001:db8::/32', '2001:db8:1::/48']) list(network, 3_600_000);
  list('198.51.100.1', Number.POSITIVE_INFINITY);
  table.begin();
  await until(() => table.isWritten);
  const text = tableNow();
  for (const one of ['192.0.2.0 timeout', '192.0.2.7 timeout', '2001:db8:: timeout', '2001:db8:1:: timeout'])
    assert.ok(text.includes(one), one);
  assert.match(text, /198\.51\.100\.1 }/);
  list('192.0.2.7', 7_200_000);
  list('192.0.2.0/24', 60_000);
  list('198.51.100.1', 0);
  list('203.0.113.0/25', 60_000, 'threatfeed'); // a set that is new
  await until(() => tableNow().includes('203.0.113.0 timeout'));
  assert.match(tableNow(), /192\.0\.2\.7 timeout 2h/);
  assert.match(tableNow(), /192\.0\.2\.0 timeout 1m/);
  assert.ok(!tableNow().includes('198.51.100.1'));
  assert.equal(table.entryCount, 5);
});

test('the packets of each ban are counted, also beside many others and when one has ended in the kernel', {
  skip,
}, async (t) => {
  const { table, list } = createTable(t, { over: { ...fixed, scope: 'services', ports: [port] } });
  const networks = ['127.0.0.2', '127.0.3.0/24', '::1', '192.0.2.7', ...many(3000)];
  const counted = (...texts: string[]) =>
    table.packetsOf(texts.map((text) => ({ list: 'ban' as const, prefix: prefixOf(text) })));
  for (const network of networks) list(network, 3_600_000);
  table.begin();
  await until(() => table.isWritten);
  for (const from of ['127.0.0.2', '127.0.3.9', '127.0.3.9', '::1']) probe(from, port.port);
  nft('delete', 'element', 'inet', 'request_guard', 'ban_v4_32', '{ 192.0.2.7 }');
  const countOf = async (text: string): Promise<number> => (await counted(text))[0] ?? -1;
  await until(async () => (await countOf('::1')) > 0);
  // A busy machine sends a packet again.
  const [address = 0, network = 0, , ended, silent, absent] = await counted(...networks.slice(0, 5), '198.51.100.1');
  assert.deepEqual([address >= 1, network >= 2, ended, silent, absent], [true, true, 0, 0, undefined]);

  const real = performance.now.bind(performance);
  let ahead = 0;
  t.mock.method(performance, 'now', () => real() + ahead);
  probe('127.0.0.2', port.port);
  ahead += 3_600_000;
  await until(async () => (await countOf('127.0.0.2')) > address);
  const last = await countOf('127.0.0.2');
  list('127.0.0.2', 7_200_000); // its counter begins again
  await until(() => /127\.0\.0\.2 .*timeout 2h/.test(tableNow()));
  ahead += 3_600_000;
  await until(async () => (await countOf('127.0.0.2')) >= last);
  probe('127.0.0.2', port.port);
  ahead += 3_600_000;
  await until(async () => (await countOf('127.0.0.2')) > last);
  list('127.0.0.2', 0);
  list('127.0.0.2', 3_600_000);
  assert.equal(await countOf('127.0.0.2'), 0);
});

test('a table that another program removed or changed is written again', { skip }, async (t) => {
  const { table, list } = createTable(t);
  list('192.0.2.7', 3_600_000);
  table.begin();
  for (const change of ['flush ruleset', 'flush table inet request_guard', 'add chain inet request_guard more']) {
    await until(() => table.isWritten && tableNow().includes('192.0.2.7'));
    nft(...change.split(' '));
    table.configure(); // as the timer does
    table.configure(); // the first one may have failed, when the table changed while it was written
    await until(() => /@ban_v4_32 goto/.test(tableNow()) && !tableNow().includes('chain more'));
  }
});

test('an unchanged table is listed each minute, and another one at the next check', { skip }, async (t) => {
  if (openGeneration()() === undefined) return t.skip('this Node calls no C, or the kernel has no nf_tables');
  t.after(() => {
    nft('add', 'table', 'inet', 'other'); // nft 1.0.6 cannot delete one that is absent
    nft('delete', 'table', 'inet', 'other');
  });
  const real = performance.now.bind(performance);
  let ahead = 0;
  t.mock.method(performance, 'now', () => real() + ahead);
  const listings = countListings(t);
  const { table, list, state } = createTable(t);
  list('192.0.2.7', 3_600_000);
  table.begin();
  await until(() => table.isWritten);
  let last = 7;
  /** Returns how often three checks list the table after a change. */
  const listed = async (change: () => void): Promise<number> => {
    const [start, askedBefore] = [listings(), state.asked];
    table.configure(); // as the timer does: lists the table, which is as it was written
    table.configure(); // begins when the table was listed
    await until(() => state.asked === askedBefore + 3);
    change();
    for (let count = 0; count < 3; count++) table.configure();
    list(`192.0.2.${++last}`, 3_600_000); // is written after the checks
    await until(() => tableNow().includes(`192.0.2.${last} timeout`));
    return listings() - start - 1;
  };
  assert.equal(await listed(() => {}), 0);
  assert.equal(await listed(() => nft('add', 'table', 'inet', 'other')), 1);
  assert.equal(await listed(() => (ahead += daemonBounds.nftQuietMs)), 1);
});

test('a table of another program or another daemon is left alone, with the reason', { skip }, async (t) => {
  for (const [chain, owner] of [
    ['input', 'another program'],
    [ownerOf('/b'), 'a tcp-guard with another global.data_dir'],
  ]) {
    nft('add', 'table', 'inet', 'request_guard');
    nft('add', 'chain', 'inet', 'request_guard', `${chain}`);
    const before = tableNow();
    const { table, list, faults } = createTable(t);
    list('192.0.2.7', 3_600_000);
    table.begin();
    await until(() => faults.length > 0);
    assert.match(faults[0] ?? '', new RegExp(`^the table inet request_guard belongs to ${owner}`));
    assert.equal(tableNow(), before);
    nft('delete', 'table', 'inet', 'request_guard');
    table.configure();
    await until(() => table.isWritten);
    assert.equal(table.problem, undefined);
    await table.close(true);
  }
});

test('an element that nft refuses costs no other one, at the start and later', { skip }, async (t) => {
  const accept = refuseText(t, '192.0.2.77');
  const { table, list } = createTable(t);
  for (let index = 0; index < 200; index++) list(`192.0.2.${index}`, 3_600_000);
  table.begin();
  await until(() => table.isWritten);
  assert.deepEqual([table.entryCount, table.leftOutCount], [199, 1]);
  assert.equal(tableNow().match(/192\.0\.2\.\d+ timeout/g)?.length, 199);
  list('192.0.2.77', 60_000);
  list('198.51.100.1', 60_000);
  await until(() => tableNow().includes('198.51.100.1'));
  await until(() => table.leftOutCount === 1);
  accept();
  await until(() => {
    table.configure(); // as the timer does
    return table.leftOutCount === 0;
  }, 'the refused element to be written again');
  assert.ok(tableNow().includes('192.0.2.77 timeout'));
});

test('takes over the table of an earlier process, also when all of its elements changed', { skip }, async (t) => {
  const first = createTable(t, { deletes: false });
  first.list('192.0.2.7', 3_600_000);
  first.table.begin();
  await until(() => first.table.isWritten);
  await first.table.close(false);
  assert.ok(tableNow().includes('192.0.2.7'), 'it stays');
  const next = createTable(t);
  next.list('192.0.2.8', 3_600_000);
  next.table.begin();
  await until(() => next.table.isWritten);
  assert.ok(!tableNow().includes('192.0.2.7'));
  assert.ok(tableNow().includes('192.0.2.8'));
});

test('an nft that is absent is a problem until it works', { skip }, async (t) => {
  const { PATH } = process.env;
  const { table, list } = createTable(t);
  list('192.0.2.7', 3_600_000);
  process.env.PATH = temporaryFolder();
  t.after(() => {
    process.env.PATH = PATH;
  });
  table.begin();
  await until(() => table.problem !== undefined);
  assert.equal(table.problem, 'nft is not installed');
  process.env.PATH = PATH;
  table.configure();
  await until(() => table.isWritten);
  assert.equal(table.problem, undefined);
});

test('elements of lists that are not enforced are deleted', { skip }, async (t) => {
  const { table, list, state } = createTable(t);
  list('192.0.2.7', 3_600_000);
  list('192.0.2.8', 3_600_000, 'threatfeed');
  table.begin();
  await until(() => table.isWritten);
  assert.ok(tableNow().includes('192.0.2.8'));
  state.fixed = { ...fixed, lists: ['ban'] };
  table.configure();
  await until(() => !tableNow().includes('192.0.2.8'));
  assert.ok(tableNow().includes('192.0.2.7'));
});
