/**
 * What a worker gets to see. Workers read the bytes of attackers, so they get neither tokens and keys nor the environment,
 * which holds them too.
 */
import type { Daemon } from '../../../contract/daemon/schema.ts';

/** The configuration without the sections and keys that only the coordinator uses. */
export const configOfWorker = (config: Daemon): Daemon => ({
  ...config,
  api: { listen: '', socket: '', auth_token: '', allowed_hosts: [] },
  threatfeed: { ...config.threatfeed, api_key: '', machine_id: '', password: '' },
  intake: [],
});

/** Variables that change how Node runs. */
const passed = ['PATH', 'LANG', 'TZ', 'TMPDIR', 'NODE_OPTIONS', 'NODE_V8_COVERAGE', 'NODE_COMPILE_CACHE'];

export const environmentOfWorker = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(passed.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
