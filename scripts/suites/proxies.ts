/** End-to-end suites: sandboxes, real proxies, servers and clients. */
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { inImage, node, nodeTests, program, type Suite } from './suite.ts';

const sandboxes = ['containers', 'caddy', 'traefik', 'runner', 'debian'];

/** Tests that start Caddy, Traefik or tcp-guard as child processes without a container. */
const onHost = ['traefik-*', 'install-{caddy,traefik,package}', 'generate-caddyfile', 'apply', 'tcp-guard-generate'];
const withNginx = ['nginx-*', 'nginx-lua/**/*', 'install-lua'];
const withServers = ['tcp-guard-{servers,ssh,rdp,syn-flood,logrotate}'];

const below = (names: readonly string[]): string[] => names.map((name) => `e2e/${name}.test.js`);

export const proxySuites: readonly Suite[] = [
  nodeTests({
    name: 'modes',
    tier: 'test',
    does: 'sending every response mode over the wire through each proxy',
    needs: sandboxes,
    files: { include: below(['modes']), concurrency: 1 },
  }),
  nodeTests({
    name: 'commands',
    tier: 'test',
    does: 'running guardcli sandbox as a user would',
    needs: sandboxes,
    files: { include: below(['command', 'sandbox-proxies', 'tcp-guard-sandbox']), concurrency: 1 },
  }),
  nodeTests({
    name: 'wire',
    tier: 'full',
    does: 'sending vectors, captchas and a browser through each proxy',
    needs: [...sandboxes, 'image-full'],
    files: {
      include: below(['wire', 'dashboard-report']),
      concurrency: 1,
      programs: join(packageRoot, 'scripts/test-image/bin'),
    },
  }),
  nodeTests({
    name: 'faults',
    tier: 'full',
    does: 'interrupting and confining sandboxes',
    needs: sandboxes,
    files: {
      include: below([
        ...['cleanup', 'cold-start', 'faults', 'hardening', 'interruptions', 'runtimes'],
        ...['tcp-guard-container', 'tcp-guard-examples', 'tcp-guard-probes'],
      ]),
      concurrency: 1,
    },
  }),
  program({
    name: 'parity',
    tier: 'full',
    does: 'sending generated requests over the wire through each proxy',
    needs: ['native', 'build', ...sandboxes],
    // Runs alone, because each proxy needs all processors.
    after: ['modes', 'commands', 'wire', 'faults'],
    command: [node, 'dist/e2e/parity/main.js', '--wire', '--count', '20000'],
    fix: 'make the verdicts agree on the requests above; `npm run parity` repeats them',
  }),
  nodeTests({
    name: 'processes',
    tier: 'full',
    does: 'sending requests to Caddy, Traefik and tcp-guard on this machine',
    needs: ['go', 'caddy', 'traefik'],
    files: { include: below(onHost), concurrency: 1 },
  }),
  nodeTests({
    name: 'broken-bodies',
    tier: 'full',
    does: 'sending broken bodies to Caddy, Traefik and nginx',
    needs: ['image-light', 'caddy', 'traefik'],
    files: { include: below(['broken-bodies']), concurrency: 1, through: inImage() },
  }),
  nodeTests({
    name: 'nginx',
    tier: 'full',
    does: 'sending requests to the guard in nginx',
    needs: ['image-light'],
    files: { include: below(withNginx), concurrency: 2, through: inImage() },
  }),
  nodeTests({
    name: 'crowdsec-tests',
    tier: 'full',
    does: 'sharing bans with an old and a new CrowdSec',
    needs: ['image-full', 'crowdsec', 'cscli', 'caddy', 'traefik'],
    files: { include: below(['crowdsec*']), concurrency: 2, through: inImage('--image', 'full') },
  }),
  nodeTests({
    name: 'servers',
    tier: 'full',
    does: 'logging in to real servers through tcp-guard',
    needs: ['image-full'],
    files: {
      include: below(withServers),
      concurrency: 1,
      through: inImage('--image', 'full', '--capability', 'NET_ADMIN', '--capability', 'NET_RAW'),
    },
  }),
  program({
    name: 'api-contract',
    tier: 'full',
    does: 'checking the management API against its OpenAPI document',
    needs: ['packages', 'image-api'],
    command: [...inImage('--image', 'api'), node, 'e2e/api-contract.ts'],
    fix: 'make the API and contract/api/operations.ts agree on the requests above',
  }),
  program({
    name: 'actionlint',
    tier: 'full',
    does: 'checking the workflows of CI',
    needs: ['go'],
    command: ['go', 'run', 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.7', '-no-color'],
    fix: 'fix the problems above',
  }),
];
