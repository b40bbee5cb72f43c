import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { takeLock } from '../../platform/lock.ts';
import { failureText } from './report.ts';
import { logFile, type RunOptions, runTasks } from './run.ts';
import type { Show } from './show.ts';
import { type Outcome, type Task, Unavailable } from './task.ts';

const silent: Show = {
  started: () => undefined,
  note: () => undefined,
  announce: () => undefined,
  ended: () => undefined,
  close: () => undefined,
};

/** Names of the tasks in the order of their execution. */
let ran: string[] = [];

const task = (name: string, needs: readonly string[] = [], row: Partial<Task> = {}): Task => ({
  name,
  does: `doing ${name}`,
  needs,
  run: async () => {
    ran.push(name);
    return undefined;
  },
  fix: `fix ${name}`,
  ...row,
});

function options(t: TestContext, row: Partial<RunOptions> = {}): RunOptions {
  const folder = mkdtempSync(join(tmpdir(), 'guard-graph-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return { folder, show: silent, signal: new AbortController().signal, lanes: 2, ...row };
}

const states = (outcomes: readonly Outcome[]): Record<string, string> =>
  Object.fromEntries(outcomes.map((outcome) => [outcome.task.name, outcome.state]));

/** A promise and its resolvers. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

beforeEach(() => {
  ran = [];
});

describe('the order of tasks', () => {
  it('runs each needed task once, after its dependencies', async (t) => {
    const tasks = [
      task('top', ['left', 'right']),
      task('left', ['base']),
      task('right', ['base']),
      task('base'),
      task('other'),
    ];
    const outcomes = await runTasks(tasks, ['top', 'left'], options(t));
    assert.equal(ran[0], 'base');
    assert.deepEqual(ran.slice(1, 3).sort(), ['left', 'right']);
    assert.deepEqual(ran.slice(3), ['top']);
    assert.equal(outcomes.length, 4);
  });

  it('refuses an unknown name and a cycle', async (t) => {
    await assert.rejects(runTasks([task('a', ['b'])], ['a'], options(t)), /no task is called b \(a needs it\)/);
    const cycle = [task('a', ['b']), task('b', ['a'])];
    await assert.rejects(runTasks(cycle, ['a'], options(t)), /cyclic tasks: a -> b -> a/);
  });

  it('runs independent tasks side by side', async (t) => {
    const [first, second] = [gate(), gate()];
    const meet = (own: typeof first, other: typeof first) => async () => {
      own.open();
      await other.opened;
      return undefined;
    };
    const tasks = [task('a', [], { run: meet(first, second) }), task('b', [], { run: meet(second, first) })];
    assert.deepEqual(states(await runTasks(tasks, ['a', 'b'], options(t))), { a: 'done', b: 'done' });
  });

  it('limits parallel tasks to the number of lanes, without background tasks', async (t) => {
    let running = 0;
    let most = 0;
    const last = gate();
    const counted = (end?: () => void) => async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      end?.();
      return undefined;
    };
    const heavy = task('heavy', [], { background: true, run: () => last.opened.then(() => undefined) });
    const light = [task('a', [], { run: counted() }), task('b', [], { run: counted(last.open) })];
    const outcomes = await runTasks([heavy, ...light], ['heavy', 'a', 'b'], options(t, { lanes: 1 }));
    assert.deepEqual(states(outcomes), { heavy: 'done', a: 'done', b: 'done' });
    assert.equal(most, 1);
  });
});

describe('a task that is done', () => {
  it('is skipped, and tasks that need it run', async (t) => {
    const tasks = [task('base', [], { done: () => true }), task('top', ['base'], { done: async () => false })];
    assert.deepEqual(states(await runTasks(tasks, ['top'], options(t))), { base: 'ready', top: 'done' });
    assert.deepEqual(ran, ['top']);
  });

  it('stays done after a failed run, so that the next run continues there', async (t) => {
    const made = new Set<string>();
    let isBroken = true;
    const step = (name: string, needs: readonly string[]): Task =>
      task(name, needs, {
        done: () => made.has(name),
        run: async () => {
          if (name === 'second' && isBroken) throw new Error('no network');
          ran.push(name);
          made.add(name);
          return undefined;
        },
      });
    const tasks = [step('first', []), step('second', ['first']), step('third', ['second'])];
    const once = options(t);
    assert.deepEqual(states(await runTasks(tasks, ['third'], once)), {
      first: 'done',
      second: 'failed',
      third: 'blocked',
    });
    isBroken = false;
    assert.deepEqual(states(await runTasks(tasks, ['third'], once)), { first: 'ready', second: 'done', third: 'done' });
    assert.deepEqual(ran, ['first', 'second', 'third']);
  });
});

describe('a task that fails', () => {
  it('does not stop independent tasks', async (t) => {
    const broken = task('broken', [], { run: () => Promise.reject(new Error('boom')) });
    assert.deepEqual(states(await runTasks([broken, task('fine')], ['broken', 'fine'], options(t))), {
      broken: 'failed',
      fine: 'done',
    });
  });

  it('is reported with the end of its output, its log file and the fix', async (t) => {
    const run = async ({ command }: Parameters<Task['run']>[0]) => {
      await command(process.execPath, [
        '-e',
        'console.log("first"); console.error("\\u001b[31mlast words\\u001b[0m"); process.exit(7)',
      ]);
      return undefined;
    };
    const once = options(t);
    const [outcome] = await runTasks([task('broken', [], { run })], ['broken'], once);
    assert.ok(outcome);
    const text = failureText(outcome, once.folder, once.folder);
    assert.match(text, /^\nbroken failed: node -e ended with status 7\n/);
    assert.match(text, / {2}\| first\n {2}\| last words\n/);
    assert.match(text, / {2}full log: logs\/broken\.log\n {2}to fix: {3}fix broken\n$/);
    assert.match(readFileSync(logFile(once.folder, outcome.task), 'utf8'), /console\.log/);
  });

  it('counts as failed when tests failed in it', async (t) => {
    const run = async () => ({ passed: 3, failed: 1, skipped: [] });
    const [outcome] = await runTasks([task('tests', [], { run })], ['tests'], options(t));
    assert.equal(outcome?.state, 'failed');
    assert.equal(outcome?.counts?.passed, 3);
  });
});

describe('a task that runs after another without needing it', () => {
  const run = async (): Promise<never> => {
    await nextTurn();
    ran.push('first');
    throw new Error('broken');
  };
  const first = task('first', [], { run });
  const later = task('later', [], { after: ['first'] });

  it('waits for the other task, and runs after any outcome', async (t) => {
    const outcomes = await runTasks([later, first], ['later', 'first'], options(t));
    assert.deepEqual(ran, ['first', 'later']);
    assert.deepEqual(states(outcomes), { first: 'failed', later: 'done' });
  });

  it('does not add the other task to the run', async (t) => {
    assert.deepEqual(states(await runTasks([later, first], ['later'], options(t))), { later: 'done' });
  });

  it('is included in the check for cycles', async (t) => {
    const waiting = runTasks([later, task('first', ['later'])], ['later', 'first'], options(t));
    await assert.rejects(waiting, /cyclic tasks/);
  });
});

describe('a task that is not possible here', () => {
  it('skips the tasks that need it, with the reason', async (t) => {
    const engine = task('engine', [], { run: () => Promise.reject(new Unavailable('no engine')) });
    const outcomes = await runTasks([engine, task('e2e', ['engine']), task('more', ['e2e'])], ['more'], options(t));
    assert.deepEqual(states(outcomes), { engine: 'unavailable', e2e: 'skipped', more: 'skipped' });
    assert.equal(outcomes.at(-1)?.reason, 'no engine');
  });
});

describe('an interruption', () => {
  it('ends the running program and starts no other task', async (t) => {
    const controller = new AbortController();
    const run = async ({ command }: Parameters<Task['run']>[0]) => {
      const onText = (): void => controller.abort();
      await command(process.execPath, ['-e', 'console.log("up"); setInterval(() => {}, 1000)'], { onText });
      return undefined;
    };
    const tasks = [task('long', [], { run, done: () => false }), task('next', ['long'])];
    const once = options(t, { signal: controller.signal });
    assert.deepEqual(states(await runTasks(tasks, ['next'], once)), { long: 'interrupted', next: 'interrupted' });
    const again = await takeLock(join(once.folder, 'locks/long'), { signal: AbortSignal.timeout(10_000) });
    again();
  });
});

describe('the lock of a task', () => {
  it('makes a second run wait for the first and then find the task done', async (t) => {
    const once = options(t);
    let isDone = false;
    const release = await takeLock(join(once.folder, 'locks/step'), {});
    const lines: string[] = [];
    const announce = (_: Task, text: string): void => {
      lines.push(text);
      isDone = true;
      release();
    };
    const step = task('step', [], { done: () => isDone });
    const outcomes = await runTasks([step], ['step'], { ...once, show: { ...silent, announce } });
    assert.deepEqual(states(outcomes), { step: 'ready' });
    assert.deepEqual(lines, [`waiting for process ${process.pid}, which is already running this step`]);
    assert.deepEqual(ran, []);
  });
});

describe('a full disk', () => {
  it('is reported with the folders to free space in', async (t) => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const once = options(t);
    const [outcome] = await runTasks([task('step', [], { run: () => Promise.reject(full) })], ['step'], once);
    assert.match(outcome?.reason ?? '', /^the disk is full: ENOSPC/);
    assert.match(outcome?.hint ?? '', new RegExp(`^free space for .*request-guard or ${once.folder}$`));
  });
});
