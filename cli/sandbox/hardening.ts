/** What a sandbox container is not allowed, and how little it gets. The same for every proxy. */

const mebibyte = 1024 * 1024;

/** Nobody: no image of ours has a user, and no file of ours belongs to this one. */
export const user = '65532:65532';

/** Ports from 1024 up need no capability. */
export const firstContainerPort = 8080;

export const hardening = {
  user,
  readOnlyRoot: true,
  dropCapabilities: ['ALL'],
  securityOptions: ['no-new-privileges:true'],
  /**
   * Traefik holds 85 MB, and maps 86 MB of its program, which count as well for whoever is the first to read them since
   * the machine started: with less it reads the same pages again and again, and never answers. Swap counts, so there is none.
   */
  memoryBytes: 256 * mebibyte,
  /** Proxies have 10 to 20 threads. */
  processes: 64,
  /** Otherwise /dev/shm is writable. */
  ipc: 'none',
  /** The only places that can be written, and nothing there can be run. */
  tmpfs: {
    '/tmp': 'rw,noexec,nosuid,nodev,size=16m,mode=1777',
    '/etc/guard': 'rw,noexec,nosuid,nodev,size=16m,mode=0700,uid=65532,gid=65532',
  },
  /** Bounds what a flooded sandbox leaves on the disk of the container runtime. */
  log: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '1' } },
} as const;

/**
 * A network without a way out is internal; without an address of its own on the bridge, the machine of the container runtime cannot
 * be reached from it either.
 */
export const closedNetworkOptions = { 'com.docker.network.bridge.inhibit_ipv4': 'true' } as const;
