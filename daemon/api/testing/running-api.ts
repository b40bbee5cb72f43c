/** For API tests: an API on a free port, and requests by fetch. */
import type { TestContext } from 'node:test';
import { ErrorAnswer } from '../../../contract/api/records.ts';
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { type Daemon, daemonSchema } from '../../../contract/daemon/schema.ts';
import { scratchFolder } from '../../../platform/scratch-folder.ts';
import type { Bans } from '../../bans/ban.ts';
import { createBans } from '../../bans/index.ts';
import type { ApiBounds } from '../bounds.ts';
import type { DaemonControl } from '../daemon-control.ts';
import { type Api, startApi } from '../index.ts';
import { type TestCore, testCore } from './core.ts';

export const testFolder = (): string => scratchFolder('guard-api-');

/** The daemon's bans, in a temporary folder unless one is given. */
export async function realBans(t: TestContext, dataDir = testFolder()): Promise<Bans> {
  const config = {
    ...testConfig({}),
    bans: {
      mode: 'enforce',
      on_error: 'serve',
      kernel: 'off',
      scope: 'services',
      ban_private: false,
      publish: '',
    } as const,
  };
  const bans = await createBans({ config, dataDir, now: Date.now, stallMs: { write: 60_000, load: 60_000 } });
  t.after(() => bans.close());
  return bans;
}

export function testConfig(api: Partial<Daemon['api']>): Daemon {
  return daemonSchema().parse({ api: { listen: '127.0.0.1:0', ...api } });
}

export interface Running {
  readonly api: Api;
  readonly control: TestCore;
  /** The port of the TCP listener. */
  readonly port: number;
  readonly url: string;
}

export interface Settings {
  readonly api?: Partial<Daemon['api']>;
  readonly control?: Partial<DaemonControl>;
  readonly bounds?: Partial<ApiBounds>;
}

/** An API on a free port. */
export async function start(
  t: TestContext,
  { api: keys = {}, control: parts, bounds }: Settings = {},
): Promise<Running> {
  const control = testCore(parts);
  const api = await startApi({ config: testConfig(keys), control, bounds: { ...daemonBounds, ...bounds } });
  t.after(() => api.close());
  const port = Number(api.addresses[0]?.split(':').at(-1));
  return { api, control, port, url: `http://127.0.0.1:${port}` };
}

export const post = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** The status, the code and the message of an error response. */
export async function errorOf(response: Response): Promise<[number, string, string]> {
  const { error: found } = ErrorAnswer.parse(await response.json());
  return [response.status, found.code, found.message];
}
