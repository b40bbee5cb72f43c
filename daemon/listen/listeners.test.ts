import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseListen } from '../../contract/values/endpoint.ts';
import type { DataPlane } from '../plane/plane.ts';
import { createListeners, type Listen, listenInThisProcess, type WantedListener } from './listeners.ts';

const wanted = (name: string, listen: string): WantedListener<never> => ({
  name,
  endpoint: parseListen(listen) ?? { host: '', port: 0 },
  accept: () => {},
});

/** Listeners that fail for the names in `refusals`. `shared`: names of sockets that another process keeps open. */
function listeners(shared: readonly string[] = []) {
  const refusals: string[] = [];
  const open = new Set<string>();
  const faults: string[] = [];
  const listen: Listen<never> = async (entry) => {
    const { name, endpoint } = entry();
    const at = refusals.indexOf(name);
    if (at >= 0) {
      refusals.splice(at, 1);
      throw new Error(`${name} is in use`);
    }
    open.add(name);
    const listener = { endpoint, close: async () => void open.delete(name) };
    return shared.includes(name) ? { ...listener, isShared: true } : listener;
  };
  return { ...createListeners(listen, (message) => void faults.push(message)), refusals, open, faults };
}

test('a rollback that fails keeps all other listeners, is reported, and is repaired by the next change', async () => {
  const { change, refusals, open, faults, problems, endpointOf } = listeners();
  const old = [wanted('one', '127.0.0.1:1'), wanted('two', '127.0.0.1:2'), wanted('three', '127.0.0.1:3')];
  await change(old);
  refusals.push('new', 'one'); // another process binds the port of `one` meanwhile
  await assert.rejects(
    change([wanted('new', ':4'), wanted('one', ':1'), wanted('two', ':2')]),
    /cannot listen for new/,
  );
  assert.deepEqual([...open].sort(), ['three', 'two']);
  assert.equal(endpointOf('one'), undefined);
  assert.match(problems().join(), /one is in use.*not listened on/);
  assert.equal(faults.length, 1);
  await change(old);
  assert.deepEqual([...open].sort(), ['one', 'three', 'two']);
  assert.deepEqual(problems(), []);
});

test('a refused change keeps the socket of the service manager, which could not be bound again', async () => {
  const { change, refusals, open, problems } = listeners(['one']);
  const old = [wanted('one', '127.0.0.1:1')];
  await change(old);
  refusals.push('one', 'one'); // the service manager still listens there
  await assert.rejects(change([wanted('one', ':1')]), /cannot listen for one/);
  assert.deepEqual([...open], ['one']);
  assert.deepEqual(problems(), []);
  refusals.length = 0;
  await change(old);
  assert.deepEqual([...open], ['one']);
});

test('a refused change leaves the unused socket of the service manager for the next one', async () => {
  const inherited = new Map([['one', 3]]);
  const taken = new Set([2]);
  const listened: (number | undefined)[] = [];
  const listen: DataPlane<never>['listen'] = async (endpoint, { descriptor }) => {
    if (taken.has(endpoint.port)) throw new Error('in use');
    listened.push(descriptor);
    return { endpoint, descriptor, close: async () => {} };
  };
  const { change } = createListeners(
    listenInThisProcess({ listen }, () => {}, inherited),
    () => {},
    (name) => inherited.has(name),
  );
  const both = [wanted('one', '127.0.0.1:1'), wanted('two', '127.0.0.1:2')];
  await assert.rejects(change(both), /cannot listen for two/);
  taken.clear();
  await change(both);
  assert.deepEqual(listened, [undefined, 3]);
});
