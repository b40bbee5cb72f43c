/** Restrictions and resource limits of every sandbox container, the same for all proxies. */

const mebibyte = 1024 * 1024;

/** The user nobody. The images contain no file of this user. */
export const containerUser = '65532:65532';

/** Port of the first listener in a container. Ports from 1024 need no capability. */
export const firstContainerPort = 8080;

/** Mount options of writable folders. They name no owner, which Podman refuses: all processes have the same user. */
const writableMount = 'rw,noexec,nosuid,nodev,size=16m,mode=1777';

export const hardening = {
  user: containerUser,
  readOnlyRoot: true,
  dropCapabilities: ['ALL'],
  securityOptions: ['no-new-privileges:true'],
  /**
   * Traefik with one policy uses 140 MB. 60 MB of them are pages of its program file: the kernel charges a page to the first process that
   * reads it since boot. With less than 256 MiB Traefik rereads the same pages and never becomes ready. Each further policy takes 5 MB,
   * because the interpreter compiles the built-in rules again. The limit includes swap.
   */
  memoryBytes: 512 * mebibyte,
  /** Proxies have 10 to 20 threads. */
  processes: 64,
  /** With the default, /dev/shm would be writable. */
  ipc: 'none',
  /** The only writable folders. Files in them cannot be executed. */
  tmpfs: { '/tmp': writableMount, '/etc/guard': writableMount },
  /**
   * Limits the log files of a flooded sandbox on the disk of the container runtime. At the limit, the runtime drops the
   * oldest file. With only one file it would drop all lines; with two, at least the last 10 MB stay.
   */
  log: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '2' } },
} as const;

/**
 * Options for the network of an isolated sandbox. The network is also created as internal, which cuts it off from
 * other networks. This option gives the bridge no address of the machine, so that containers cannot reach that
 * machine either.
 */
export const closedNetworkOptions = { 'com.docker.network.bridge.inhibit_ipv4': 'true' } as const;
