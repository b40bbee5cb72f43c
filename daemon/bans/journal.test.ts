import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { daemonBounds } from '../../contract/daemon/bounds.ts';
import { until } from '../../platform/testing/until.ts';
import type { Change } from './file.ts';
import { Journal } from './journal.ts';
import type { Row } from './row.ts';
import type { StallMs } from './stall-timer.ts';
import type { Store } from './store.ts';
import type { StoreOutcome } from './worker.ts';

const rowOf = (ip: string, reason = 'by hand'): Row => [ip, reason, null, 'api', 1, null, 0, 0, null];
const failed: StoreOutcome = { ok: false, message: 'database or disk is full' };

const source = {
  restore: () => true,
  loaded: () => {},
  unreadable: () => {},
  fault: () => {},
  failed: () => {},
  stallMs: { write: 20, load: 20 },
};

/** A store with the given outcomes, and a table of rows. */
async function scratchJournal(
  test: TestContext,
  answers: (StoreOutcome | Promise<StoreOutcome>)[] = [],
  stallMs: StallMs = source.stallMs,
) {
  const written: (readonly Change[])[] = [];
  /** For each transaction with changes: whether it wrote the whole table. */
  const wholes: boolean[] = [];
  const rows = new Map<string, Row>();
  const reported: string[] = [];
  const store: Store = {
    started: async () => {},
    load: async (onRecords) => {
      onRecords([], 0);
      return { ok: true };
    },
    write: async ({ changes, isWhole }) => {
      if (changes.length === 0) return { ok: true };
      written.push(changes);
      wholes.push(isWhole);
      return answers.shift() ?? { ok: true };
    },
    close: async () => {},
  };
  const journal = await Journal.open(store, {
    ...source,
    stallMs,
    failed: (problem) => reported.push(problem),
    row: (ip) => rows.get(ip),
    everything: () => rows.keys(),
  });
  test.after(async () => void (await journal.close()));
  const put = (ip: string, reason?: string) => {
    rows.set(ip, rowOf(ip, reason));
    return journal.queueChange(ip);
  };
  reported.length = 0; // the first load has succeeded
  return { journal, written, wholes, rows, reported, put };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

it('journal of bans: reports that bans are not stored, and that they are again', async (test) => {
  test.mock.timers.enable({ apis: ['setTimeout'] });
  const { journal, reported, put } = await scratchJournal(test, [failed]);
  assert.equal(await put('192.0.2.1'), false);
  assert.deepEqual(reported.splice(0), journal.problems());
  await tick(); // the write has ended
  test.mock.timers.tick(daemonBounds.diskRetryMs.first);
  test.mock.timers.reset();
  await until(() => reported.length > 0);
  assert.deepEqual(reported, ['']);
});

describe('journal of bans', () => {
  it('writes the changes of one turn in one transaction, with their latest values', async (test) => {
    const { journal, written, rows, put } = await scratchJournal(test);
    const all = [put('192.0.2.1', 'first'), put('192.0.2.2'), put('192.0.2.1', 'second'), put('192.0.2.3')];
    rows.delete('192.0.2.3');
    all.push(journal.queueChange('192.0.2.3'));
    assert.deepEqual(await Promise.all(all), [true, true, true, true, true]);
    assert.deepEqual(written, [[rowOf('192.0.2.1', 'second'), rowOf('192.0.2.2'), '192.0.2.3']]);
  });

  it('releases callers while the store does not respond, and counts its response when it comes', async (test) => {
    const { promise, resolve } = Promise.withResolvers<StoreOutcome>();
    const { journal, written, put } = await scratchJournal(test, [promise]);
    assert.equal(await put('192.0.2.1'), false);
    assert.equal(journal.state(), 'stalled');
    assert.match(journal.problems().join(), /^bans are not stored: the disk has not responded for/);
    assert.equal(await put('192.0.2.2'), false);
    resolve({ ok: true });
    while (journal.state() !== 'ok') await tick();
    assert.equal(await put('192.0.2.3'), true);
    assert.deepEqual(
      written.flat().map(([ip]) => ip),
      ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
    );
  });

  it('closes in bounded time while the store does not respond', async (test) => {
    const { promise, resolve } = Promise.withResolvers<StoreOutcome>();
    const { journal, written, put } = await scratchJournal(test, [promise]);
    const stored = put('192.0.2.1');
    while (written.length === 0) await tick();
    assert.equal(await journal.close(), false);
    assert.equal(await stored, false);
    resolve({ ok: true });
  });

  it('writes an address again that changed during the write', async (test) => {
    const { written, put } = await scratchJournal(test);
    const first = put('192.0.2.1', 'first');
    while (written.length === 0) await tick();
    const second = put('192.0.2.1', 'second');
    assert.deepEqual(await Promise.all([first, second]), [true, true]);
    assert.deepEqual(written, [[rowOf('192.0.2.1', 'first')], [rowOf('192.0.2.1', 'second')]]);
  });

  it('divides many changes into transactions of bounded size', async (test) => {
    const { written, put } = await scratchJournal(test);
    const count = daemonBounds.banCommitRecords * 2 + 1;
    await Promise.all(Array.from({ length: count }, (_, host) => put(`10.0.${host >> 8}.${host & 255}`)));
    assert.deepEqual(
      written.map(({ length }) => length),
      [daemonBounds.banCommitRecords, daemonBounds.banCommitRecords, 1],
    );
  });
});

describe('journal of bans', () => {
  it('does not count the time until the thread of the store runs as time of the disk', async (test) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const store: Store = {
      started: () => promise,
      load: async (onRecords) => {
        await promise;
        onRecords([], 0);
        return { ok: true };
      },
      write: async () => ({ ok: true }),
      close: async () => {},
    };
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const opening = Journal.open(store, { ...source, everything: () => [], row: () => undefined });
    let isOpen = false;
    void opening.then(() => {
      isOpen = true;
    });
    for (let turns = 0; turns < 3; turns += 1) await tick();
    test.mock.timers.tick(source.stallMs.load);
    await tick();
    assert.equal(isOpen, false);
    resolve();
    const journal = await opening;
    test.mock.timers.reset();
    assert.equal(journal.state(), 'ok');
    await journal.close();
  });

  it('begins the time of an order again whenever the disk has responded', async (test) => {
    let begun = 0;
    test.mock.method(globalThis, 'setTimeout', () => ({ refresh: () => (begun += 1) }));
    const store: Store = {
      started: async () => {},
      load: async (_take, onStep) => {
        await tick();
        onStep();
        return { ok: true };
      },
      write: async (_what, onStep) => {
        await tick();
        onStep();
        return { ok: true };
      },
      close: async () => {},
    };
    const journal = await Journal.open(store, { ...source, everything: () => [], row: () => undefined });
    assert.equal(begun, 2, 'a load, and the write that checks the store');
    assert.equal(await journal.queueChange('192.0.2.1'), true);
    assert.equal(begun, 3);
    await journal.close();
  });
});

describe('journal of bans with a failing store', () => {
  it('responds at once while the store fails, and catches up', async (test) => {
    const { journal, written, put } = await scratchJournal(test, [failed, failed]);
    test.mock.timers.enable({ apis: ['setTimeout'] });
    assert.equal(await put('192.0.2.1'), false);
    assert.equal(await put('192.0.2.2'), false);
    assert.deepEqual(journal.problems(), ['bans are not stored: database or disk is full']);
    for (let attempts = 2; attempts <= 3; attempts++) {
      await tick(); // the previous attempt has ended
      test.mock.timers.tick(daemonBounds.diskRetryMs.most);
      while (written.length < attempts) await tick();
    }
    await tick();
    assert.deepEqual(journal.problems(), []);
    assert.deepEqual(written.at(-1), [rowOf('192.0.2.1'), rowOf('192.0.2.2')]);
    test.mock.timers.reset();
  });

  it('writes pending changes before it closes', async (test) => {
    const { journal, written, put } = await scratchJournal(test);
    const promised = put('192.0.2.1');
    await journal.close();
    assert.equal(await promised, true);
    assert.equal(written.length, 1);
    assert.equal(await put('192.0.2.2'), false);
  });
});

describe('journal of bans with a replaced store', () => {
  it('rewrites everything into it before it acknowledges', async (test) => {
    const replaced: StoreOutcome = { ok: false, message: 'it is damaged', oldStoreName: 'bans.sqlite.damaged-1' };
    const { journal, written, put } = await scratchJournal(test, [{ ok: true }, replaced]);
    await put('192.0.2.1');
    assert.equal(await put('192.0.2.2'), true);
    assert.deepEqual(new Set(written.at(-1)), new Set([rowOf('192.0.2.1'), rowOf('192.0.2.2')]));
    assert.match(
      journal.problems().join(),
      /replaced and rewritten: it is damaged; the old store is kept as bans.sqlite.damaged-1/,
    );
    journal.acknowledge();
    assert.deepEqual(journal.problems(), []);
  });

  it('acknowledges nothing before it has the whole table', async (test) => {
    const damage: StoreOutcome = { ok: false, message: 'it is damaged', oldStoreName: 'bans.sqlite.damaged-1' };
    const last = Promise.withResolvers<StoreOutcome>();
    const { journal, written, wholes, rows, put } = await scratchJournal(test, [damage, { ok: true }, last.promise]);
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const count = daemonBounds.banCommitRecords + daemonBounds.banCommitPrompt;
    for (let host = 0; host < count; host++) rows.set(`10.0.${host >> 8}.${host & 255}`, rowOf('10.0.0.0'));
    let acknowledged = 0;
    const acknowledge = (isDurable: boolean) => void (isDurable && acknowledged++);
    const first = put('192.0.2.1').then(acknowledge);
    while (written.length < 2) await tick();
    const second = put('10.0.0.0').then(acknowledge);
    while (written.length < 3) await tick();
    assert.deepEqual([acknowledged, journal.state()], [0, 'failing']);
    last.resolve({ ok: true });
    await Promise.all([first, second]);
    assert.deepEqual([acknowledged, journal.state()], [2, 'ok']);
    assert.deepEqual(wholes, [false, false, true, false], 'the damaged store is read at a start until then');
    test.mock.timers.reset();
  });

  it('has the time of a load for the first write into a replaced store', async (test) => {
    const replaced: StoreOutcome = { ok: false, message: 'it is damaged', oldStoreName: null };
    const { promise, resolve } = Promise.withResolvers<StoreOutcome>();
    const { journal, written, put } = await scratchJournal(test, [replaced, promise], { write: 20, load: 60_000 });
    const stored = put('192.0.2.1');
    while (written.length < 2) await tick();
    const later = performance.now() + 40;
    await until(() => performance.now() > later);
    assert.equal(journal.state(), 'failing', 'not stalled');
    resolve({ ok: true });
    assert.equal(await stored, true);
  });
});
