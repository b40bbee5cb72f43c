/** `guardcli dashboard up`: starts the services that do not run, and waits until all respond. */
import type { Compose } from '../../compose/compose.ts';
import type { ContainerState } from '../../compose/listing.ts';
import { CleanupError, ExternalError } from '../../platform/errors.ts';
import type { Context } from '../program/context.ts';
import { stepsOf } from '../program/steps.ts';
import { openBrowser } from './browser.ts';
import { waitUntilReady } from './health.ts';
import { createPassword } from './password.ts';
import { checkPorts } from './ports.ts';
import { pull } from './pull.ts';
import { type ServiceName, type ServiceState, serviceNames, services, statesOf } from './services.ts';
import { logsFolder, type RequestedPorts, readSettings, type Settings, urlOf } from './settings.ts';
import { lockStack, openStack, type Report, type Steps, type WrittenFiles, writeStack } from './stack.ts';

export interface UpRequest {
  readonly dir: string;
  readonly requestedPorts: RequestedPorts;
  readonly force: boolean;
  readonly without: readonly ServiceName[];
  readonly open: boolean;
}

export interface UpResult {
  readonly dir: string;
  readonly logs: string;
  readonly tool: string;
  readonly project: string;
  /** True when all requested services were running before, each in the same container. */
  readonly wasRunning: boolean;
  readonly services: readonly ServiceState[];
  readonly written: readonly string[];
  readonly kept: readonly string[];
  /** Password of Grafana, if this command created it. */
  readonly adminPassword: string | null;
}

const isRunning = ({ state }: ContainerState): boolean => state === 'running';

async function removeStarted(settings: Settings, context: Context): Promise<void> {
  try {
    const compose = await openStack(settings, { ...context, signal: new AbortController().signal });
    await compose.down(false);
  } catch (cause) {
    throw new CleanupError('the containers that were started could not be removed', {
      code: 'cleanup_failed',
      hint: 'run `guardcli dashboard down`',
      failed: cause instanceof ExternalError ? cause.failed : { tool: 'compose' },
      cause,
    });
  }
}

interface StartInput {
  readonly compose: Compose;
  readonly before: readonly ContainerState[];
  readonly names: readonly ServiceName[];
  readonly settings: Settings;
}

/** Starts the services. Returns the password of Grafana if this call created it, otherwise undefined. */
async function* startServices(starting: StartInput, context: Context): Steps<string | undefined> {
  const { before, names, settings } = starting;
  const { signal } = context;
  const ownPorts = before.filter(isRunning).flatMap(({ ports }) => ports);
  await checkPorts(
    names.flatMap((name) => services[name].ports),
    settings,
    ownPorts,
  );
  const compose = yield* pull(starting.compose, names, settings, context);
  const password = names.includes('grafana') ? createPassword(settings.dir) : undefined;
  if (!names.every((name) => before.some((one) => one.service === name && isRunning(one))))
    yield `starting ${names.join(', ')}`;
  await compose.up(names, { signal });
  for await (const waiting of waitUntilReady(compose, names, settings, signal))
    yield `waiting for ${waiting.join(', ')}`;
  return password;
}

async function resultOf(starting: StartInput, files: WrittenFiles, password: string | undefined): Promise<UpResult> {
  const { compose, before, names, settings } = starting;
  const after = await compose.containers();
  const idOf = (list: readonly ContainerState[], name: string) =>
    list.find((one) => one.service === name && isRunning(one))?.id;
  return {
    dir: settings.dir,
    logs: logsFolder(settings),
    tool: compose.tool,
    project: settings.project,
    wasRunning: names.every((name) => idOf(before, name) !== undefined && idOf(before, name) === idOf(after, name)),
    services: (await statesOf(after, settings)).filter(({ state }) => state !== 'absent'),
    written: files.written,
    kept: files.kept,
    adminPassword: password ?? null,
  };
}

/** Starts the services. After an interruption, removes the containers, unless some existed before. */
async function* startOrRemove(starting: StartInput, context: Context): Steps<string | undefined> {
  try {
    return yield* startServices(starting, context);
  } catch (error) {
    if (context.signal.aborted && starting.before.length === 0) await removeStarted(starting.settings, context);
    throw error;
  }
}

export async function* up(request: UpRequest, context: Context): Steps<UpResult> {
  const names = serviceNames.filter((name) => !request.without.includes(name));
  const before = readSettings(request.dir, context.env, request.requestedPorts);
  const release = yield* stepsOf((report: Report) => lockStack(before, context, report));
  try {
    const files = writeStack(request, context);
    const { settings } = files;
    const compose = await openStack(settings, context);
    const starting = { compose, before: await compose.containers({ signal: context.signal }), names, settings };
    const password = yield* startOrRemove(starting, context);
    const result = await resultOf(starting, files, password);
    if (request.open && names.includes('grafana')) await openBrowser(urlOf(settings, 'grafana'), context);
    return result;
  } finally {
    release();
  }
}
