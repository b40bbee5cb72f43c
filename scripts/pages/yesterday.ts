/**
 * Generates the access log and the event log of the documentation. Only the times of the events differ between runs.
 */
import { eventExamples } from '../../contract/events/examples.ts';

interface Visit {
  readonly ip: string;
  readonly path: string;
  readonly status: number;
  readonly referrer?: string;
  /** Number of visitors, each with another address. The addresses end with 10, 11 and so on. */
  readonly times: number;
}

const site = 'https://shop.example.com';

const visits: readonly Visit[] = [
  { ip: '198.51.100', path: '/', status: 200, times: 40 },
  { ip: '198.51.100', path: '/products/lamp', status: 200, referrer: `${site}/`, times: 25 },
  { ip: '198.51.100', path: '/search?q=lamp', status: 200, referrer: `${site}/`, times: 12 },
  { ip: '198.51.100', path: '/downloads/manual.bak', status: 200, referrer: `${site}/products/lamp`, times: 6 },
  { ip: '203.0.113', path: '/.env', status: 404, times: 8 },
  { ip: '203.0.113', path: '/.git/config', status: 404, times: 5 },
  { ip: '203.0.113', path: '/wp-config.php.bak', status: 404, times: 3 },
  { ip: '203.0.113', path: '/static/..%252f..%252fetc/passwd', status: 400, times: 2 },
];

const minuteOrSecond = (count: number): string => String(count % 60).padStart(2, '0');

/** Returns the visits in the log format `combined`. */
export function accessLog(): string {
  let second = 0;
  const lines = visits.flatMap(({ ip, path, status, referrer = '-', times }) =>
    Array.from({ length: times }, (_, index) => {
      second += 7;
      const time = `21/Nov/2026:10:${minuteOrSecond(Math.floor(second / 60))}:${minuteOrSecond(second)} +0000`;
      return `${ip}.${index + 10} - - [${time}] "GET ${path} HTTP/1.1" ${status} 512 "${referrer}" "Mozilla/5.0"\n`;
    }),
  );
  return lines.join('');
}

/** Returns security events of a Caddy, one for each path that the scans among these visits requested. */
export function eventLog(): string {
  const fixed = {
    ...eventExamples.blocked,
    ...{ host: 'shop.example.com', user_agent: 'Mozilla/5.0' },
  };
  const scans = visits.filter(({ ip }) => ip === '203.0.113');
  const lines = scans.map(({ ip, path }, index) => {
    const timestamp = new Date(Date.now() - index * 60_000).toISOString();
    const request = { client_ip: `${ip}.10`, path, request_uri: path, candidate: path };
    return `${JSON.stringify({ ...fixed, timestamp, ...request, reference: `7K3QF2M9T${'DEFG'[index]}` })}\n`;
  });
  return lines.join('');
}
