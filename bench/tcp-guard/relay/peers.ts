/**
 * The relays that are compared. They run on `relayProcessor`, or on both with `isSpread`; upstreams on `loadProcessor`.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../platform/assets.ts';
import { waitUntilListening } from '../../measure/process.ts';
import { type GuardOptions, haproxyConfig, tcpGuardConfig } from './configurations.ts';
import { freePorts, host, type Place, type Ports, portPairs } from './ports.ts';
import { bothProcessors, loadProcessor, relayProcessor, startPinned } from './programs.ts';

export interface Peer {
  readonly ports: Ports;
  readonly child: ChildProcess;
  /** Numbers of the processors of the load. */
  readonly loadOn: string;
}

interface Kind {
  readonly title: string;
  readonly command: (place: Place, ports: Ports) => readonly string[];
  /** The relay and its load run on both processors. */
  readonly isSpread?: true;
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
});

const bareRelay: Kind = {
  title: 'bare relay of node:net',
  command: ({ upstreams }, ports) => [
    ...program('bench/tcp-guard/relay/bare.js'),
    host,
    ...portPairs(ports, upstreams).map(([, port, upstream]) => `${port}:${upstream}`),
  ],
};

export const kinds = {
  packaged: guard('tcp-guard as packaged', { dataPlane: 'auto', perAddress: 256 }),
  linux: guard('tcp-guard, data_plane: linux', { dataPlane: 'linux' }),
  net: guard('tcp-guard, data_plane: net'),
  bare: bareRelay,
  haproxy: haproxy('HAProxy'),
  'haproxy-splice': haproxy('HAProxy, splicing', { splice: true }),
  'linux-2': guard('tcp-guard, linux, workers: 2, unpinned', { dataPlane: 'linux', workers: 2 }),
  'net-2': guard('tcp-guard, net, workers: 2, unpinned', { workers: 2 }),
  'haproxy-threads': haproxy('HAProxy, nbthread 2, unpinned', { threads: 2 }),
} as const satisfies Record<string, Kind>;

export type PeerName = keyof typeof kinds;

export async function startPeer(place: Place, name: PeerName): Promise<Peer> {
  const { command, isSpread }: Kind = kinds[name];
  const folder = join(place.folder, name);
  mkdirSync(folder);
  const ports = await freePorts();
  const [processor, loadOn] = isSpread ? [bothProcessors, bothProcessors] : [relayProcessor, loadProcessor];
  const child = startPinned(processor, ...command({ ...place, folder }, ports));
  child.stdout?.resume();
  await waitUntilListening(ports.web, child);
  return { ports, child, loadOn };
}
