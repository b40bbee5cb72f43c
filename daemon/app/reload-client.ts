import * as z from 'zod/mini';
import type { Daemon } from '../../contract/daemon/schema.ts';
import type { Problem } from '../../contract/load/index.ts';
import { postToApi } from './api-client.ts';

/** The result of a reload. Its texts are safe for a terminal. */
export type ReloadResult =
  | { readonly ok: true; readonly changed: readonly string[]; readonly problems: readonly string[] }
  | {
      readonly ok: false;
      readonly message: string;
      readonly problems: readonly Omit<Problem, 'kind'>[];
    };

const Answer = z.object({ changed: z.array(z.string()), problems: z.optional(z.array(z.string())) });

/** Makes the running daemon reload. `config`: has the address and the token of its API. */
export async function requestReload(config: Daemon): Promise<ReloadResult> {
  const refused = (message: string): ReloadResult => ({ ok: false, message, problems: [] });
  try {
    const response = await postToApi(config, '/reload', Answer);
    if (!response) return refused('the configuration has no API: set api.listen or api.socket, or send SIGHUP');
    const { body, error } = response;
    if (body) return { ok: true, changed: body.changed, problems: body.problems ?? [] };
    return { ok: false, message: error?.message ?? '', problems: error?.problems ?? [] };
  } catch (error) {
    return refused(`${(error as Error).message}. Is tcp-guard running with this configuration?`);
  }
}
