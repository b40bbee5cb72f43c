/** Packets from forged addresses in a network namespace with only a loopback. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { reasonToSkip } from '../../conformance/servers/running.ts';

/** Address of this host in the namespace. */
export const address = '10.9.0.1';

export const ip = (line: string): void =>
  void execFileSync('ip', line.split(' '), { stdio: ['ignore', 'ignore', 'inherit'] });

/** Adds an unused link as default route, so that replies to forged addresses can leave. */
export function connectNamespace(): void {
  ip('link add sink type veth peer name hole');
  ip(`addr add ${address}/24 dev sink`);
  for (const name of ['sink', 'hole']) {
    ip(`link set ${name} arp off`);
    ip(`link set ${name} up`);
  }
  ip('route add default dev sink');
}

export const disconnectNamespace = (): void => ip('link del sink');

/** Sends SYN packets. `source` is the option of hping3 for forged addresses. */
export async function flood(port: number, count: number, source: readonly string[]): Promise<void> {
  const options = ['-q', '-S', '-p', `${port}`, ...source, '-i', 'u100', '-c', `${count}`, address];
  await once(spawn('hping3', options, { stdio: 'ignore' }), 'close');
}

/** `connectNamespace` adds a link and a default route, so it must not run in a shared network. */
const isAlone = Object.keys(networkInterfaces()).join() === 'lo';

/** The reason why no flood can run here. */
export const reasonToSkipFlood =
  reasonToSkip({ needs: { '/usr/sbin/hping3': 'hping3', '/usr/bin/ip': 'iproute2' } }) ||
  (!isAlone && 'it needs a network namespace with nothing but a loopback: run it in the test image');
