/**
 * Runs a command in the test image, which contains everything that tests need besides Node and the container runtime:
 * `scripts/node scripts/in-test-image.ts [--image light|full|api] [--network none|host] [--capability NAME]... [--stdin] -- <command>`.
 * The exit status is that of the command.
 */
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { connect, diskFiles } from '../cli/sandbox/connect.ts';
import type { Containers, RunningContainer } from '../cli/sandbox/containers.ts';
import { open } from '../cli/sandbox/docker.ts';
import { isLocal } from '../cli/sandbox/endpoint.ts';
import { removeSession } from '../cli/sandbox/lifecycle.ts';
import { newSession } from '../cli/sandbox/prepare.ts';
import { postReaper } from '../cli/sandbox/reaper.ts';
import { ExternalError, exitCodeOf, GuardError, UsageError } from '../platform/errors.ts';
import { compilerId, compilerVariable } from '../sandbox-images/build.ts';
import { optionsOf, specOf, type Wanted } from './test-image/container.ts';
import { ensureTestImage, type ImageName, images } from './test-image/images.ts';

const networks = ['none', 'host'] as const;
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** Environment variables of this process that are passed to the command. */
const passed = ['CI', 'FORCE_COLOR', 'NO_COLOR'];

type Request = Omit<Wanted, 'image' | 'session' | 'env'> & { readonly name: ImageName };

function oneOf<T extends string>(option: string, value: string, known: readonly T[]): T {
  const found = known.find((one) => one === value);
  if (found !== undefined) return found;
  throw new UsageError(`--${option} is ${JSON.stringify(value)}; it must be one of ${known.join(', ')}`, {
    code: 'bad_option',
  });
}

function read(args: readonly string[]): Request {
  const end = args.indexOf('--');
  if (end < 0 || end === args.length - 1) {
    throw new UsageError('the command is missing', { code: 'no_command', hint: 'put it after --' });
  }
  const { values } = parseArgs({
    args: args.slice(0, end),
    options: {
      image: { type: 'string', default: 'light' },
      network: { type: 'string', default: 'none' },
      capability: { type: 'string', multiple: true, default: [] },
      stdin: { type: 'boolean', default: false },
    },
  });
  return {
    name: oneOf('image', values.image, Object.keys(images) as ImageName[]),
    network: oneOf('network', values.network, networks),
    capabilities: values.capability,
    passesInput: values.stdin,
    command: args.slice(end + 1),
  };
}

async function environment(): Promise<Record<string, string>> {
  const env = Object.fromEntries(passed.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  // A machine without Go runs all tests that need nothing compiled.
  const compiler = await compilerId().catch(() => 'none');
  return { ...env, [compilerVariable]: compiler };
}

function refuseRemote({ runtime }: Containers): void {
  if (isLocal(runtime.address)) return;
  throw new ExternalError('the container runtime is on another machine, which cannot mount this clone', {
    code: 'remote_runtime',
    hint: 'run the tests there, or use the container runtime of this machine',
    failed: { tool: 'container runtime', output: runtime.origin },
  });
}

/** Resolves after all output of the command was forwarded, which may be after the container ended. */
async function connectStreams({ stdin, stdout, stderr }: RunningContainer, passesInput: boolean): Promise<void> {
  stdin.on('error', () => {}); // the command ended before it read all of its input
  if (passesInput) process.stdin.pipe(stdin);
  stdout.pipe(process.stdout);
  stderr.pipe(process.stderr);
  await Promise.all([finished(stdout), finished(stderr)]);
}

/** Runs the command to its end. A signal closes its standard input, and the supervisor then ends it. */
async function runIn(containers: Containers, wanted: Wanted, interrupted: AbortSignal): Promise<number> {
  const reaper = postReaper(wanted.session, process.env);
  const stop = (): Promise<void> => removeSession(containers, wanted.session);
  try {
    const container = await containers.run(specOf(wanted));
    const printed = connectStreams(container, wanted.passesInput);
    const end = (): void => {
      if (wanted.passesInput) void stop();
      else container.stdin.end();
      // Without a reader on our side, the container would wait for one.
      for (const stream of [container.stdout, container.stderr]) stream.resume();
    };
    if (interrupted.aborted) end();
    interrupted.addEventListener('abort', end, { once: true });
    const [status] = await Promise.all([container.exit, printed]);
    return status;
  } finally {
    await stop();
    reaper.dismiss();
  }
}

async function main(args: readonly string[], interrupted: AbortSignal): Promise<number> {
  const { name, ...request } = read(args);
  let wanted: Wanted = { ...request, image: '', session: newSession(), env: await environment() };
  const containers = await connect(process.env, diskFiles, (endpoint, timeoutMs) =>
    open(endpoint, timeoutMs, (spec) => optionsOf(wanted)(spec)),
  );
  refuseRemote(containers);
  const onLine = (line: string): void => void process.stderr.write(`test image: ${line}\n`);
  wanted = { ...wanted, image: await ensureTestImage(name, containers, onLine, interrupted) };
  return runIn(containers, wanted, interrupted);
}

function complain(error: unknown): number {
  if (!(error instanceof GuardError)) throw error;
  const output = error instanceof ExternalError && error.failed.output ? `\n${error.failed.output}` : '';
  const hint = error.hint === undefined ? '' : `\n  to fix it: ${error.hint}`;
  process.stderr.write(`error: ${error.message}${output}${hint}\n`);
  return exitCodeOf(error);
}

const interruption = new AbortController();
let interruptedBy: number | undefined;
for (const [name, status] of Object.entries(signals))
  process.once(name, () => {
    interruptedBy = status;
    interruption.abort();
  });
// The reader of our output closed the pipe.
process.stdout.on('error', () => interruption.abort());
const status = await main(process.argv.slice(2), interruption.signal).catch(complain);
process.exit(interruptedBy ?? status);
