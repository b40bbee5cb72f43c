import type { Probe, ProbeRequest, Skipped } from '../../../cli/probes/probe.ts';
import type { Setting } from '../../../cli/probes/setting.ts';
import { requestOf, vectorSkipReason } from '../../../cli/probes/sources/vectors.ts';
import { fromBase64, type Question, toBase64 } from '../../../conformance/differential/protocol.ts';
import { questionStream } from '../../../conformance/differential/questions.ts';
import type { VectorRequest } from '../../../contract/vectors/schema.ts';

/** Converts a question to a request. Omits the rewrite of the question, because a rewrite happens inside a proxy. */
function vectorOf({ t, m, h, b, ip, host }: Question): VectorRequest {
  return {
    targetBase64: t,
    ...(m !== undefined && { method: m }),
    ...(h !== undefined && { headers: h.map(([name, base64]) => [name, { base64 }]) }),
    ...(b !== undefined && { bodyBase64: b }),
    ...(ip !== undefined && { ip }),
    ...(host !== undefined && { host }),
  };
}

/** Bytes that servers refuse in a target. */
const refusedBytes = /[\x00-\x20\x7f]|%(?![\da-f]{2})/gi;

const percentEncoded = (byte: string): string => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`;

/**
 * Yields questions. Servers refuse most random targets, so every second target gets a leading slash, and its refused
 * bytes are percent-encoded.
 */
export function* wireStream(seed: number, count: number, policyCount: number): Generator<Question> {
  let index = 0;
  for (const question of questionStream(seed, count, policyCount)) {
    index += 1;
    if (index % 2 === 0) yield question;
    else
      yield {
        ...question,
        t: toBase64(
          fromBase64(question.t)
            .replace(refusedBytes, percentEncoded)
            .replace(/^(?!\/)/, '/'),
        ),
      };
  }
}

type Headers = ProbeRequest['headers'];

const settings = ['HTTP2-Settings', 'AAMAAABkAAQAAP__'] as const;

/** Headers about the connection. The guard treats them alike for every target, method and verdict. */
const upgrades: readonly Headers[] = [
  [['Connection', 'Upgrade, HTTP2-Settings'], ['Upgrade', 'h2c'], settings],
  [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
  ],
  [
    ['Upgrade', 'TLS/1.0'],
    ['Connection', 'keep-alive ,uPGRADE'],
  ],
  [['Connection', 'upgrade'], ['Upgrade', 'h2c, WebSocket'], settings],
  [['Connection', 'Upgrade'], ['Upgrade', 'websocket'], ['Connection', 'HTTP2-Settings'], ['Upgrade', 'H2C'], settings],
  [['Upgrade', 'h2c']],
];

/** Returns the headers for every fourth question over HTTP/1.1, by its length. */
const upgradeOf = ({ t }: Question, { version = '1.1' }: Setting): Headers =>
  version === '1.1' && t.length % 16 === 0 ? (upgrades[(t.length / 16) % upgrades.length] ?? []) : [];

export function probeOf(question: Question, setting: Setting, id: string): Probe | Skipped {
  const vector = vectorOf(question);
  const reason = vectorSkipReason(vector);
  const named = { id, source: 'vector' } as const;
  if (reason !== undefined) return { ...named, reason };
  const request = requestOf(vector, setting.isTrusted);
  const headers = [...request.headers, ...upgradeOf(question, setting)];
  return { ...named, description: 'a generated request', requests: [{ ...request, headers }] };
}
