/** The suites of `npm run test:full`: faults, real servers and clients, generated requests. */
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import { heavyTests } from './check.ts';
import { lateGoSuites, sharedBuildSettings } from './go.ts';
import { documentation, inImage, nodeProgram, nodeTests, program, type Suite } from './suite.ts';
import { e2eFiles, sandboxes } from './test.ts';

/** Steps for all releases of the proxies, and for a client of all versions of HTTP. */
const versionSteps = [...sandboxes, 'debian-trixie', 'debian-sid', 'http-client'];

/** Variables of a run that tests the plugin in a Traefik that the guard is compiled into. */
const compiledTraefik = { TEST_TRAEFIK: 'compiled' };

export const fullSuites: readonly Suite[] = [
  ...lateGoSuites,
  nodeTests('heavy', 'testing the TypeScript sources with many processes and inputs', [], {
    include: heavyTests,
    concurrency: 2,
  }),
  nodeTests('linux-plane', 'testing tcp-guard with the Linux data plane', [], {
    include: ['daemon/{admission,app,audit,process,proxy-protocol,session,workers}/**/*.test.js'],
    env: { TEST_DATA_PLANE: 'linux' },
    concurrency: 2,
  }),
  nodeTests('wire', 'sending vectors, captchas and a browser through each proxy', [...sandboxes, 'image-full'], {
    include: e2eFiles('proxies/wire/wire', 'dashboard/{report,grafana}'),
    programs: join(packageRoot, 'scripts/test-image/bin'),
  }),
  nodeTests(
    'releases',
    'sending the probes to each release of the proxies, over HTTP/1.1, HTTP/2 and HTTP/3',
    versionSteps,
    { include: e2eFiles('proxies/releases', 'proxies/http-versions/*') },
  ),
  nodeTests('faults', 'interrupting and confining sandboxes', sandboxes, {
    include: e2eFiles(
      'sandbox/{cleanup,cold-start,faults,hardening,interruptions,runtimes}',
      'tcp-guard/{container,examples,probes}',
    ),
  }),
  nodeTests('ci-files', 'running the CI files of users step by step', sandboxes, { include: e2eFiles('cli/ci/ci') }),
  nodeTests(
    'dashboard-stack',
    "running the dashboard's stack with a real compose tool, Loki and collector",
    ['image-collector', 'compose'],
    { include: e2eFiles('dashboard/stack') },
  ),
  nodeTests(
    'terminal',
    'driving completion, the workbench and the dashboards of a real Loki in a terminal',
    ['loki', 'image-light'],
    {
      include: e2eFiles('cli/{completion,workbench}', 'dashboard/watch'),
      through: inImage(),
    },
  ),
  program(
    'parity',
    'sending generated requests over the wire through each proxy',
    ['native', 'build', ...versionSteps],
    {
      // Runs after the other large suites, because each proxy needs all processors.
      after: ['modes', 'commands', 'wire', 'faults'],
      command: [nodeProgram, 'dist/e2e/proxies/parity/main.js', '--wire', '--count', '20000'],
      fix: 'make the verdicts agree on the requests above; `npm run parity` repeats them',
    },
  ),
  // These tests start Caddy, Traefik and tcp-guard as child processes without a container.
  nodeTests(
    'processes',
    'sending requests to Caddy, Traefik and tcp-guard on this machine',
    ['go', 'caddy', 'traefik', 'traefik-compiled'],
    {
      include: e2eFiles(
        '{caddy,traefik}/*',
        'proxies/captcha/*',
        'proxies/{held-flood,proxy-protocol}',
        'install/{caddy,licenses,traefik,package}',
        'tcp-guard/generate',
      ),
    },
  ),
  nodeTests(
    'compiled-processes',
    'repeating the tests of the plugin with Traefik that has the guard compiled in',
    ['traefik-compiled', 'caddy'],
    {
      include: e2eFiles('traefik/{bodies,errors,events,held,host,http2,reload,upgrades}', 'proxies/bans'),
      env: compiledTraefik,
    },
  ),
  nodeTests(
    'compiled-wire',
    'sending every response mode over the wire through Traefik that has the guard compiled in',
    [...sandboxes, 'traefik-compiled'],
    { include: e2eFiles('proxies/modes'), env: compiledTraefik },
  ),
  program(
    'compiled-parity',
    'sending generated requests over the wire through Traefik that has the guard compiled in',
    [...sandboxes, 'http-client', 'traefik-compiled'],
    {
      after: ['parity'],
      command: [nodeProgram, 'dist/e2e/proxies/parity/main.js', '--wire', '--count', '20000', '--proxy', 'traefik'],
      env: compiledTraefik,
      fix: 'make the verdicts agree on the requests above',
    },
  ),
  nodeTests(
    'compiled',
    'building Traefik and Caddy with the guard in them, and sending the probes to Traefik',
    [...sandboxes, 'go', 'traefik-compiled'],
    { include: e2eFiles('install/{build,images}', 'sandbox/compiled') },
  ),
  nodeTests(
    'go-release',
    'installing the Go modules of a release with xcaddy and Traefik',
    [...sandboxes, 'go', 'traefik'],
    { include: e2eFiles('install/go-release') },
  ),
  nodeTests(
    'lua-release',
    'installing the Lua modules of a release with LuaRocks, and testing them with Test::Nginx',
    ['containers', 'image-resty'],
    { include: e2eFiles('install/lua-release') },
  ),
  nodeTests(
    'broken-bodies',
    'sending broken bodies, and requests of banned clients, to Caddy, Traefik and nginx',
    ['image-light', 'caddy', 'traefik', 'traefik-compiled'],
    {
      include: e2eFiles('proxies/broken-bodies/*', 'proxies/bans'),
      through: inImage(),
    },
  ),
  nodeTests(
    'file-servers',
    'asking real file servers behind Caddy, Traefik and nginx for the files that rules protect',
    ['image-full', 'caddy', 'traefik'],
    { include: e2eFiles('proxies/file-servers'), through: inImage('--image', 'full') },
  ),
  nodeTests('nginx', 'sending requests to the guard in nginx', ['image-light'], {
    include: e2eFiles('nginx/**/*', 'install/lua'),
    concurrency: 2,
    through: inImage(),
  }),
  nodeTests(
    'crowdsec-tests',
    'sharing bans with an old and a new CrowdSec',
    ['image-full', 'crowdsec', 'cscli', 'caddy', 'traefik'],
    { include: e2eFiles('crowdsec/*'), concurrency: 2, through: inImage('--image', 'full') },
  ),
  nodeTests(
    'dashboard-collector',
    'filling Loki through the collector of the dashboard',
    [...sandboxes, 'loki', 'collector'],
    {
      include: e2eFiles('dashboard/{collector,collector-*,queries}'),
    },
  ),
  nodeTests(
    'first-minute',
    'following the documentation in a new clone, and with the package on a new machine',
    [...sandboxes, 'image-light'],
    { include: e2eFiles('install/first-minute') },
  ),
  nodeTests('conformance-data', 'running the conformance data as another implementation would', ['image-full'], {
    include: e2eFiles('install/conformance-data'),
    through: inImage('--image', 'full'),
  }),
  documentation(
    'pages-image',
    'running the commands of the documentation that install and listen',
    ['image-full'],
    'image',
    inImage('--image', 'full'),
  ),
  nodeTests('servers', 'logging in to real servers through tcp-guard', ['image-full'], {
    include: e2eFiles('tcp-guard/{servers,starttls,shifts,pipelined-logins,ftp,ssh,rdp,syn-flood,logrotate}'),
    through: inImage('--image', 'full', '--capability', 'NET_ADMIN', '--capability', 'NET_RAW'),
  }),
  nodeTests('applications', 'using applications in a browser behind the guard', ['image-applications', 'caddy'], {
    include: e2eFiles('applications/*'),
    through: inImage('--image', 'applications'),
  }),
  nodeTests(
    'kernel-bans',
    'dropping packets of banned addresses in the firewall, beside other firewalls',
    ['image-full', 'caddy'],
    {
      // One file at a time, because all of them write the table of one network namespace.
      include: [
        ...e2eFiles('tcp-guard/{kernel-bans,host-bans,coexistence,edges,guessers}'),
        'daemon/kernel-bans/table.test.js',
      ],
      through: inImage(
        '--image',
        'full',
        ...['NET_ADMIN', 'NET_RAW', 'SYS_ADMIN'].flatMap((name) => ['--capability', name]),
      ),
    },
  ),
  program('api-contract', 'checking the management API against its OpenAPI document', ['image-api'], {
    command: [...inImage('--image', 'api'), nodeProgram, 'e2e/tcp-guard/api-contract.ts'],
    fix: 'make the API and contract/api/operations.ts agree on the requests above',
  }),
  nodeTests('debian-package', 'installing, upgrading and purging the Debian package under systemd', ['image-systemd'], {
    include: e2eFiles('install/debian'),
    through: inImage('--image', 'systemd'),
  }),
  nodeTests('rpm-package', 'installing, upgrading and removing the rpm package under systemd', ['image-systemd'], {
    include: e2eFiles('install/rpm'),
    through: inImage('--image', 'systemd'),
  }),
  nodeTests('debian-caddy', 'installing Caddy with the guard beside that of Debian', ['image-systemd', 'caddy'], {
    include: e2eFiles('install/debian-caddy'),
    through: inImage('--image', 'systemd'),
  }),
  nodeTests('debian-host', 'guarding a Debian host in three steps', ['image-systemd'], {
    include: e2eFiles('install/debian-host'),
    through: inImage('--image', 'systemd', '--capability', 'NET_ADMIN'),
  }),
  nodeTests('debian-firewalld', 'banning beside firewalld', ['image-systemd'], {
    include: e2eFiles('install/debian-firewalld'),
    through: inImage('--image', 'systemd', '--capability', 'NET_ADMIN'),
  }),
  nodeTests(
    'kubernetes',
    'checking generated manifests with the schemas of Kubernetes, Traefik and the Gateway API',
    ['image-api', 'go'],
    { include: e2eFiles('kubernetes/schemas') },
  ),
  program('actionlint', 'checking the workflows of CI, the examples of them and action.yml', ['native', 'go'], {
    command: [nodeProgram, 'scripts/actionlint.ts'],
  }),
  program(
    'differential',
    'comparing the engines in TypeScript, Go and Lua on 20,000 generated requests',
    ['native', 'image-light', 'go'],
    {
      command: [nodeProgram, 'conformance/differential/compare.ts', '--count', '20000'],
      env: sharedBuildSettings,
      fix: 'make the engines agree on the requests above; `npm run differential` repeats them',
    },
  ),
  program('mutants', 'checking that the vectors detect the mutants of changed files of the engine', ['native'], {
    command: [nodeProgram, 'conformance/mutants/run.ts'],
    fix: 'add a vector for each mutant named above; `scripts/bootstrap mutants` repeats this',
  }),
  program(
    'mutants-prefilters',
    'checking that the tests in Go and Lua detect the mutants of changed files with prefilters',
    ['go', 'image-light'],
    {
      command: [nodeProgram, 'conformance/mutants/run-prefilters.ts'],
      env: sharedBuildSettings,
      fix: 'add a vector for each mutant named above; `scripts/bootstrap mutants-prefilters` repeats this',
    },
  ),
];
