/**
 * Runs a command in the test image: `scripts/node scripts/in-test-image.ts [--image
 * light|full|applications|relay|resty|api|tools|systemd] [--network none|host] [--capability NAME]... [--sysctl NAME=VALUE]...
 * [--stdin] -- <command>`. This clone is mounted read-only at its path; written files are lost.
 */
import { once } from 'node:events';
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { compilerId, compilerVariable } from '../artefacts/build.ts';
import { errorText } from '../cli/program/report.ts';
import { removeSession } from '../cli/sandbox/session/lifecycle.ts';
import { postReaper } from '../cli/sandbox/session/reaper.ts';
import { connect, diskFiles } from '../containers/connect.ts';
import type { Containers } from '../containers/containers.ts';
import { open } from '../containers/docker.ts';
import { isLocal } from '../containers/endpoint.ts';
import { newSession, sandboxLabels } from '../containers/labels.ts';
import { packageRoot } from '../platform/assets.ts';
import { cacheFolder } from '../platform/cache.ts';
import { ExternalError, exitCodeOf, exitCodes, UsageError } from '../platform/errors.ts';
import { ensureTestImage, type ImageName, images } from './steps/test-images.ts';

const interruption = new AbortController();
/** Environment variables of this process that are passed to the command. */
const passedVariables = ['CI', 'FORCE_COLOR', 'NO_COLOR'];
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const { values, positionals: command } = parseArgs({
  allowPositionals: true,
  options: {
    image: { type: 'string', default: 'light' },
    /** `none`: only a separate loopback. `host`: the network of this machine, for tests that connect to sandboxes. */
    network: { type: 'string', default: 'none' },
    /** Capabilities in addition to the default ones of the container runtime. */
    capability: { type: 'string', multiple: true, default: [] },
    sysctl: { type: 'string', multiple: true, default: [] },
    stdin: { type: 'boolean', default: false },
  },
});

/** A shell is the first process, because the default actions of signals do not apply to process 1. */
const shell = { Entrypoint: ['/bin/sh', '-c', '"$@"; exit $?', 'sh'], HostConfig: {} };
/** systemd mounts file systems and moves processes between control groups, and none of that reaches this machine. */
const systemd = {
  Entrypoint: ['/bin/sh', '/usr/local/sbin/start'],
  HostConfig: {
    CapAdd: ['SYS_ADMIN', ...values.capability],
    CgroupnsMode: 'private',
    SecurityOpt: ['seccomp=unconfined', 'apparmor=unconfined'],
    Tmpfs: { '/run': 'rw,exec,nosuid,nodev,mode=755', '/tmp': 'rw,exec,nosuid,nodev,mode=1777' },
  },
};

async function optionsOf(image: string, session: string) {
  const first = values.image === 'systemd' ? systemd : shell;
  mkdirSync(cacheFolder(), { recursive: true });
  const node = realpathSync(process.execPath);
  const folder = process.cwd();
  const variables = {
    ...Object.fromEntries(passedVariables.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    PATH: [dirname(node), systemPath].join(delimiter),
    XDG_CACHE_HOME: dirname(cacheFolder()),
    // Without Go, only the tests run that need nothing compiled.
    [compilerVariable]: await compilerId().catch(() => 'none'),
  };
  // Without this setting, a container without a network has no IPv6 on its loopback. A kernel without IPv6 lacks the
  // key.
  const hasKey = existsSync('/proc/sys/net/ipv6/conf/all/disable_ipv6');
  const sysctls = {
    ...(values.network === 'none' && hasKey ? { 'net.ipv6.conf.all.disable_ipv6': '0' } : {}),
    ...Object.fromEntries(values.sysctl.map((setting) => setting.split('=') as [string, string])),
  };
  return {
    name: `request-guard-test-${session}`,
    Image: image,
    Labels: { ...sandboxLabels(session, 'test') },
    Env: Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    Entrypoint: first.Entrypoint,
    Cmd: command,
    WorkingDir: `${folder}/`.startsWith(`${packageRoot}/`) ? folder : packageRoot,
    OpenStdin: values.stdin,
    StdinOnce: values.stdin,
    HostConfig: {
      AutoRemove: true,
      NetworkMode: values.network,
      CapAdd: values.capability,
      // Read-only, because containers of most runtimes write as root.
      Mounts: [packageRoot, cacheFolder(), node].map((path) => ({
        ...({ Type: 'bind', ReadOnly: true } as const),
        ...{ Source: path, Target: path },
      })),
      Sysctls: sysctls,
      Tmpfs: { '/tmp': 'rw,exec,nosuid,nodev,mode=1777' },
      LogConfig: { Type: 'none', Config: {} },
      ...first.HostConfig,
    },
  };
}

/** Runs the command to its end. A signal removes the container. After a kill of this process, the reaper removes it. */
async function runIn(containers: Containers, session: string): Promise<number> {
  const reaper = postReaper(session, process.env);
  const stop = (): Promise<void> => removeSession(containers, session);
  try {
    const unused = { name: '', image: '', labels: {}, env: {}, ports: [], networks: [], hostNames: [] };
    const { stdin, stdout, stderr, exit } = await containers.run(
      { ...unused, stdin: values.stdin },
      interruption.signal,
    );
    stdin.on('error', () => {}); // the command may end before it has read all of its input
    if (values.stdin) process.stdin.pipe(stdin);
    stdout.pipe(process.stdout);
    stderr.pipe(process.stderr);
    const aborted = once(interruption.signal, 'abort').then(() => [exitCodes.interrupted]);
    interruption.signal.throwIfAborted();
    const [status] = await Promise.race([Promise.all([exit, finished(stdout), finished(stderr)]), aborted]);
    return status as number;
  } finally {
    await stop();
    reaper.dismiss();
  }
}

async function main(): Promise<number> {
  const name = values.image as ImageName;
  if (!(name in images) || command.length === 0) {
    const known = Object.keys(images).join(', ');
    throw new UsageError(`the images are ${known}; the command is after --`, { code: 'bad_arguments' });
  }
  let options = {};
  const containers = await connect(process.env, diskFiles, (endpoint, signal) => open(endpoint, signal, () => options));
  const { address, origin } = containers.runtime;
  if (!isLocal(address)) {
    throw new ExternalError('the container runtime is on another machine, which cannot mount this clone', {
      code: 'remote_runtime',
      hint: 'run the tests there, or use the container runtime of this machine',
      failed: { tool: 'container runtime', output: origin },
    });
  }
  const onLine = (line: string): void => void process.stderr.write(`test image: ${line}\n`);
  const session = newSession();
  options = await optionsOf(await ensureTestImage(name, containers, onLine, interruption.signal), session);
  return runIn(containers, session);
}

function printError(error: unknown): number {
  if (interruption.signal.aborted) return exitCodes.interrupted;
  process.stderr.write(`${errorText(error, (_, text) => text)}\n`);
  return exitCodeOf(error);
}

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, () => interruption.abort());
// Stops when the reader of the output closes the pipe.
process.stdout.on('error', () => interruption.abort());
process.exit(await main().catch(printError));
