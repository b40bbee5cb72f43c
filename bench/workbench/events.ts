/** A management API that streams events, at most 20,000 in a second. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const batch = 1000;
const pauseMs = 50;

const bodies: Readonly<Record<string, unknown>> = {
  '/health': { status: 'ok', version: '0.0.0', uptime_seconds: 1 },
  '/stats': { services: {}, tables: {}, uptime_seconds: 1 },
  '/services': [],
};

function eventText(number: number): string {
  const event = {
    ...{ type: 'security_event', timestamp: '2026-01-02T03:04:05.678Z', service: `s${number % 9}`, protocol: 'ssh' },
    ...{ client_ip: `192.0.2.${number % 250}`, client_port: 1, country_code: '', action: 'blocked' },
    ...{ reason: 'rate_limit', bytes_in: number, bytes_out: 0, duration_ms: 0 },
  };
  return `id: bench-${number}\nevent: security_event\ndata: ${JSON.stringify(event)}\n\n`;
}

async function* texts(count: number): AsyncGenerator<string, void, void> {
  for (let sent = 0; sent < count; sent += batch) {
    yield Array.from({ length: batch }, (_, index) => eventText(sent + index)).join('');
    await sleep(pauseMs);
  }
}

/** Sends `count` events once; the stream then stays open. */
export async function serveEvents(count: number) {
  let isTaken = false;
  const server = createServer(async (request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (path === '/events') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      await pipeline(texts(count), response, { end: false });
      isTaken = true;
      return;
    }
    response.end(JSON.stringify(bodies[path] ?? { bans: [] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { isTaken: () => isTaken, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
