/**
 * Notifies systemd that the daemon is ready, responds and ends (sd_notify(3)). Node has no Unix datagram sockets, its
 * FFI is experimental, and packages for them are native code. So systemd-notify sends the messages; the unit needs
 * NotifyAccess=all for it. It waits until systemd has handled the message, because systemd cannot attribute a message
 * of an ended process to the unit.
 */
import { execFile } from 'node:child_process';

const tool = 'systemd-notify';
/** The time limit of one message. Usually it takes some milliseconds. */
const sendMs = 10_000;
/** How many messages are sent within systemd's time limit. With several, a late one does no harm. */
const pingsPerLimit = 3;

export interface ServiceManager {
  /** Reports that the daemon is ready. From then on, reports that it responds, if systemd watches it. */
  readonly ready: (status: string) => void;
  readonly stopping: () => void;
}

export interface ServiceManagerOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Logs one line for the operator. */
  readonly log: (message: string) => void;
}

/**
 * Milliseconds without a message after which systemd restarts this process. Undefined when systemd does not watch it.
 */
function watchdogMsOf({ WATCHDOG_USEC = '', WATCHDOG_PID }: NodeJS.ProcessEnv): number | undefined {
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
      report(error as Error); // some errors are thrown, for example ENOMEM
    }
  };
  return {
    ready: (status) => {
      send('READY=1', `STATUS=${status}`);
      const limit = watchdogMsOf(env);
      if (limit !== undefined) setInterval(() => send('WATCHDOG=1'), limit / pingsPerLimit).unref();
    },
    stopping: () => send('STOPPING=1'),
  };
}
