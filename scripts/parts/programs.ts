/** Tests of the TypeScript side: alone, and in containers of a real engine. */
import type { Task } from '../graph/task.ts';
import { check } from './checked.ts';
import { runNodeTests } from './node-tests.ts';

/** Tests that start nginx as a child process, in no container. */
const withNginx = 'e2e/{nginx-*,install-lua}.test.js';
const withLua = 'e2e/nginx-lua/**';

/** Tests that start Caddy, Traefik or tcp-guard as a child process, in no container. */
const withProcesses =
  'e2e/{traefik-*,install-{caddy,traefik,package},generate-caddyfile,apply,tcp-guard-generate}.test.js';

/** Caddy, Traefik and nginx as child processes, in no container. */
const withProxies = 'e2e/broken-bodies.test.js';

/** Tests of tcp-guard with servers and clients of the distribution. */
const withServers = 'e2e/tcp-guard-{servers,ssh,rdp,syn-flood,logrotate}.test.js';

/** Tests of tcp-guard with real CrowdSecs. */
const withCrowdsec = 'e2e/crowdsec*.test.js';

export const programParts: readonly Task[] = [
  // The longest comes first: the others find their place beside it.
  {
    name: 'e2e',
    does: 'sending requests to real proxies in containers',
    needs: ['native', 'build', 'engine', 'caddy', 'traefik', 'runner', 'debian', 'chromium'],
    // One sandbox at a time leaves its proxy the processors that a user gives it.
    run: (context) =>
      runNodeTests(context, {
        include: 'e2e/**/*.test.js',
        exclude: [withNginx, withLua, withProcesses, withProxies, withServers, withCrowdsec],
        concurrency: 1,
      }),
    mend: 'run `node --test` on the files named above, below dist/',
  },
  check({
    name: 'api-contract',
    does: 'holding the management API to its OpenAPI document',
    needs: ['packages', 'schemathesis'],
    tool: process.execPath,
    args: ['e2e/api-contract.ts'],
    mend: 'make the API and contract/api/operations.ts agree on the requests above',
  }),
  check({
    name: 'parity',
    does: 'comparing generated requests in three engines, and over the wire in three proxies',
    // Behind the other tests with containers: each proxy has the processors for itself.
    needs: ['native', 'build', 'engine', 'caddy', 'traefik', 'runner', 'luajit', 'e2e'],
    tool: process.execPath,
    args: ['dist/e2e/parity/main.js', '--count', '20000'],
    mend: 'make the verdicts agree on the requests above; `npm run parity` repeats them',
  }),
  {
    name: 'unit',
    does: 'testing the TypeScript sources',
    needs: ['native', 'build'],
    run: (context) => runNodeTests(context, { include: '**/*.test.js', exclude: ['e2e/**'], concurrency: true }),
    mend: 'run `node --test` on the files named above, below dist/',
  },
  {
    name: 'nginx-tests',
    does: 'sending requests to nginx on this machine',
    needs: ['native', 'build', 'nginx'],
    run: (context) => runNodeTests(context, { include: withNginx, concurrency: true }),
    mend: 'run `node --test` on the files named above, below dist/',
  },
  {
    name: 'process-tests',
    does: 'sending requests to Caddy and Traefik on this machine',
    needs: ['native', 'build', 'caddy', 'traefik'],
    run: (context) => runNodeTests(context, { include: withProcesses, concurrency: 1 }),
    mend: 'run `node --test` on the files named above, below dist/',
  },
  {
    name: 'broken-bodies',
    does: 'sending broken bodies to the proxies on this machine',
    needs: ['native', 'build', 'caddy', 'traefik', 'nginx'],
    run: (context) => runNodeTests(context, { include: withProxies, concurrency: 1 }),
    mend: 'run `node --test` on the file named above, below dist/',
  },
  {
    name: 'crowdsec-tests',
    does: 'sharing bans with an old and a new CrowdSec',
    needs: ['native', 'build', 'crowdsec-debian', 'crowdsec', 'cscli', 'caddy'],
    run: (context) => runNodeTests(context, { include: withCrowdsec, concurrency: 2 }),
    mend: 'run `node --test` on the files named above, below dist/',
  },
  {
    name: 'tcp-servers',
    does: 'logging in to real servers through tcp-guard',
    needs: ['native', 'build', 'servers', 'nginx'],
    run: (context) => runNodeTests(context, { include: withServers, concurrency: 1 }),
    mend: 'run `node --test` on the files named above, below dist/',
  },
];
