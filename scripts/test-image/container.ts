/** A container of the test image. It mounts this clone read-only at the same path; files that it writes are lost. */
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { ContainerSpec } from '../../cli/sandbox/containers.ts';
import type { ToOptions } from '../../cli/sandbox/docker.ts';
import { sandboxLabels } from '../../cli/sandbox/labels.ts';
import { packageRoot } from '../../platform/assets.ts';
import { cacheFolder } from '../../platform/cache.ts';

export interface Wanted {
  readonly image: string;
  readonly session: string;
  readonly command: readonly string[];
  /** `none`: its own loopback. `host`: the network of this machine, for tests that connect to sandboxes. */
  readonly network: 'none' | 'host';
  /** In addition to the default capabilities of the container runtime. */
  readonly capabilities: readonly string[];
  /** The command reads the standard input of the caller. Otherwise it has none. */
  readonly passesInput: boolean;
  readonly env: Readonly<Record<string, string>>;
}

const supervisor = join(packageRoot, 'scripts/test-image/supervise.sh');
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Read-only, because containers of most runtimes write as root. */
function mounts() {
  const node = realpathSync(process.execPath);
  mkdirSync(cacheFolder(), { recursive: true });
  const paths = new Set([packageRoot, cacheFolder(), node]);
  return [...paths].map((path) => ({ Type: 'bind', Source: path, Target: path, ReadOnly: true }) as const);
}

/** Without this, a container without a network has no IPv6 on its loopback. A kernel without IPv6 lacks the key. */
function sysctls(network: Wanted['network']): Record<string, string> {
  const isThere = existsSync('/proc/sys/net/ipv6/conf/all/disable_ipv6');
  return network === 'none' && isThere ? { 'net.ipv6.conf.all.disable_ipv6': '0' } : {};
}

function workingFolder(): string {
  const folder = process.cwd();
  return `${folder}/`.startsWith(`${packageRoot}/`) ? folder : packageRoot;
}

export const specOf = ({ image, session, env }: Wanted): ContainerSpec => ({
  name: `request-guard-test-${session}`,
  image,
  labels: sandboxLabels(session, 'test'),
  env: {
    ...env,
    PATH: [dirname(realpathSync(process.execPath)), systemPath].join(delimiter),
    XDG_CACHE_HOME: dirname(cacheFolder()),
  },
  ports: [],
  networks: [],
  hostNames: [],
  stdin: true,
});

export const optionsOf =
  ({ command, network, capabilities, passesInput }: Wanted): ToOptions =>
  ({ name, image, labels, env }) => ({
    name,
    Image: image,
    Labels: { ...labels },
    Env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
    Entrypoint: passesInput ? [] : ['/bin/sh', supervisor],
    Cmd: [...command],
    WorkingDir: workingFolder(),
    OpenStdin: true,
    StdinOnce: true,
    HostConfig: {
      AutoRemove: true,
      NetworkMode: network,
      CapAdd: [...capabilities],
      Mounts: mounts(),
      Sysctls: sysctls(network),
      Tmpfs: { '/tmp': 'rw,exec,nosuid,nodev,mode=1777' },
      LogConfig: { Type: 'none', Config: {} },
    },
  });
