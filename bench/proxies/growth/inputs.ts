/** What can grow in a proxy with the guard: each row has its sizes and makes its policies and requests. */
import { join } from 'node:path';
import type { PolicyFile } from '../../../contract/policy/schema.ts';
import { writeBanList } from '../ban-list-file.ts';
import type { Sent } from './client.ts';
import type { HostName } from './hosts.ts';

export interface Growth {
  readonly name: string;
  readonly hosts: readonly HostName[];
  readonly sizes: readonly [number, number, number];
  /** The policies of the guards. Each guard has one site. */
  readonly policies: (size: number, folder: string) => readonly PolicyFile[];
  readonly sent: (size: number) => Sent;
  /** Requests of one measurement. */
  readonly requests: number;
}

const path = '/products/*';
const list = <Value>(size: number, of: (index: number) => Value): Value[] =>
  Array.from({ length: size }, (_, index) => of(index));

function banList(size: number, folder: string): PolicyFile {
  const file = join(folder, `bans-${size}`);
  writeBanList(file, size, 2);
  return { banList: { file } };
}

/** No string ends with a space, which has a second reading. */
const jsonOf = (bytes: number): string =>
  JSON.stringify(list(bytes / 64, (index) => `${`value ${index} of an honest request, `.padEnd(60, 'text ')}x`));

export const growths: readonly Growth[] = [
  {
    name: 'guards with different policies',
    hosts: ['caddy', 'nginx'],
    sizes: [1, 10, 100],
    policies: (size) => list(size, (index) => ({ blockPatterns: [`^/only-${index}/`] })),
    sent: () => ({ path }),
    requests: 500,
  },
  {
    name: 'user rules',
    hosts: ['caddy', 'nginx', 'traefik'],
    sizes: [10, 100, 1000],
    policies: (size) => [{ blockPatterns: list(size, (index) => `^/internal-${index}/\\w+\\.cfg$`) }],
    sent: () => ({ path: '/internal/*/report.txt' }),
    requests: 500,
  },
  {
    name: 'exceptions',
    hosts: ['caddy', 'nginx', 'traefik'],
    sizes: [1, 10, 100],
    policies: (size) => [
      { exceptions: list(size, (index) => ({ rules: ['trav-dotdot'], path: `^/exports-${index}/` })) },
    ],
    sent: () => ({ path }),
    requests: 500,
  },
  {
    name: 'banned ranges',
    hosts: ['caddy', 'nginx', 'traefik'],
    sizes: [1000, 10_000, 100_000],
    policies: (size, folder) => [banList(size, folder)],
    sent: () => ({ path }),
    requests: 500,
  },
  {
    name: 'routers with a guard',
    hosts: ['traefik', 'compiled-traefik'],
    sizes: [1, 10, 100],
    policies: (size) => list(size, () => ({})),
    sent: () => ({ path }),
    requests: 500,
  },
  {
    name: 'bytes of a body of JSON',
    hosts: ['caddy', 'nginx', 'traefik'],
    sizes: [1024, 8192, 65_536],
    policies: () => [{ methods: ['*'], checkBody: true }],
    sent: (size) => ({ path, body: jsonOf(size) }),
    requests: 40,
  },
];
