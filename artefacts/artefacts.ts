/** Programs that are compiled before an image is built or a test runs, because images have no compiler. */

export interface Artefact {
  /** The folder in which Go runs, relative to the package root. It contains a go.mod. */
  readonly source: string;
  /** Import path of the main package, in a module that `source`/go.mod requires. Absent: the package in `source`. */
  readonly main?: string;
  /** All folders with Go sources of the artefact, relative to the package root. */
  readonly inputs: readonly string[];
  readonly tags: readonly string[];
  /** Pinned modules of an image: module path to version. `source`/go.mod must require the same versions. */
  readonly pins: Readonly<Record<string, string>>;
  /** True for a program with C sources, which needs a C compiler. The C library is linked statically. */
  readonly cgo?: true;
  /** Values that the linker sets: import path and name to value. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Builds at the lowest priority, because only tests wait for it. */
  readonly isForTests?: true;
}

/** CrowdSec without unused components. It uses SQLite in C, because SQLite in Go ignores the busy timeout. */
const crowdsec = {
  source: 'e2e/crowdsec',
  inputs: ['e2e/crowdsec'],
  tags: [
    ...['netgo', 'osusergo', 'expr_debug', 'nomsgpack', 'sqlite_omit_load_extension', 'no_cscli_setup'],
    ...['no_db_mysql', 'no_db_postgres', 'no_datasource_appsec', 'no_datasource_cloudwatch', 'no_datasource_docker'],
    ...['no_datasource_http', 'no_datasource_journalctl', 'no_datasource_k8saudit', 'no_datasource_kafka'],
    ...['no_datasource_kinesis', 'no_datasource_loki', 'no_datasource_s3', 'no_datasource_syslog'],
    ...['no_datasource_victorialogs', 'no_datasource_wineventlog'],
  ],
  pins: {},
  cgo: true,
  isForTests: true,
  variables: { 'github.com/crowdsecurity/go-cs-lib/version.Version': 'v1.7.8' },
} as const;

export const artefacts = {
  caddy: {
    source: 'sandbox-images/caddy',
    inputs: ['sandbox-images/caddy', 'module'],
    tags: [],
    pins: { 'github.com/caddyserver/caddy/v2': 'v2.11.9' },
  },
  /** Traefik as published. It loads the guard as a local plugin, from its sources. */
  traefik: {
    source: 'sandbox-images/traefik',
    main: 'github.com/traefik/traefik/v3/cmd/traefik',
    inputs: ['sandbox-images/traefik'],
    tags: [],
    pins: { 'github.com/traefik/traefik/v3': 'v3.7.10' },
  },
  /** The program that every sandbox container starts first. It contains the echo upstream. */
  runner: {
    source: 'sandbox-images/runner',
    inputs: ['sandbox-images/runner'],
    tags: [],
    pins: {},
  },
  /** The decision service for tests of tcp-guard's threat feed; not part of an image. */
  crowdsec: { ...crowdsec, main: 'github.com/crowdsecurity/crowdsec/cmd/crowdsec' },
  cscli: { ...crowdsec, main: 'github.com/crowdsecurity/crowdsec/cmd/crowdsec-cli' },
  /** The HTTP/2 and HTTP/3 client of tests. Node's libraries cannot send arbitrary bytes, and have no HTTP/3. */
  'http-client': {
    source: 'e2e/proxies/http-client',
    inputs: ['e2e/proxies/http-client'],
    tags: [],
    pins: { 'github.com/quic-go/quic-go': 'v0.63.0', 'golang.org/x/net': 'v0.60.0' },
    isForTests: true,
  },
  /** The log collector of the dashboard, for machines without an image registry. */
  collector: {
    source: 'sandbox-images/collector',
    inputs: ['sandbox-images/collector'],
    tags: [],
    pins: { 'go.opentelemetry.io/collector/otelcol': 'v0.160.0' },
    isForTests: true,
  },
  /** The compose tool that tests of the dashboard run. */
  compose: {
    source: 'e2e/dashboard/compose',
    main: 'github.com/docker/compose/v5/cmd',
    inputs: ['e2e/dashboard/compose'],
    tags: [],
    pins: { 'github.com/docker/compose/v5': 'v5.5.1' },
    isForTests: true,
    variables: { 'github.com/docker/compose/v5/internal.Version': '5.5.1' },
  },
} as const satisfies Record<string, Artefact>;

export type ArtefactName = keyof typeof artefacts;

/** The oldest Go that can read the go.mod files. With an older one, the builder uses a container. */
export const oldestGo = '1.21';
