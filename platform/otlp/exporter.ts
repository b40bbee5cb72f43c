/** Sends event lines as OTLP log records. The body of a record is the line. */
import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { Socket } from 'node:net';
import { setTimeout as later } from 'node:timers/promises';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchLogRecordProcessor,
  LoggerProvider,
  type LogRecordExporter,
  type ReadableLogRecord,
} from '@opentelemetry/sdk-logs';
import { readable } from '../escape.ts';

/** Maximum number of lines that are queued for the endpoint. Each has at most 4 KiB, usually half a KiB. */
const mostWaiting = 8192;
const batchRecords = 512;
const batchMs = 500;
/** Milliseconds for one batch with its retries. */
const exportMs = 10_000;
/** Milliseconds for sending the queued lines at the end. */
const usualCloseMs = 2000;
/** Printed characters of the reason why an export failed. */
const reasonCharacters = 300;

export interface LineExporter {
  /** Queues a line. Never waits and never throws. Counts lines that cannot be sent. */
  readonly send: (line: string) => void;
  readonly dropped: () => number;
  /** Sends the queued lines. Gives up after `closeMs`, by default two seconds. */
  readonly close: () => Promise<void>;
}

export interface Endpoint {
  readonly service: string;
  readonly url: string;
  readonly log: (message: string) => void;
}

/** Creates an agent whose connections close with the exporter. Otherwise retries would keep the process running. */
function createConnections() {
  let agent: Agent | undefined;
  let isClosed = false;
  return {
    agentFor: (protocol: string): Agent => {
      agent = new (protocol === 'https:' ? TlsAgent : Agent)({ keepAlive: true });
      const connect = agent.createConnection.bind(agent);
      agent.createConnection = (...args) =>
        isClosed ? new Socket().destroy(new Error('the exporter is closed')) : connect(...args);
      return agent;
    },
    close: () => {
      isClosed = true;
      agent?.destroy();
    },
  };
}

/** Counts the lines that wait between `send` and the end of their export. */
class Counted implements LogRecordExporter {
  waitingCount = 0;
  failedCount = 0;
  readonly #inner: LogRecordExporter;
  readonly #onFailure: (error: Error | undefined) => void;

  constructor(inner: LogRecordExporter, onFailure: (error: Error | undefined) => void) {
    this.#inner = inner;
    this.#onFailure = onFailure;
  }

  export(records: ReadableLogRecord[], done: Parameters<LogRecordExporter['export']>[1]): void {
    this.#inner.export(records, (result) => {
      this.waitingCount -= records.length;
      if (result.code !== 0) {
        this.failedCount += records.length;
        this.#onFailure(result.error);
      }
      done(result);
    });
  }

  forceFlush = async () => this.#inner.forceFlush?.();
  shutdown = () => this.#inner.shutdown();
}

/**
 * Creates a clock whose times differ, also within a millisecond. Loki keeps only one of equal lines with equal times.
 */
function createClock(): () => [seconds: number, nanoseconds: number] {
  let number = 0;
  return () => {
    const now = Date.now();
    number = (number + 1) % 1_000_000;
    return [Math.floor(now / 1000), (now % 1000) * 1_000_000 + number];
  };
}

/** Formats a URL for messages: without user name and password, and with control characters escaped. */
function shownUrl(text: string): string {
  const url = new URL(text);
  url.username = '';
  url.password = '';
  return url.href;
}

/** Returns why an export failed. The endpoint writes a part of the message. */
const reasonOf = (error: Error | undefined): string =>
  readable((error?.message ?? 'no response').slice(0, reasonCharacters));

export function createExporter({ service, url, log }: Endpoint, closeMs = usualCloseMs): LineExporter {
  const shown = shownUrl(url);
  let overflowed = 0;
  let isLogged = false;
  const logFirst = (message: string) => {
    if (!isLogged) log(message);
    isLogged = true;
  };
  const connections = createConnections();
  const inner = new OTLPLogExporter({ url, timeoutMillis: exportMs, httpAgentOptions: connections.agentFor });
  const counted = new Counted(inner, (error) =>
    logFirst(`events are not sent to ${shown}: ${reasonOf(error)}. They are dropped until it responds.`),
  );
  const provider = new LoggerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    processors: [
      new BatchLogRecordProcessor({
        exporter: counted,
        maxQueueSize: mostWaiting,
        maxExportBatchSize: batchRecords,
        scheduledDelayMillis: batchMs,
        exportTimeoutMillis: exportMs + batchMs,
      }),
    ],
  });
  const clock = createClock();
  const logger = provider.getLogger('request-guard');
  const dropped = () => overflowed + counted.failedCount;
  return {
    dropped,
    send: (line) => {
      if (counted.waitingCount >= mostWaiting) {
        overflowed++;
        logFirst(`events are dropped: ${shown} receives them more slowly than they occur`);
        return;
      }
      counted.waitingCount++;
      logger.emit({ body: line, observedTimestamp: clock() });
    },
    close: async () => {
      await Promise.race([provider.shutdown().catch(() => {}), later(closeMs, undefined, { ref: false })]);
      const lost = dropped() + counted.waitingCount;
      connections.close();
      if (lost > 0) log(`events that were not sent to ${shown}: ${lost}`);
    },
  };
}
