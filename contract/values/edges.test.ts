import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edgeNotices } from './edges.ts';

const edges = Array.from({ length: 9 }, (_, index) => `104.16.0.${index}`);

test('names the CDN to which most of the most frequent clients belong', () => {
  const notice =
    '9 of the 10 most frequent clients are addresses of Cloudflare: add trustedProxies: [cloudflare] to the policy, or log the address of the client';
  assert.deepEqual(edgeNotices(['192.0.2.1', ...edges]), [notice]);
  assert.deepEqual(edgeNotices(['192.0.2.1', ...edges, '192.0.2.2', '192.0.2.3']), [notice]);
});

test('is silent about other clients, and about proxies that are trusted', () => {
  assert.deepEqual(edgeNotices([]), []);
  assert.deepEqual(edgeNotices(['192.0.2.1', '-', '104.16.0.1', '10.0.0.1']), []);
  assert.deepEqual(edgeNotices(['104.16.0.1', '192.0.2.1']), []);
  assert.deepEqual(edgeNotices(edges, ['cloudflare']), []);
});
