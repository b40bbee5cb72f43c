/** Measures the cost of a request with many short headers. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { cpuSeconds, mediansInTurn } from '../measure/measure.ts';
import type { Row } from '../measure/row.ts';
import type { Running } from './side-by-side.ts';

const count = 100_000;
const rounds = 5;
const requestsPerRound = 3;
const budgetMs = 50;

const headerLines = Array.from({ length: count }, (_, index) => `${String(index).padStart(5, '0')}:\r\n`).join('');

async function post(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const body = 'a=1';
  socket.write(
    `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n${headerLines}\r\n${body}`,
  );
  const answer = await text(socket);
  if (!answer.startsWith('HTTP/1.1 200 ')) throw new Error(`status line: ${answer.slice(0, 40)}`);
}

async function cpuMs({ url, pid }: Running): Promise<number> {
  const before = cpuSeconds(pid);
  for (let sent = 0; sent < requestsPerRound; sent++) await post(url);
  return ((cpuSeconds(pid) - before) / requestsPerRound) * 1000;
}

export async function headersRow(host: string, bare: Running, guarded: Running): Promise<Row> {
  const [without = Number.NaN, withGuard = Number.NaN] = await mediansInTurn(rounds, [
    () => cpuMs(bare),
    () => cpuMs(guarded),
  ]);
  return {
    name: `${host}, CPU for a request of ${count} headers`,
    measured: `${withGuard.toFixed(1)} ms`,
    against: `without a guard ${without.toFixed(1)} ms`,
    budget: `< ${budgetMs} ms more`,
    holds: withGuard - without < budgetMs,
  };
}
