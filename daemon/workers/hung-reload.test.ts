/** Reloads while a worker hangs. */
import assert from 'node:assert/strict';
import { Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import { freePort } from '../../platform/free-ports.ts';
import { until } from '../../platform/testing/until.ts';
import { echo, guardedService, startUpstream } from '../testing/daemon.ts';
import { changeableWorkers, countEchoed, dialMany, enoughConnections } from '../testing/workers.ts';
import { listenersOf, stop, workersOf } from './testing/workers.ts';

/**
 * The moments at which a worker hangs. The coordinator binds a new endpoint after the workers have prepared the
 * configuration and before they listen.
 */
const moments: Readonly<Record<string, (t: TestContext, hang: () => void) => void>> = {
  'before the reload': (_t, hang) => hang(),
  'after it has prepared the configuration': (t, hang) => {
    const { listen } = Server.prototype;
    const mock = t.mock.method(
      Server.prototype,
      'listen',
      function (this: Server, ...given: Parameters<typeof listen>) {
        mock.mock.restore();
        hang();
        return listen.apply(this, given);
      },
    );
  },
};

/**
 * Starts two workers with the services `one` and `old`. The returned `services` move the port of `old` to the service
 * `two`, on all addresses, and add `new`.
 */
async function hanging(t: TestContext, moment: keyof typeof moments) {
  const { port } = await startUpstream(t, echo);
  const [moved, added] = [await freePort(), await freePort()];
  const one = guardedService(port);
  const started = await changeableWorkers(t, {
    services: { one, old: guardedService(port, { listen: `127.0.0.1:${moved}` }) },
  });
  const { daemon } = started;
  const [hung = 0, other = 0] = workersOf(process.pid);
  const services = {
    one,
    two: guardedService(port, { listen: `:${moved}` }),
    new: guardedService(port, { listen: `:${added}` }),
  };
  return {
    ...{ ...started, port, services, hung, other },
    begin: () => moments[moment]?.(t, () => stop(t, hung)),
    /** Waits until the hung worker was replaced and both workers serve all services. */
    isServed: async () => {
      await until(
        () => daemon.problems().every((problem) => !problem.startsWith('worker')),
        () => daemon.problems().join(),
      );
      const workers = workersOf(process.pid);
      assert.deepEqual([workers.length, workers.includes(hung), workers.includes(other)], [2, false, true]);
      const [first = [], second = []] = workers.map((pid) => listenersOf(pid).toSorted());
      assert.deepEqual(first, second);
      for (const { name } of daemon.services())
        assert.equal(await countEchoed(dialMany(started, name)), enoughConnections, `${name} is served`);
    },
  };
}

const namesOf = (services: readonly { readonly name: string }[]) => services.map(({ name }) => name);

for (const moment of Object.keys(moments))
  test(`is applied, and the worker is replaced, when it hangs ${moment}`, async (t) => {
    const { daemon, write, services, begin, isServed } = await hanging(t, moment);
    write({ services });
    begin();
    // The second reload waits for the first one.
    const outcomes = await Promise.all([daemon.reload('a test'), daemon.reload('a test')]);
    assert.deepEqual(
      outcomes.map((outcome) => outcome.ok && outcome.changed),
      [['services.old', 'services.two', 'services.new'], []],
    );
    assert.deepEqual(namesOf(daemon.services()), ['one', 'two', 'new']);
    await isServed();
  });

test('is refused without a change, and a later one is applied', async (t) => {
  const { daemon, write, services, port, begin, isServed } = await hanging(
    t,
    'after it has prepared the configuration',
  );
  const { port: taken } = await startUpstream(t, echo);
  write({ services: { ...services, three: guardedService(port, { listen: `127.0.0.1:${taken}` }) } });
  begin();
  const refused = await daemon.reload('a test');
  assert.deepEqual(refused.ok ? [] : refused.problems.map(({ path }) => path), ['services.three.listen']);
  assert.deepEqual(namesOf(daemon.services()), ['one', 'old']);
  await isServed();
  write({ services });
  assert.equal((await daemon.reload('a test')).ok, true);
  await isServed();
});
