/** `guardcli dashboard down` */
import type { Context } from '../../program/context.ts';
import { followed, type Steps } from './progress.ts';
import { readSettings } from './settings.ts';
import { alone, openStack } from './stack.ts';

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
  const release = yield* followed((report) => alone(settings, context, report));
  try {
    const compose = await openStack(settings, context);
    const wasRunning = (await compose.containers({ signal })).length > 0;
    if (wasRunning) yield 'stopping';
    await compose.down(volumes, { signal });
    return { dir: settings.dir, project: settings.project, wasRunning, removedVolumes: volumes };
  } finally {
    release();
  }
}
