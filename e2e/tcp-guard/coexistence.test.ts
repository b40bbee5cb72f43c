/** The table of tcp-guard beside the rules of other firewalls, with a published port of a container. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { until } from '../../platform/testing/until.ts';
import { kubeProxy } from './kube-proxy.ts';
import { guesser, host, other, run, serveIn, skipNamespaces } from './namespaces.ts';
import {
  container,
  containerPort,
  guesser6,
  host6,
  other6,
  ownPort,
  publishedPort,
  startHost,
} from './published-host.ts';

const skip = skipNamespaces || (!existsSync('/usr/sbin/iptables-nft') && 'iptables is not installed');

const iptables = (rules: string): void => {
  for (const rule of rules.trim().split('\n')) run(`iptables-nft ${rule.trim()}`);
};

/** As Docker publishes a port, and as ufw lets some ports in. */
const docker = () =>
  iptables(`
    -t nat -A PREROUTING -p tcp --dport ${publishedPort} -j DNAT --to-destination ${container}:${containerPort}
    -t nat -A POSTROUTING -s 172.31.0.0/24 ! -o to_container -j MASQUERADE
    -P FORWARD DROP
    -A FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
    -A FORWARD -s ${container} -j ACCEPT
    -A FORWARD -d ${container} -p tcp --dport ${containerPort} -j ACCEPT`);
const ufw = () =>
  iptables(`
    -N ufw-user-input
    -P INPUT DROP
    -A INPUT -i lo -j ACCEPT
    -A INPUT -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
    -A INPUT -j ufw-user-input
    -A ufw-user-input -p tcp --dport ${ownPort} -j ACCEPT`);

test('a ban closes own and published ports beside the rules of Docker and ufw', { skip }, async (t) => {
  const { client, inContainer, guard, reachesAll, reachesAny } = await startHost(t);
  docker();
  ufw();
  await until(() => reachesAll(guesser));
  const before = run('iptables-nft -S') + run('iptables-nft -t nat -S');
  await guard.ask('POST', '/ban', { ip: guesser });
  await guard.ask('POST', '/ban', { ip: guesser6 });
  await until(() => !reachesAny(guesser));
  await until(() => !client.reaches(guesser6, host6, ownPort));
  assert.ok(reachesAll(other));
  assert.ok(client.reaches(other6, host6, ownPort));
  const { bans } = JSON.parse((await guard.ask('GET', '/banlist')).body) as {
    bans: { ip: string; packets?: number }[];
  };
  for (const ip of [guesser, guesser6]) assert.ok((bans.find((ban) => ban.ip === ip)?.packets ?? 0) > 0, ip);
  assert.equal(run('iptables-nft -S') + run('iptables-nft -t nat -S'), before, 'the rules of others stay');

  // The host and its containers still reach a banned server: only its own connections are refused.
  serveIn(t, client.enter, ownPort);
  await until(() => inContainer.reaches(container, other, ownPort));
  assert.ok(inContainer.reaches(container, guesser, ownPort));
  assert.ok(!client.reaches(guesser, host, ownPort));
});

/** A service of a cluster, whose pod is the container. Clients reach its ClusterIP where a router leads it to the node. */
const service = {
  ...{ clusterIp: '172.30.0.43', port: 80, nodeIp: host, nodePort: 30_003 },
  ...{ podNetwork: '172.31.0.0/24', pod: container, podPort: containerPort },
};

for (const [mode, write] of Object.entries(kubeProxy))
  test(`a ban closes the NodePort and the ClusterIP of kube-proxy in its mode ${mode}`, { skip }, async (t) => {
    const { client, inContainer, guard } = await startHost(t);
    run(`${client.enter.join(' ')} ip route add 172.30.0.0/16 via ${host}`);
    write(service);
    const ways = [
      [host, service.nodePort],
      [service.clusterIp, service.port],
      [host, ownPort],
    ] as const;
    const reached = (from: string): number => ways.filter(([to, port]) => client.reaches(from, to, port)).length;
    await until(() => reached(guesser) === ways.length, 'every way before the ban');
    await guard.ask('POST', '/ban', { ip: guesser });
    await until(() => reached(guesser) === 0, 'the end of every way');
    assert.equal(reached(other), ways.length);
    assert.ok(
      inContainer.reaches(container, service.clusterIp, service.port),
      'a pod reaches the service, also its own',
    );
    if (mode === 'nftables') write(service); // kube-proxy deletes and writes its table when it starts again
    assert.equal(reached(guesser), 0);
    run('nft flush ruleset');
    write(service);
    await until(() => reached(guesser) === 0, 'the ban after a flush');
    assert.equal(reached(other), ways.length);
    await guard.ask('POST', '/unban', { ip: guesser });
    await until(() => reached(guesser) === ways.length, 'the end of the ban');
  });

test('a ban stays when rules of others are loaded again, and returns when one of them removes it', {
  skip,
}, async (t) => {
  const { client, guard, reachesAll, reachesAny } = await startHost(t);
  docker();
  await until(() => reachesAll(guesser));
  await guard.ask('POST', '/ban', { ip: guesser });
  await until(() => !reachesAny(guesser));
  for (const reload of [() => iptables('-F\n-t nat -F'), docker]) {
    reload();
    assert.ok(!reachesAny(guesser), 'their own tables alone change');
  }
  run('nft flush ruleset');
  docker();
  await until(() => !reachesAny(guesser));
  assert.ok(reachesAll(other));
  assert.ok(client.reaches(other, host, ownPort));
});
