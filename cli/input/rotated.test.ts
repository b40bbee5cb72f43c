import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { scratch } from '../testing/scratch.ts';
import { inWrittenOrder, namedLogs, rotationOf } from './rotated.ts';

describe('the name of a rotated log', () => {
  const bases = {
    'access.log': ['access.log', 'access.log.1', 'access.log.14.gz', 'access.log.gz', 'access.log.1796000000'],
    'access.log ': ['access.log-20261129', 'access.log-20261129.gz', 'access.log-2026-11-29.gz', 'access.log.20261129'],
    'access.log  ': ['access-2026-11-29.log', 'access-20261129.log.gz', 'access-2026-11-29T13-50-09.123.log.gz'],
    'access.log   ': ['access.log-20261129-1796000000.gz', 'access.log-2026112913', 'access.log.2026-11-29-13_50_09'],
    access_log: ['access_log', 'access_log-20261129', 'access_log.2026-11-29'],
    'v2.example.com.log': ['v2.example.com.log', 'v2.example.com.log.3', 'v2.example.com-2026-11-29.log'],
    'api-20261399.log': ['api-20261399.log'], // the month 13
    'backup-2026.log': ['backup-2026.log'],
  };
  for (const [base, names] of Object.entries(bases))
    for (const name of names)
      it(`${name} has the base ${base.trim()}`, () => assert.equal(rotationOf(name).base, base.trim()));
});

describe('rotated logs', () => {
  const orders = [
    ['access.log.10.gz', 'access.log.2.gz', 'access.log.1', 'access.log'],
    ['access.log-20261130.gz', 'access.log-20261201', 'access.log'],
    ['access.log-20261120.gz', 'access.log-20261129-1796000000.gz', 'access.log-20261129-1796000500.gz', 'access.log'],
    ['a-2026-11-29.log.gz', 'a-2026-11-29T13-50-09.123.log.gz', 'a-2026-11-30T00-00-00.000.log', 'a.log'],
    ['access_log.1795000000', 'access_log.1796000000', 'access_log'],
    ['access.log-20261120.gz', 'access.log.1', 'access.log'],
    ['x/b.log.1', 'x/b.log', 'x/a.log.1', 'x/a.log', 'y/b.log.1', 'y/b.log'],
  ];
  for (const order of orders)
    it(`are read oldest first: ${order.join(' ')}`, () => {
      assert.deepEqual(inWrittenOrder(order), order);
      const logs = ['x/b', 'x/a', 'y/b'].map((log) => order.filter((path) => path.startsWith(log)).toReversed());
      assert.deepEqual(inWrittenOrder(order[0]?.startsWith('x/') ? logs.flat() : order.toReversed()), order);
    });
});

describe('named logs', () => {
  const files = [
    'access.log',
    'access.log.1',
    'access.log.10.gz',
    'access.log.2.gz',
    'access.log.3.xz',
    'error.log',
    'x.conf',
  ];
  const cwd = scratch({});
  mkdirSync(join(cwd, 'logs'));
  for (const name of files) writeFileSync(join(cwd, 'logs', name), '');
  const named = (...paths: string[]) => namedLogs(paths, { cwd } as Parameters<typeof namedLogs>[1]);
  const order = ['access.log.10.gz', 'access.log.2.gz', 'access.log.1', 'access.log'];
  it('are those of a folder', () => {
    const paths = [...order, 'access.log.3.xz'].map((name) => join('logs', name));
    assert.deepEqual(named('logs/access.log*'), paths);
    assert.throws(() => named('logs/absent*'), /logs\/absent\*: there is no log/);
  });
  it('are the named files, also absent ones and standard input', () => {
    assert.deepEqual(named('-', 'absent.log', 'logs/x.conf'), ['-', 'absent.log', 'logs/x.conf']);
  });
  it('are none in an empty folder', () => {
    mkdirSync(join(cwd, 'empty'));
    assert.throws(() => named('empty'), /empty: there is no log/);
  });
});
