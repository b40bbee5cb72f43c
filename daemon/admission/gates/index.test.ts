import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { geoDatabase } from '../../geo/testing/geo.ts';
import { isEchoed } from '../../testing/changeable.ts';
import { bytesOf, echo, guardedService, received, start, startUpstream } from '../../testing/daemon.ts';

/** Connects from another loopback address, so that the connection counts as another client. */
const from = (localAddress: string) => ({ localAddress });

test('a banned address is refused on every service, its open connections end, and other connections continue', async (t) => {
  const { port } = await startUpstream(t, echo);
  const { daemon, dial, event } = await start(t, {
    services: { one: guardedService(port), two: guardedService(port) },
  });
  const [guilty, other] = [dial('one', from('127.0.0.7')), dial('one', from('127.0.0.8'))];
  for (const socket of [guilty, other]) socket.write('x');
  await Promise.all([bytesOf(guilty, 1), bytesOf(other, 1)]);
  const ending = received(guilty);
  await daemon.bans.add({ ip: '127.0.0.7', reason: 'test', origin: 'api', durationMs: 60_000 });
  assert.equal((await ending).how, 'reset');
  const { bytes_in } = await event(({ action, reason }) => action === 'blocked' && reason === 'ban');
  assert.equal(bytes_in, 1);
  assert.equal((await received(dial('two', from('127.0.0.7')))).bytes.length, 0);
  assert.equal((await event(({ service, action }) => service === 'two' && action === 'blocked')).reason, 'ban');
  other.write('y');
  await bytesOf(other, 1);
  await daemon.bans.remove('127.0.0.7');
  const again = dial('two', from('127.0.0.7'));
  again.write('z');
  await bytesOf(again, 1);
  const actions = ['banned', 'unbanned'] as const;
  for (const action of actions)
    assert.equal((await event((record) => record.action === action)).client_ip, '127.0.0.7');
});

test('a ban of a network cuts the connections of all its addresses', async (t) => {
  const { port } = await startUpstream(t, echo);
  const { daemon, dial } = await start(t, { services: { one: guardedService(port) } });
  const inside = ['127.3.0.1', '127.3.0.2'].map((address) => dial('one', from(address)));
  const outside = dial('one', from('127.4.0.1'));
  for (const socket of [...inside, outside]) {
    socket.write('x');
    await bytesOf(socket, 1);
  }
  const ends = inside.map(received);
  await daemon.bans.add({ ip: '127.3.0.0/16', reason: 'test', origin: 'api' });
  assert.deepEqual(
    (await Promise.all(ends)).map(({ how }) => how),
    ['reset', 'reset'],
  );
  outside.write('y');
  assert.equal((await bytesOf(outside, 1)).toString(), 'y');
});

for (const workers of [1, 2])
  test(`${workers} workers: a ban of a network neither refuses nor cuts exempt addresses in it`, async (t) => {
    const { port } = await startUpstream(t, echo);
    const file = { global: { workers, never_ban: ['127.3.0.9'] }, services: { one: guardedService(port) } };
    const { daemon, dial } = await start(t, file);
    const echoes = async (socket: ReturnType<typeof dial>) => {
      socket.write('x');
      return Promise.race([bytesOf(socket, 1).then(() => true), received(socket).then(() => false)]);
    };
    const open = async (ip: string) => {
      const socket = dial('one', from(ip));
      assert.ok(await echoes(socket));
      return socket;
    };
    const [exempt, own, other] = [await open('127.3.0.9'), await open('127.0.0.1'), await open('127.3.0.8')];
    const end = received(other);
    for (const ip of ['127.3.0.0/24', '127.0.0.0/24']) await daemon.bans.add({ ip, reason: 'test', origin: 'api' });
    assert.equal((await end).how, 'reset');
    for (const socket of [exempt, own]) assert.ok(await echoes(socket));
    for (const ip of ['127.3.0.9', '127.0.0.1']) await open(ip);
    for (const ip of ['127.3.0.7', '127.0.0.2']) assert.equal(await echoes(dial('one', from(ip))), false, ip);
  });

test('never_ban exempts from bans and not from filters', async (t) => {
  const { port } = await startUpstream(t, echo);
  const services = { one: guardedService(port, { ip_filter: { deny: ['127.0.0.9'] } }) };
  const { daemon, dial, event } = await start(t, { global: { never_ban: ['127.0.0.0/24'] }, services });
  const outcome = await daemon.bans.add({ ip: '127.0.0.6', reason: 'test', origin: 'api' });
  assert.deepEqual(outcome, { ok: false, refusal: 'never_ban' });
  assert.equal((await received(dial('one', from('127.0.0.9')))).bytes.length, 0);
  assert.equal((await event(({ action }) => action === 'blocked')).reason, 'ip_filter');
});

test('a non-empty allow list is exclusive, and the global list is checked first', async (t) => {
  const { port } = await startUpstream(t, echo);
  const global = { ip_filter: { allow: ['127.0.0.0/29'], deny: ['127.0.0.2'] } };
  const services = { one: guardedService(port, { ip_filter: { allow: ['127.0.0.2', '127.0.0.3', '127.0.0.9'] } }) };
  const { dial, daemon } = await start(t, { global, services });
  const passes = async (address: string) => {
    const socket = dial('one', from(address));
    const answer = received(socket);
    socket.end('x');
    return (await answer).bytes.length === 1;
  };
  const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.9'];
  assert.deepEqual(await Promise.all(addresses.map(passes)), [false, false, true, false]);
  const { total_allowed, total_blocked } = daemon.stats().one ?? {};
  assert.deepEqual({ total_allowed, total_blocked }, { total_allowed: 1, total_blocked: 3 });
});

test('limits open connections of one address over all services and on each', async (t) => {
  const { port } = await startUpstream(t, echo);
  const services = { one: guardedService(port, { max_connections_per_ip: 1 }), two: guardedService(port) };
  const { dial, event } = await start(t, { global: { max_connections_per_ip: 2 }, services });
  const open = async (service: string, address = '127.0.0.1') => {
    const socket = dial(service, from(address));
    socket.write('x');
    const { bytes } = await Promise.race([bytesOf(socket, 1).then((bytes) => ({ bytes })), received(socket)]);
    return { socket, isOpen: bytes.length === 1 };
  };
  const first = await open('one');
  assert.equal(first.isOpen, true);
  assert.equal((await open('one')).isOpen, false);
  assert.equal((await open('two')).isOpen, true);
  assert.equal((await open('two')).isOpen, false);
  assert.equal((await open('one', '127.0.0.2')).isOpen, true);
  first.socket.end();
  await event(({ service, action }) => service === 'one' && action === 'allowed');
  assert.equal((await open('one')).isOpen, true);
});

test('a token bucket for each service and address allows a burst', async (t) => {
  const { port } = await startUpstream(t, echo);
  const services = {
    one: guardedService(port, { rate_limit: { connections_per_minute: 1, burst: 3 } }),
    two: guardedService(port),
  };
  const { dial, daemon } = await start(t, { services });
  const passes = async (service: string, address: string) => {
    const socket = dial(service, from(address));
    const answer = received(socket);
    socket.end('x');
    return (await answer).bytes.length === 1;
  };
  const outcomes = [];
  for (let i = 0; i < 5; i++) outcomes.push(await passes('one', '127.0.0.1'));
  assert.deepEqual(outcomes, [true, true, true, false, false]);
  assert.deepEqual([await passes('one', '127.0.0.2'), await passes('two', '127.0.0.1')], [true, true]);
  assert.equal(daemon.tables().rate_limit?.entries, 2);
});

test('resets connections beyond the capacity', async (t) => {
  const { port } = await startUpstream(t, echo);
  const { dial, event } = await start(t, { global: { max_connections: 1 }, services: { one: guardedService(port) } });
  const first = dial('one');
  first.write('x');
  await bytesOf(first, 1);
  assert.equal((await received(dial('one'))).how, 'reset');
  assert.equal((await event(({ action }) => action === 'blocked')).reason, 'capacity');
});

test('a service with all its connections leaves places for the others', async (t) => {
  const { port } = await startUpstream(t, echo);
  const services = { one: guardedService(port), two: guardedService(port, { max_connections: 1 }) };
  const { dial, event } = await start(t, { global: { max_connections: 8 }, services });
  const isServed = (service: string) => isEchoed(dial(service));
  for (let count = 0; count < 6; count += 1) assert.equal(await isServed('one'), true);
  assert.equal(await isServed('one'), false);
  assert.equal((await event(({ action }) => action === 'blocked')).reason, 'service_capacity');
  assert.deepEqual([await isServed('two'), await isServed('two')], [true, false]);
});

test('connections in a tarpit occupy slots, and leave most of them to others', async (t) => {
  const { port } = await startUpstream(t, echo);
  const response = { mode: 'tarpit', tarpit_ms: 10 } as const;
  const services = {
    held: guardedService(port, { ip_filter: { deny: ['127.0.0.7'] }, response }),
    one: guardedService(port, { max_connections: 4 }),
  };
  const { dial, daemon } = await start(t, { global: { max_connections: 4 }, services });
  const isServed = () => isEchoed(dial('one'));
  const held = dial('held', from('127.0.0.7'));
  await bytesOf(held, 1);
  assert.deepEqual(daemon.tables().tarpit, { entries: 1, capacity: 1 });
  assert.equal((await received(dial('held', from('127.0.0.7')))).bytes.length, 0, 'a quarter of four is held');
  assert.deepEqual([await isServed(), await isServed(), await isServed(), await isServed()], [true, true, true, false]);
  held.destroy();
  while (daemon.tables().tarpit?.entries === 1) await turn();
  assert.equal(await isServed(), true);
});

test('refused connections end as the service configures', async (t) => {
  const { port } = await startUpstream(t, echo);
  const refusing = (mode: 'drop' | 'reject' | 'tarpit') =>
    guardedService(port, { ip_filter: { allow: ['192.0.2.1'] }, response: { mode, tarpit_ms: 10 } });
  const services = { drop: refusing('drop'), reject: refusing('reject'), tarpit: refusing('tarpit') };
  const { dial, daemon } = await start(t, { services });
  assert.deepEqual(await received(dial('drop')), { bytes: Buffer.alloc(0), how: 'end' });
  assert.deepEqual(await received(dial('reject')), { bytes: Buffer.alloc(0), how: 'reset' });
  const held = Array.from({ length: 8 }, () => dial('tarpit'));
  await Promise.all(held.map((socket) => bytesOf(socket, 3)));
  assert.equal(daemon.tables().tarpit?.entries, 8);
  assert.equal((await received(dial('tarpit'))).bytes.length, 0, 'the tarpit holds one client only this often');
  held[0]?.destroy();
  while (daemon.tables().tarpit?.entries === 8) await turn();
  const again = dial('tarpit');
  await bytesOf(again, 1);
});

test('applies allowed and denied countries, and an address without a country is not allowed', async (t) => {
  const { port } = await startUpstream(t, echo);
  const accept_from = ['127.0.0.1'];
  const geo = (geo_block: object) => guardedService(port, { geo_block, proxy_protocol: { accept_from } });
  const services = { allow: geo({ allow_countries: ['US'] }), deny: geo({ deny_countries: ['US'] }) };
  const { dial, event } = await start(t, { global: { geoip_db: geoDatabase }, services });
  const passes = async (service: string, client: string) => {
    const socket = dial(service);
    const answer = received(socket);
    socket.end(`PROXY TCP4 ${client} 192.0.2.1 4000 22\r\nx`);
    return (await answer).bytes.toString() === 'x';
  };
  const american = '8.8.8.8';
  const nowhere = '10.1.2.3';
  assert.deepEqual([await passes('allow', american), await passes('deny', american)], [true, false]);
  assert.deepEqual([await passes('allow', nowhere), await passes('deny', nowhere)], [false, true]);
  assert.equal((await event(({ action }) => action === 'blocked')).country_code, 'US');
  assert.equal((await event(({ reason }) => reason === 'geo')).client_ip, american);
});
