/** Parses the responses of an HTTP/1 server in the order of requests. It is lenient, because the server is trusted. */
import { daemonBounds } from '../../../contract/daemon/bounds.ts';
import { strip } from '../../../engine/bytes.ts';
import type { LineReader } from '../framing/lines.ts';
import { createChunks } from './chunks.ts';
import { isNextStep } from './credentials.ts';

export interface Answer {
  readonly status: number;
  readonly isNextStep: boolean;
  /** The protocol that follows a 101, in lower case. Empty: unknown. */
  readonly upgrade: string;
}

export interface ResponsePorts {
  readonly lost: () => void;
  readonly reader: LineReader;
  /** Called after the head of a final response. Returns `none` when the response has no body. */
  readonly answered: (answer: Answer) => 'body' | 'none';
}

const statusForm = /^HTTP\/1\.[01] (\d{3})(?: |$)/;
const bodilessStatuses: ReadonlySet<number> = new Set([204, 304]);

interface Head {
  readonly status: number;
  length: number | undefined;
  isChunked: boolean;
  isNextStep: boolean;
  upgrade: string;
}

const noteChallenge = (head: Head, value: string) => {
  head.isNextStep ||= isNextStep(value);
};

/** The handlers by header name. A Map, because an object would have inherited names such as `__proto__`. */
const headerHandlers = new Map<string, (head: Head, value: string) => void>([
  [
    'content-length',
    (head, value) => {
      head.length = /^\d{1,15}$/.test(value) ? Number(value) : undefined;
    },
  ],
  [
    'transfer-encoding',
    (head, value) => {
      head.isChunked ||= /chunked$/i.test(value);
    },
  ],
  [
    'upgrade',
    (head, value) => {
      head.upgrade = value.toLowerCase();
    },
  ],
  ['www-authenticate', noteChallenge],
  ['proxy-authenticate', noteChallenge],
]);

/** Returns the handler of lines. After an invalid response it stops reading; requests are still inspected. */
export function createResponses({ reader, answered, lost }: ResponsePorts): (line: string, isBare: boolean) => void {
  let head: Head | undefined;
  let chunks: ((line: string, isBare: boolean) => void) | undefined;

  const begin = (line: string) => {
    const status = statusForm.exec(line)?.[1];
    if (status === undefined) lost();
    else head = { status: Number(status), length: undefined, isChunked: false, isNextStep: false, upgrade: '' };
  };
  const beginChunks = () => {
    const end = () => {
      chunks = undefined;
    };
    const trailerBytes = daemonBounds.inspectorPendingBytes;
    chunks = createChunks(reader, { end, fault: lost, isBadTrailer: () => false, trailerBytes });
  };
  const finish = ({ status, length, isChunked, isNextStep, upgrade }: Head) => {
    head = undefined;
    if (status < 200 && status !== 101) return; // 1xx: the final response follows
    const hasBody = answered({ status, isNextStep, upgrade }) === 'body' && !bodilessStatuses.has(status);
    if (!hasBody) return;
    if (isChunked) beginChunks();
    else if (length === undefined)
      lost(); // the body ends when the connection closes: no response follows
    else reader.skip(length);
  };
  const note = (current: Head, line: string) => {
    const colon = line.indexOf(':');
    headerHandlers.get(line.slice(0, Math.max(0, colon)).toLowerCase())?.(current, strip(line.slice(colon + 1), ' \t'));
  };
  return (line, isBare) => {
    if (chunks) chunks(line, isBare);
    else if (!head) begin(line);
    else if (line === '') finish(head);
    else note(head, line);
  };
}
