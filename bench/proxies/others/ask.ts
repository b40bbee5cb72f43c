/** Sends requests as raw bytes, because clients of HTTP normalize targets. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { RecordedRequest } from '../../../conformance/applications/recorded.ts';

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const parallel = 8;

/** Returns the status of the response, or 0 when there is none. */
async function statusOf(url: string, { method, target, type, body = '' }: RecordedRequest): Promise<number> {
  const content = Buffer.from(body, 'latin1');
  const lines = [
    ...[`${method} ${target} HTTP/1.1`, 'Host: localhost', `User-Agent: ${browser}`, 'Accept: */*'],
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ...(content.length > 0 ? [`Content-Length: ${content.length}`] : []),
  ];
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  socket.setTimeout(10_000, () => socket.destroy());
  socket.on('data', (chunk) => (answer += chunk)).on('error', () => {});
  socket.write(Buffer.from([...lines, 'Connection: close', '', ''].join('\r\n'), 'latin1'));
  socket.write(content);
  await once(socket, 'close');
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1] ?? 0);
}

/** Returns the statuses in the order of the requests. */
export async function statusesOf(url: string, requests: readonly RecordedRequest[]): Promise<number[]> {
  const statuses: number[] = [];
  const next = requests.entries();
  const lane = async (): Promise<void> => {
    for (const [index, request] of next) statuses[index] = await statusOf(url, request);
  };
  await Promise.all(Array.from({ length: parallel }, lane));
  return statuses;
}
