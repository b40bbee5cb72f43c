/** Pulls the images of the stack. */
import type { Compose } from '../../compose/compose.ts';
import { ExternalError } from '../../platform/errors.ts';
import { publicImage, seededPrefix } from '../../sandbox-images/bases.ts';
import type { Context } from '../program/context.ts';
import { stepsOf } from '../program/steps.ts';
import type { ServiceName } from './services.ts';
import { envFile, type Settings } from './settings.ts';
import { hasSeededImages, openStack, type Report, type Steps } from './stack.ts';

type Failed = readonly [ServiceName, ExternalError];

function adviceFor(names: readonly ServiceName[], { dir, prefix }: Settings): string {
  const images = names.map((name) => publicImage(name, { GUARD_BASE_PREFIX: prefix })).join(' ');
  const onlyGrafana = names.length === 1 && names[0] === 'grafana';
  const other = onlyGrafana ? '`guardcli dashboard up --without grafana` starts the others; or ' : '';
  return (
    `${other}bring what is missing in a file: \`docker pull\` and \`docker save --output images.tar ${images}\` on a machine ` +
    'with a registry, `docker load --input images.tar` here (podman has the same commands); or name a mirror: ' +
    `GUARD_BASE_PREFIX=mirror.example/all in ${envFile(dir)}`
  );
}

function pullError(failed: readonly Failed[], settings: Settings): ExternalError {
  const names = failed.map(([name]) => name);
  const [, first] = failed[0] as Failed;
  return new ExternalError(`the image of ${names.join(' and ')} cannot be pulled`, {
    code: 'pull_failed',
    hint: adviceFor(names, settings),
    failed: first.failed,
    cause: first,
  });
}

/** Returns true for errors that are not about one image, such as a full disk or a runtime that does not respond. */
const isRuntimeError = (error: unknown): boolean =>
  !(error instanceof ExternalError) || ['no_runtime', 'runtime_denied', 'disk_full'].includes(error.code);

/**
 * Minimum time between a reported line and a following line about a layer. Compose tools print a line for each layer
 * and step.
 */
const layerIntervalMs = 1000;

function progressFilter(report: Report): (line: string) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (line) => {
    const isOfLayer = /^[0-9a-f]{8,} /.test(line);
    // A user does not know the names of images from `scripts/bootstrap`.
    if (/ Skipped /.test(line) || line.includes(seededPrefix)) return;
    if (isOfLayer && performance.now() - last < layerIntervalMs) return;
    last = performance.now();
    report(line);
  };
}

async function* pullAll(compose: Compose, names: readonly ServiceName[], signal: AbortSignal): Steps<Failed[]> {
  const failed: Failed[] = [];
  for (const name of names) {
    try {
      yield* stepsOf((report: Report) => compose.pull(name, { signal, onLine: progressFilter(report) }));
    } catch (error) {
      signal.throwIfAborted();
      if (isRuntimeError(error)) throw error;
      failed.push([name, error as ExternalError]);
    }
  }
  return failed;
}

/**
 * Pulls the images, and returns the project to start. When an image of `scripts/bootstrap` cannot be pulled, tries the
 * public ones, which `docker load` may have stored.
 * @throws ExternalError
 */
export async function* pull(
  compose: Compose,
  names: readonly ServiceName[],
  settings: Settings,
  context: Context,
): Steps<Compose> {
  const { signal, env } = context;
  const failed = yield* pullAll(compose, names, signal);
  if (failed.length === 0) return compose;
  if (!hasSeededImages(settings, env)) throw pullError(failed, settings);
  const pinned = await openStack(settings, context, publicImage);
  const missing = yield* pullAll(
    pinned,
    failed.map(([name]) => name),
    signal,
  );
  if (missing.length > 0) throw pullError(missing, settings);
  return pinned;
}
