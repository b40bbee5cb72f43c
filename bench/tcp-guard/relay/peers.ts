/** The relays that are compared. They run on one processor, and their common upstreams on the other. */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../platform/assets.ts';
import { waitUntilListening } from '../../measure/process.ts';
import { type GuardOptions, haproxyConfig, nginxConfig, tcpGuardConfig } from './configurations.ts';
import type { Place } from './place.ts';
import { freePorts, type Ports, portPairs } from './ports.ts';
import { bothProcessors, loadProcessor, relayProcessor, startPinned } from './programs.ts';

export interface Peer {
  readonly name: PeerName;
  /** The address that the load connects to. */
  readonly host: string;
  readonly ports: Ports;
  /** The source address that the relay refuses. */
  readonly refused: string;
  /** The process of the relay. Undefined: the load connects directly to the upstreams. */
  readonly child: ChildProcess | undefined;
  /** Numbers of the processors that the load of this relay runs on. */
  readonly loadOn: string;
  /** The kernel drops packets of the refused address, and its client gets no answer. */
  readonly isSilent: boolean;
}

interface Kind {
  readonly title: string;
  /** Writes the configuration into a new folder. Returns the command that starts the relay. */
  readonly command: (place: Place, ports: Ports) => readonly string[];
  /** The relay runs on both processors, and so does its load. */
  readonly isSpread?: true;
  readonly isSilent?: boolean;
}

function writeConfiguration(folder: string, file: string, text: string): string {
  const path = join(folder, file);
  writeFileSync(path, text);
  return path;
}

const program = (path: string): readonly string[] => [process.execPath, join(packageRoot, 'dist', path)];

const haproxy = (title: string, options: { splice?: true; threads?: number } = {}): Kind => ({
  title,
  command: (place, ports) => [
    ...['haproxy', '-db', '-f'],
    writeConfiguration(place.folder, 'haproxy.cfg', haproxyConfig(place, ports, options)),
  ],
  ...(options.threads && { isSpread: true }),
});

const guard = (title: string, options: GuardOptions = {}): Kind => ({
  title,
  command: (place, ports) => [
    ...[...program('bin/tcp-guard.js'), '-c'],
    writeConfiguration(place.folder, 'tcp-guard.yaml', tcpGuardConfig(place, ports, options)),
  ],
  ...(options.workers && { isSpread: true }),
  ...(options.kernel && { isSilent: true }),
});

const nginx: Kind = {
  title: 'nginx stream',
  command: (place, ports) => [
    ...['/usr/sbin/nginx', '-e', 'stderr', '-p', place.folder, '-c'],
    writeConfiguration(place.folder, 'nginx.conf', nginxConfig(place, ports)),
  ],
};

/** A relay without a guard, which shows the cost of node:net itself. */
const bareRelay: Kind = {
  title: 'bare relay of node:net',
  command: ({ network, upstreams }, ports) => [
    ...program('bench/tcp-guard/relay/bare.js'),
    ...[network.relay, network.upstream],
    ...portPairs(ports, upstreams).map(([, port, upstream]) => `${port}:${upstream}`),
  ],
};

export const kinds = {
  linux: guard('tcp-guard, data_plane: linux', { dataPlane: 'linux' }),
  net: guard('tcp-guard, data_plane: net'),
  bpf: guard('tcp-guard, bans.kernel: bpf', { dataPlane: 'linux', kernel: 'bpf' }),
  bare: bareRelay,
  haproxy: haproxy('HAProxy'),
  'haproxy-splice': haproxy('HAProxy, splicing', { splice: true }),
  nginx,
  'linux-2': guard('tcp-guard, linux, workers: 2, unpinned', { dataPlane: 'linux', workers: 2 }),
  'haproxy-threads': haproxy('HAProxy, nbthread 2, unpinned', { threads: 2 }),
} as const satisfies Record<string, Kind>;

export type PeerName = keyof typeof kinds | 'direct';

export const titleOf = (name: PeerName): string => (name === 'direct' ? 'no relay' : kinds[name].title);

/** Returns a peer without a relay: the load connects to the upstreams. */
export const directPeer = ({ network, upstreams }: Place): Peer => ({
  ...{ name: 'direct', host: network.upstream, ports: upstreams, refused: network.refused },
  ...{ child: undefined, loadOn: loadProcessor, isSilent: false },
});

export async function startPeer(place: Place, name: keyof typeof kinds): Promise<Peer> {
  const { command, isSpread, isSilent = false }: Kind = kinds[name];
  const folder = join(place.folder, name);
  mkdirSync(folder);
  const ports = await freePorts();
  const [processor, loadOn] = isSpread ? [bothProcessors, bothProcessors] : [relayProcessor, loadProcessor];
  const { inside, relay, refused } = place.network;
  const child = startPinned(processor, ...inside, ...command({ ...place, folder }, ports));
  child.stdout?.resume();
  await waitUntilListening(ports.web, child, relay);
  return { name, host: relay, ports, refused, child, loadOn, isSilent };
}
