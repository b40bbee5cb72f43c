/** A host with a listener and with the published port of a container in another namespace, guarded by tcp-guard, with clients. */
import { execFileSync } from 'node:child_process';
import { guesser, host, openNamespace, other, run, serveIn } from './namespaces.ts';
import { startGuard } from './process.ts';

export const [ownPort, publishedPort, containerPort] = [8081, 8082, 80] as const;
export const [gateway, container] = ['172.31.0.1', '172.31.0.2'] as const;
export const [host6, guesser6, other6] = ['fd00:1::1', 'fd00:1::7', 'fd00:1::8'] as const;

/** The namespace forwards packets. A container has its /proc/sys read-only, so the shell mounts another one for itself. */
const forwardPackets = (): void => {
  const write = 'mount -t proc proc /proc && echo 1 > /proc/sys/net/ipv4/ip_forward';
  execFileSync('unshare', ['-m', 'sh', '-c', write], { stdio: 'pipe' });
};

/** The test publishes the port of the container. `reachesAll` and `reachesAny` are about both ports. */
export async function startHost(t: Parameters<typeof startGuard>[0]) {
  forwardPackets();
  const client = await openNamespace(t, 'client', host, [guesser, other]);
  run(`ip addr add ${host6}/64 dev to_client nodad`);
  for (const address of [guesser6, other6]) run(`${client.enter.join(' ')} ip addr add ${address}/64 dev uplink nodad`);
  const inContainer = await openNamespace(t, 'container', gateway, [container]);
  run(`${inContainer.enter.join(' ')} ip route add default via ${gateway}`);
  serveIn(t, [], ownPort);
  serveIn(t, inContainer.enter, containerPort);
  const guard = await startGuard(t, { bans: { scope: 'host' } });
  t.after(() => void run('nft flush ruleset'));
  const reachesAll = (from: string) => [ownPort, publishedPort].every((port) => client.reaches(from, host, port));
  const reachesAny = (from: string) => [ownPort, publishedPort].some((port) => client.reaches(from, host, port));
  return { client, inContainer, guard, reachesAll, reachesAny };
}
