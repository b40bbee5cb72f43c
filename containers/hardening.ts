/** Restrictions of every sandbox container. */

const mebibyte = 1024 * 1024;

/** The images contain no file of this user. */
export const containerUser = '65532:65532';

/** Port of the first listener in a container. Ports from 1024 need no capability. */
export const firstContainerPort = 8080;

/** Mount options. They set no owner, because Podman refuses that option. */
const writableMount = 'rw,noexec,nosuid,nodev,size=16m,mode=1777';

export const hardening = {
  user: containerUser,
  readOnlyRoot: true,
  dropCapabilities: ['ALL'],
  securityOptions: ['no-new-privileges:true'],
  /**
   * Traefik with one policy uses 140 MB, and 5 MB for each further policy. With less than 256 MiB it rereads the pages
   * of its program and never becomes ready. The limit includes swap.
   */
  memoryBytes: 512 * mebibyte,
  /** Proxies have 10 to 20 threads. */
  processes: 64,
  /** With the default, /dev/shm would be writable. */
  ipc: 'none',
  /** The only writable folders. */
  tmpfs: { '/tmp': writableMount, '/etc/guard': writableMount },
  /**
   * Limits the logs of a flooded sandbox. At the limit the runtime drops the oldest file, so a single file would lose
   * all lines.
   */
  log: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '2' } },
} as const;

/**
 * The network of an isolated sandbox is internal. With this option, the machine also has no address in the network.
 */
export const closedNetworkOptions = { 'com.docker.network.bridge.inhibit_ipv4': 'true' } as const;
