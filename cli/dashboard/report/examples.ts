/** Event lines for tests. */

export const now = Date.parse('2026-11-22T00:00:00Z');
export const minutesAgo = (minutes: number): string => new Date(now - minutes * 60_000).toISOString();

/** A line of a gateway, and what is different in it. */
export const blockLine = (changes: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    ...{ type: 'guard_block', timestamp: minutesAgo(10), gateway: 'caddy', mode: 'enforce', client_ip: '192.0.2.1' },
    ...{ method: 'GET', host: 'example.com', path: '/.env', request_uri: '/.env', target: 'path', candidate: '/.env' },
    ...{
      rule_id: 'env-file',
      pattern: 'x',
      reason: 'block_pattern_match',
      action: 'json',
      status: 403,
      user_agent: 'x',
    },
    ...changes,
  });

/** A line of tcp-guard. */
export const auditLine = (changes: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    ...{ type: 'security_event', timestamp: minutesAgo(20), service: 'ssh', protocol: 'ssh', client_ip: '192.0.2.1' },
    ...{ client_port: 4000, country_code: 'DE', action: 'blocked', reason: 'ban', bytes_in: 1, bytes_out: 2 },
    ...{ duration_ms: 3, ...changes },
  });

export const linesText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
