import { benchGoEngine } from './engine/engine-go.ts';
import { benchOffline } from './engine/offline.ts';
import { benchCli } from './guardcli/cli.ts';
import { benchSandbox } from './guardcli/sandbox.ts';
import { sysctls } from './measure/process.ts';
import type { Benchmark } from './measure/row.ts';
import { benchBanLists } from './proxies/ban-lists.ts';
import { benchBodies } from './proxies/bodies.ts';
import { benchCaddy } from './proxies/caddy.ts';
import { benchExploits } from './proxies/exploits.ts';
import { benchGrowth } from './proxies/growth.ts';
import { benchHeld } from './proxies/held.ts';
import { benchNginx } from './proxies/nginx.ts';
import { benchOthers } from './proxies/others.ts';
import { benchStreams } from './proxies/streams.ts';
import { benchTraefik } from './proxies/traefik.ts';
import { benchCompiledTraefik } from './proxies/traefik-compiled.ts';
import { benchTraefikReloads } from './proxies/traefik-reloads.ts';
import { benchBans } from './tcp-guard/bans.ts';
import { benchFirewall } from './tcp-guard/firewall.ts';
import { benchInspectors } from './tcp-guard/inspectors.ts';
import { benchIntake } from './tcp-guard/intake.ts';
import { benchRelay } from './tcp-guard/relay.ts';
import { benchSoak } from './tcp-guard/soak.ts';
import { benchWorkers } from './tcp-guard/workers.ts';

const relay = {
  run: benchRelay,
  sysctls,
  // SYS_NICE permits a higher priority; the other two permit filters in the kernel.
  capabilities: ['NET_ADMIN', 'SYS_ADMIN', 'SYS_NICE'],
};

export const benchmarks: readonly Benchmark[] = [
  {
    name: 'cli',
    summary: 'start of guardcli against an empty Node process, and the largest policies',
    run: benchCli,
  },
  { name: 'engine', summary: 'Go engine, time and allocations per evaluation', run: benchGoEngine },
  { name: 'offline', summary: 'TypeScript engine, cases a second on one core', run: benchOffline },
  { name: 'caddy', summary: 'bare Caddy against guarded Caddy under wrk', run: benchCaddy, inTestImage: 'full' },
  {
    name: 'traefik',
    summary: 'bare Traefik against guarded Traefik under wrk',
    run: benchTraefik,
    inTestImage: 'full',
  },
  {
    name: 'traefik-compiled',
    summary: 'bare Traefik against Traefik with the guard compiled in, under wrk',
    run: benchCompiledTraefik,
    inTestImage: 'full',
  },
  {
    name: 'traefik-reloads',
    summary: 'memory of Traefik over changes of its configuration, with each variant of the guard',
    run: benchTraefikReloads,
  },
  { name: 'nginx', summary: 'bare nginx against guarded nginx under wrk', run: benchNginx, inTestImage: 'full' },
  {
    name: 'ban-lists',
    summary: 'each proxy with a ban list of 100,000 ranges: clean clients, a new file each second, memory',
    run: benchBanLists,
    inTestImage: 'full',
  },
  {
    name: 'exploits',
    summary: 'each proxy with each value of the key exploits against off',
    run: benchExploits,
    inTestImage: 'full',
  },
  {
    name: 'others',
    summary: 'the guard, the Core Rule Set and fail2ban on the same requests',
    run: benchOthers,
    inTestImage: 'tools',
  },
  {
    name: 'bodies',
    summary: 'bodies of 64 KiB in each proxy, honest and hostile',
    run: benchBodies,
    inTestImage: 'full',
  },
  {
    name: 'streams',
    summary: 'each proxy while 256 clients read infinite_stream',
    run: benchStreams,
    inTestImage: 'full',
  },
  {
    name: 'growth',
    summary:
      'start, memory and requests of each proxy against the number of guards, rules, exceptions, banned ranges, bytes',
    run: benchGrowth,
    inTestImage: 'full',
  },
  { name: 'held', summary: 'Caddy while it holds 2,000 clients in a tarpit', run: benchHeld },
  { name: 'bans', summary: 'bans of tcp-guard: look-up, memory, start, durable additions', run: benchBans },
  {
    name: 'firewall',
    summary: 'a host with 100,000 bans in the firewall against the same host without, and the start with them',
    run: benchFirewall,
    inTestImage: 'full',
    capabilities: ['NET_ADMIN', 'SYS_ADMIN'],
  },
  {
    name: 'intake',
    summary:
      'clients after the line that bans them, guesses of hydra, memory and idle time of the daemon, and a replay',
    run: benchIntake,
    inTestImage: 'full',
    capabilities: ['NET_ADMIN', 'SYS_ADMIN'],
  },
  { name: 'inspectors', summary: 'inspectors of tcp-guard, bytes a second', run: benchInspectors },
  {
    name: 'workers',
    summary: 'new connections of tcp-guard with two workers against one process',
    run: benchWorkers,
    // A container has no connection tracking, which would add a cost to each connection.
    inTestImage: 'full',
    sysctls,
  },
  {
    ...relay,
    name: 'relay',
    summary: 'tcp-guard against a bare relay and the HAProxy of Debian sid, on the loopback',
    inTestImage: 'relay',
  },
  {
    ...relay,
    name: 'relay-stable',
    summary: 'the same with the HAProxy of Debian 12',
    inTestImage: 'full',
    isNamedOnly: true,
  },
  {
    name: 'soak',
    summary: 'tcp-guard under idle connections, slow readers and a flood at once, and under random connections',
    run: benchSoak,
    isNamedOnly: true,
  },
  { name: 'sandbox', summary: 'warm sandbox --test against docker run until the first answer', run: benchSandbox },
];
