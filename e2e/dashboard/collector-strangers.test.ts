/** Loki and the collector refuse requests of web pages in a browser, and of other users of the machine. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { skip } from '../../artefacts/testing/collector.ts';
import { allLines, newBlock, timeout, waitForLines } from './collector-lines.ts';
import { startStack } from './loki-query.ts';

/**
 * Sends a request line unchanged. Returns the status, or undefined when the server closes the connection without a
 * response.
 */
async function statusOf(address: string, line: string, ...headers: readonly string[]): Promise<number | undefined> {
  const { port } = new URL(address);
  const socket = connectTcp(Number(port), '127.0.0.1');
  socket.write([line, ...headers, 'Content-Length: 0', 'Connection: close', '', ''].join('\r\n'));
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(await text(socket).catch(() => ''))?.[1];
  return status === undefined ? undefined : Number(status);
}

const paths = [
  ...['/', '/ready', '/metrics', '/config', '/services', '/ring', '/log_level', '/flush', '/debug/pprof/heap'],
  ...['/ingester/shutdown', '/ingester/prepare_shutdown', '/compactor/ring', '/memberlist', '/api/prom/push'],
  ...['/loki/api/v1/push', '/loki/api/v1/delete', '/loki/api/v1/query', '/loki/api/v1/labels', '/loki/api/v1/tail'],
  ...['/loki/api/v1/rules/a', '/loki/api/v1/status/buildinfo', '/otlp/v1/logs', '/ui/', '/frontend.Frontend/Process'],
];

/** Spellings of a path with dots, slashes and percent signs that a server may normalize, and with another prefix. */
const spellings: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => `/${path}`,
  (path) => `/.${path}`,
  (path) => `/x/..${path}`,
  (path) => `/%2e%2e${path}`,
  (path) => path.replaceAll('/', '/%2f').replace('/%2f', '/'),
  (path) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (path) => `/${'0'.repeat(32)}${path}`,
  (path) => `/${'0'.repeat(32)}/..${path}`,
  (path) => `http://127.0.0.1:3100${path}`,
];

describe('Loki, without the secret', { skip, timeout }, () => {
  it('serves no path, however it is spelled', async (t) => {
    const { loki } = await startStack(t);
    for (const path of paths)
      for (const spelled of spellings)
        for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
          const line = `${method} ${spelled(path)} HTTP/1.1`;
          const status = await statusOf(loki.address, line, 'Host: evil.example', 'Origin: http://evil.example');
          // Loki redirects to the normalized path, even if that does not exist.
          assert.ok(status === 404 || status === 301 || status === 400, `${line}: ${status}`);
        }
    assert.equal((await fetch(`${loki.address}/ready`)).status, 200);
  });

  it('serves no path over HTTP/2 without TLS, and no gRPC', async (t) => {
    const { loki } = await startStack(t);
    const client = connect(new URL(loki.address).origin);
    t.after(() => client.destroy());
    for (const path of ['/ready', '/loki/api/v1/push', '/logproto.Pusher/Push', '/grpc.health.v1.Health/Check']) {
      const request = client.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' });
      const response = once(request, 'response');
      request.end().resume();
      const [{ ':status': status }] = await response;
      assert.equal(status, 404, path);
    }
    assert.equal(await statusOf(loki.address, 'GET /ready HTTP/1.0'), 404);
  });
});

describe('the collector, without the secret', { skip, timeout }, () => {
  it('takes no events over HTTP, whatever a page can send', async (t) => {
    const { collector, query } = await startStack(t);
    const body = JSON.stringify({
      resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: newBlock() } }] }] }],
    });
    const wrong = ['', 'Bearer ', 'Bearer x', `Basic ${btoa('a:b')}`, `bearer ${'0'.repeat(32)}`];
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded'])
      for (const authorization of wrong) {
        const headers = { 'Content-Type': type, ...(authorization !== '' && { authorization }) };
        const { status } = await fetch(`${collector.otlp}/v1/logs`, { method: 'POST', headers, body });
        // 500: the collector cannot encode the error in the type of the request.
        assert.ok(status === 401 || status === 500, `${type} ${authorization}: ${status}`);
      }
    const asked = await fetch(`${collector.otlp}/v1/logs`, {
      method: 'OPTIONS',
      headers: {
        ...{ Origin: 'http://evil.example', 'Access-Control-Request-Method': 'POST' },
        'Access-Control-Request-Headers': 'authorization,content-type',
      },
    });
    assert.deepEqual([asked.ok, asked.headers.get('access-control-allow-origin')], [false, null]);
    const headers = { 'Content-Type': 'application/json', ...collector.headers };
    assert.equal((await fetch(`${collector.otlp}/v1/logs`, { method: 'POST', headers, body })).status, 200);
    await waitForLines(query, allLines, 1);
  });

  it('takes no events over gRPC', async (t) => {
    const { collector } = await startStack(t);
    const client = connect(collector.otlpGrpc);
    t.after(() => client.destroy());
    const call = async (headers: Readonly<Record<string, string>>): Promise<unknown> => {
      const request = client.request({
        ...{ ':method': 'POST', ':path': '/opentelemetry.proto.collector.logs.v1.LogsService/Export' },
        ...{ 'content-type': 'application/grpc', te: 'trailers', ...headers },
      });
      const status = new Promise((resolve) => {
        request.once('response', (first) => first['grpc-status'] !== undefined && resolve(first['grpc-status']));
        request.once('trailers', (last) => resolve(last['grpc-status']));
      });
      request.end(Buffer.alloc(5)).resume();
      return status;
    };
    const [ok, unauthenticated] = ['0', '16'];
    assert.equal(await call({}), unauthenticated);
    assert.equal(await call({ authorization: `Bearer ${'0'.repeat(32)}` }), unauthenticated);
    assert.equal(await call({ authorization: collector.headers.Authorization }), ok);
  });
});

describe('the secret', { skip, timeout }, () => {
  it('is not in the list of processes', async (t) => {
    const { collector, loki } = await startStack(t);
    for (const [pid, secret] of [
      [collector.pid(), collector.headers.Authorization.slice('Bearer '.length)],
      [loki.pid(), loki.settings.GUARD_SECRET],
    ] as const) {
      const listed = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      assert.ok(listed.length > 0 && !listed.includes(secret), listed);
    }
  });
});
