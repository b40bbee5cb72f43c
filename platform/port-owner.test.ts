import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listeningInodes } from './port-owner.ts';

describe('the table of sockets of Linux', () => {
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:0C1C 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4242 1 0 100 0 0 10 0',
    '   1: 0100007F:0C1C 0100007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 4343 1 0 20 4 30 10 -1',
    '   2: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4444 1 0 100 0 0 10 0',
  ].join('\n');
  it('names the sockets that listen on a port', () => {
    assert.deepEqual(listeningInodes(table, 3100), ['4242']);
    assert.deepEqual(listeningInodes(table, 8080), ['4444']);
    assert.deepEqual(listeningInodes(table, 1), []);
  });
});
