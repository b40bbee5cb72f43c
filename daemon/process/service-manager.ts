/**
 * Notifies systemd that the daemon is ready, responds and ends (sd_notify(3)). Node has no datagram sockets of the Unix domain,
 * its FFI is experimental, and the packages for it are native code. So the tool of systemd sends the messages, which is
 * wherever systemd is; the unit needs NotifyAccess=all for it. It waits until systemd has handled the message: that of a
 * process that has ended could not be attributed to the unit.
 */
import { execFile } from 'node:child_process';

const tool = 'systemd-notify';
/** A message takes some milliseconds. */
const sendMs = 10_000;
/** Messages within the time that systemd allows: one can be late. */
const pingsPerLimit = 3;

export interface ServiceManager {
  /** Also begins to report that the daemon responds, when systemd watches it. */
  readonly ready: (status: string) => void;
  readonly stopping: () => void;
}

export interface ServiceManagerOptions {
  readonly env: NodeJS.ProcessEnv;
  /** One line for the operator. */
  readonly log: (message: string) => void;
}

/** Milliseconds without a message after which systemd restarts this process. Undefined: it does not watch it. */
function limitOf({ WATCHDOG_USEC = '', WATCHDOG_PID }: NodeJS.ProcessEnv): number | undefined {
  const isOther = WATCHDOG_PID !== undefined && WATCHDOG_PID !== String(process.pid);
  const ms = Number(WATCHDOG_USEC) / 1000;
  return !isOther && ms > 0 && Number.isFinite(ms) ? ms : undefined;
}

export function serviceManager({ env, log }: ServiceManagerOptions): ServiceManager {
  if (!env.NOTIFY_SOCKET) return { ready: () => {}, stopping: () => {} };
  let isReported = false;
  const report = (error: Error | null) => {
    if (error && !isReported) log(`cannot notify systemd: ${error.message.trim()}`);
    isReported = error !== null;
  };
  const send = (...messages: readonly string[]) => {
    try {
      execFile(tool, messages, { env, timeout: sendMs }, report).unref();
    } catch (error) {
      report(error as Error); // some errors are thrown, such as ENOMEM
    }
  };
  return {
    ready: (status) => {
      send('READY=1', `STATUS=${status}`);
      const limit = limitOf(env);
      if (limit !== undefined) setInterval(() => send('WATCHDOG=1'), limit / pingsPerLimit).unref();
    },
    stopping: () => send('STOPPING=1'),
  };
}
