import { existsSync } from 'node:fs';
import { ExternalError } from '../../platform/errors.ts';
import type { Context } from '../program/context.ts';
import { stepsOf } from '../program/steps.ts';
import { envFile, readSettings } from './settings.ts';
import { lockStack, openStack, type Report, type Steps } from './stack.ts';

export interface DownResult {
  readonly dir: string;
  readonly project: string;
  readonly wasRunning: boolean;
  readonly removedVolumes: boolean;
}

export async function* down(
  { dir, volumes }: { readonly dir: string; readonly volumes: boolean },
  context: Context,
): Steps<DownResult> {
  const { signal, env } = context;
  const settings = readSettings(dir, env);
  const release = yield* stepsOf((report: Report) => lockStack(settings, context, report));
  try {
    const compose = await openStack(settings, context).catch((error: unknown) => {
      const isAbsent = !volumes && !existsSync(envFile(settings.dir));
      if (isAbsent && error instanceof ExternalError && error.code === 'no_compose') return undefined;
      throw error;
    });
    if (compose === undefined)
      return { dir: settings.dir, project: settings.project, wasRunning: false, removedVolumes: false };
    const wasRunning = (await compose.containers({ signal })).length > 0;
    if (wasRunning) yield 'stopping';
    await compose.down(volumes, { signal });
    return { dir: settings.dir, project: settings.project, wasRunning, removedVolumes: volumes };
  } finally {
    release();
  }
}
