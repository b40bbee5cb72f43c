import assert from 'node:assert/strict';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { acquireLock } from '../../platform/lock.ts';
import { scratchFolder } from '../../platform/scratch-folder.ts';
import { type RunOptions, runTasks } from './run.ts';
import { failureText, type Show } from './show.ts';
import { type Outcome, type Task, Unavailable } from './task.ts';

const nothing = (): void => {};
const silent: Show = { started: nothing, note: nothing, announce: nothing, ended: nothing };

let ran: string[] = [];
beforeEach(() => {
  ran = [];
});

const task = (name: string, needs: readonly string[] = [], row: Partial<Task> = {}): Task => ({
  name,
  does: `doing ${name}`,
  needs,
  run: async () => ran.push(name),
  fix: `fix ${name}`,
  ...row,
});

function options(row: Partial<RunOptions> = {}): RunOptions {
  const folder = scratchFolder('guard-tasks-');
  return { folder, show: silent, signal: new AbortController().signal, lanes: 2, ...row };
}

const statesOf = (outcomes: readonly Outcome[]): string[] =>
  outcomes.map((outcome) => `${outcome.task.name} ${outcome.state}`);
const states = async (...args: Parameters<typeof runTasks>): Promise<string[]> => statesOf(await runTasks(...args));

const fails = (error: Error) => ({ run: () => Promise.reject(error) });

describe('the order of tasks', () => {
  it('runs each needed task once, after its dependencies', async () => {
    const tasks = [task('base'), task('other'), task('left', ['base']), task('top', ['left', 'base'])];
    await runTasks(tasks, ['top', 'left'], options());
    assert.deepEqual(ran, ['base', 'left', 'top']);
  });

  it('runs independent tasks in parallel in the lanes, and background tasks beside them', async () => {
    const gates = [1, 2, 3].map(() => Promise.withResolvers<void>());
    const meets = (own: number, row: Partial<Task> = {}) =>
      task(`${own}`, [], {
        run: () => {
          gates[own]?.resolve();
          return Promise.all(gates.map(({ promise }) => promise)).then(() => ran.push('met'));
        },
        ...row,
      });
    const tasks = [meets(0), meets(1), meets(2, { background: true }), task('later')];
    await runTasks(tasks, ['0', '1', '2', 'later'], options());
    assert.deepEqual(ran.toSorted(), ['later', 'met', 'met', 'met']);
    assert.equal(ran[0], 'met', 'both lanes were taken');
  });

  it('runs a task after another that it does not need, whatever its outcome, if that is part of the run', async () => {
    const run = () => nextTurn().then(() => Promise.reject(new Error('broken')));
    const tasks = [task('first', [], { run }), task('later', [], { after: ['first'] })];
    assert.deepEqual(await states(tasks, ['later', 'first'], options()), ['first failed', 'later done']);
    assert.deepEqual(await states(tasks, ['later'], options()), ['later done']);
  });
});

describe('the outcome of a task', () => {
  it('stays done after a failed run, so that the next run continues there', async () => {
    const made = new Set<string>();
    let isBroken = true;
    const step = (name: string, needs: readonly string[]): Task => {
      const run = async (): Promise<void> => {
        if (name === 'second' && isBroken) throw new Error('no network');
        ran.push(name);
        made.add(name);
      };
      return task(name, needs, { done: () => made.has(name), run });
    };
    const tasks = [step('first', []), step('second', ['first']), step('third', ['second'])];
    assert.deepEqual(await states(tasks, ['third'], options()), ['first done', 'second failed', 'third failed']);
    isBroken = false;
    await runTasks(tasks, ['third'], options());
    assert.deepEqual(ran, ['first', 'second', 'third']);
  });

  it('is reported after a failure with the end of its output, its log file and the fix', async () => {
    const source = 'console.log("first"); console.error("\\u001b[31mlast words\\u001b[0m"); process.exit(7)';
    const run: Task['run'] = ({ command }) => command(process.execPath, ['-e', source]);
    const once = options();
    const outcomes = await runTasks([task('broken', [], { run }), task('fine')], ['broken', 'fine'], once);
    assert.deepEqual(statesOf(outcomes), ['broken failed', 'fine done']);
    const text = failureText(outcomes[0] as Outcome, once.folder, once.folder);
    assert.match(text, /^\nbroken failed: node -e ended with status 7\n/);
    assert.match(
      text,
      / {2}\| first\n {2}\| last words\n {2}full log: logs\/broken\.log\n {2}to fix: {3}fix broken\n$/,
    );
  });

  it('is a failure when tests failed in it, and has the sum of all counts', async () => {
    const run: Task['run'] = async ({ count }) => {
      count({ passed: 3, failed: 0, skipped: [{ name: 'a', reason: 'b' }] });
      count({ passed: 0, failed: 1, skipped: [] });
    };
    const [outcome] = await runTasks([task('tests', [], { run })], ['tests'], options());
    assert.equal(outcome?.state, 'failed');
    assert.deepEqual(outcome?.counts, { passed: 3, failed: 1, skipped: [{ name: 'a', reason: 'b' }] });
  });

  it('becomes that of the tasks that need it, with the reason, where it is not possible', async () => {
    const tasks = [task('engine', [], fails(new Unavailable('no engine'))), task('e2e', ['engine'])];
    const outcomes = await runTasks([...tasks, task('more', ['e2e'])], ['more'], options());
    assert.deepEqual(statesOf(outcomes), ['engine unavailable', 'e2e unavailable', 'more unavailable']);
    assert.equal(outcomes.at(-1)?.reason, 'no engine');
  });
});

describe('a task', () => {
  it('on a full disk is reported with the folders to free space in', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const once = options();
    const [outcome] = await runTasks([task('step', [], fails(full))], ['step'], once);
    assert.match(outcome?.reason ?? '', /^the disk is full: ENOSPC/);
    assert.match(outcome?.hint ?? '', new RegExp(`^free space for .*request-guard or ${once.folder}$`));
  });

  it('that is interrupted ends its program and releases its lock, and no other task starts', async () => {
    const controller = new AbortController();
    const onText = (): void => controller.abort();
    const run: Task['run'] = ({ command }) =>
      command(process.execPath, ['-e', 'console.log("up"); setInterval(() => {}, 1000)'], { onText });
    const tasks = [task('long', [], { run, done: () => false }), task('next', ['long']), task('other')];
    const once = options({ signal: controller.signal, lanes: 1 });
    const interrupted = ['long interrupted', 'next interrupted', 'other interrupted'];
    assert.deepEqual(await states(tasks, ['next', 'other'], once), interrupted);
    (await acquireLock(join(once.folder, 'locks/long'), { signal: AbortSignal.timeout(10_000) }))();
  });

  it('waits for another process that runs it, and is then done', async () => {
    const once = options();
    let isDone = false;
    const release = await acquireLock(join(once.folder, 'locks/step'), {});
    const lines: string[] = [];
    const announce = (_: Task, text: string): void => {
      lines.push(text);
      isDone = true;
      release();
    };
    const tasks = [task('step', [], { done: () => isDone })];
    assert.deepEqual(await states(tasks, ['step'], { ...once, show: { ...silent, announce } }), ['step done']);
    assert.deepEqual(lines, [`waiting for process ${process.pid}, which is already running this step`]);
    assert.deepEqual(ran, []);
  });
});
