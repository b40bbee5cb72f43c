/**
 * Notifies systemd (sd_notify(3)). Node has no Unix datagram sockets, so systemd-notify sends the messages, which needs
 * NotifyAccess=all. It waits until systemd has handled the message: systemd cannot attribute a message whose sender has
 * ended.
 */
import { execFile } from 'node:child_process';

const tool = 'systemd-notify';
/** The time limit of one message, milliseconds. Usually it takes a few. */
const sendMs = 10_000;
/** The number of watchdog messages within the time limit of systemd: more than one, because a message can be late. */
const pingsPerLimit = 3;

interface ServiceManager {
  /** Reports that the daemon is ready. From then on also reports that it responds, if systemd watches it. */
  readonly ready: (status: string) => void;
  readonly stopping: () => void;
}

interface ServiceManagerOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly log: (message: string) => void;
}

/** Milliseconds without a message until systemd restarts this process. Undefined when systemd does not watch it. */
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
