import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOfPeer } from '../../address/client.ts';
import type { Served } from '../../admission/admission.ts';
import { compileRules } from '../../admission/rules.ts';
import { noCounts } from '../../stats/counts.ts';
import { configuration, guardedService } from '../../testing/daemon.ts';
import type { AdmissionRequest, FromWorker } from '../link/messages.ts';
import { Allowance } from './allowance.ts';
import { RemoteAdmission } from './remote-admission.ts';

/** The admission of a worker without an allowance: it requests every decision. */
function requesting() {
  const rules = compileRules(configuration({ services: { one: guardedService(9, { listen: '127.0.0.1:7' }) } }), {
    ownAddresses: [],
    connectionCeiling: Number.POSITIVE_INFINITY,
    guards: new Map(),
  });
  const counts = noCounts();
  const served = { service: rules.services.get('one'), rules, counts } as Served;
  const posted: FromWorker[] = [];
  const records: unknown[] = [];
  const post = (message: FromWorker) => void posted.push(message);
  const admission = new RemoteAdmission({
    link: { post, postLater: (message) => post(message as FromWorker) },
    runLocalGates: () => 'coordinator',
    allowance: new Allowance(),
    record: (service, client, action, reason) => void records.push([service.name, client.ip, action, reason]),
  });
  const client = clientOfPeer({ ip: '192.0.2.1', port: 4000 });
  const verdicts: unknown[] = [];
  admission.admit(client, served, (verdict) => verdicts.push(verdict));
  const { slot, listenerId, service } = posted[0] as AdmissionRequest;
  return { admission, slot, place: [listenerId, service], verdicts, records, counts };
}

test('a request has the listener and the service that the connection was accepted under', () => {
  assert.deepEqual(requesting().place, [' 127.0.0.1 7', 'one']);
});

test('a refusal of the coordinator is not accounted for again', () => {
  const { admission, slot, verdicts, records, counts } = requesting();
  admission.decide({ kind: 'verdict', slot, refusal: 'rate_limit' });
  assert.deepEqual([verdicts, records, counts.blocked], [[{ refusal: 'rate_limit' }], [], 0]);
});

test('a connection of a service that the coordinator does not have is counted and recorded', () => {
  const { admission, slot, verdicts, records, counts } = requesting();
  admission.decide({ kind: 'verdict', slot, refusal: 'capacity', isUnknown: true });
  assert.deepEqual(verdicts, [{ refusal: 'capacity' }]);
  assert.deepEqual(records, [['one', '192.0.2.1', 'blocked', 'capacity']]);
  assert.equal(counts.blocked, 1);
});
