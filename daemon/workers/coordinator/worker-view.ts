/**
 * The configuration and the environment of a worker. Workers read the bytes of attackers, so they get no tokens, no
 * keys, and no environment variables that may contain them.
 */
import type { Daemon } from '../../../contract/daemon/schema.ts';

export const configOfWorker = (config: Daemon): Daemon => ({
  ...config,
  api: { listen: '', socket: '', auth_token: '', allowed_hosts: [] },
  threatfeed: { ...config.threatfeed, api_key: '', machine_id: '', password: '' },
  intake: [],
});

/** The environment variables that workers get. They change how Node runs. */
const passedVariables = ['PATH', 'LANG', 'TZ', 'TMPDIR', 'NODE_OPTIONS', 'NODE_V8_COVERAGE', 'NODE_COMPILE_CACHE'];

export const environmentOfWorker = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(passedVariables.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
