/**
 * The kernel drops and counts floods from banned addresses. Each packet costs tcp-guard less than a tenth of the time
 * that a connection costs when tcp-guard itself refuses it.
 */
import assert from 'node:assert/strict';
import { extname, join } from 'node:path';
import { test } from 'node:test';
import { mayUseBpf } from '../../daemon/process/capabilities.ts';
import { command } from '../../platform/command.ts';
import { reasonToSkipFlood } from './forged.ts';
import type { KernelBansRound } from './kernel-bans-round.ts';

const program = join(import.meta.dirname, `kernel-bans-round${extname(import.meta.filename)}`);
const reason = reasonToSkipFlood || (!mayUseBpf() && 'it needs CAP_BPF');

test('the kernel drops a flood from banned addresses, and every packet is accounted for', {
  skip: reason,
}, async () => {
  const { sent, ticks, ...round } = JSON.parse(await command(process.execPath, [program])) as KernelBansRound;
  assert.ok(
    ticks.kernel * 10 < ticks.userSpace,
    `${ticks.kernel} ticks in the kernel, ${ticks.userSpace} in user space`,
  );
  assert.deepEqual(round, {
    mechanism: 'bpf',
    audit: sent,
    events: sent,
    blocked: Object.values(sent).reduce((sum, packets) => sum + packets, 0),
    banned: ['10.9.0.7', '198.51.100.7', '203.0.113.0/24', 'fd00:9::7'],
    reasons: { '198.51.100.7': 'ban', '203.0.113.1': 'ban', '203.0.113.2': 'ban', '192.0.2.9': 'ip_filter' },
    served: ['10.9.0.8'],
    servedAfterwards: ['10.9.0.8', '10.9.0.7', 'fd00:9::7'],
  });
});
