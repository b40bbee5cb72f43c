import type { Context } from '../program/context.ts';
import { readPassword } from './password.ts';
import { type ServiceState, statesOf } from './services.ts';
import { logsFolder, lokiUrlOf, readSettings } from './settings.ts';
import { openStack } from './stack.ts';

export interface StatusResult {
  readonly dir: string;
  readonly logs: string;
  readonly tool: string;
  readonly project: string;
  readonly isHealthy: boolean;
  readonly services: readonly ServiceState[];
  readonly adminPassword?: string | null;
  /** URL and headers with the secret of the stack. Present only with `showPassword`. */
  readonly secrets?: { readonly lokiUrl: string; readonly otlpHeaders: string };
}

export async function status(
  { dir, showPassword }: { readonly dir: string; readonly showPassword: boolean },
  context: Context,
): Promise<StatusResult> {
  const settings = readSettings(dir, context.env);
  const compose = await openStack(settings, context);
  const services = await statesOf(await compose.containers({ signal: context.signal }), settings);
  return {
    dir: settings.dir,
    logs: logsFolder(settings),
    tool: compose.tool,
    project: settings.project,
    isHealthy: services.every(({ isHealthy }) => isHealthy),
    services,
    ...(showPassword && {
      adminPassword: readPassword(dir) ?? null,
      secrets: { lokiUrl: lokiUrlOf(settings), otlpHeaders: `Authorization=Bearer%20${settings.secret}` },
    }),
  };
}
