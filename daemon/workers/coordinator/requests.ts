/** Decides on the connections for which a worker requests a verdict. */
import { clientOfPeer, type Peer } from '../../address/client.ts';
import { type Admission, accountForRefusal, type Served } from '../../admission/admission.ts';
import type { Recorder } from '../../admission/recorder.ts';
import type { ConnectionHandlers } from '../../listen/acceptor.ts';
import type { OnProbe } from '../../listen/port-scan.ts';
import type { AdmissionRequest } from '../link/messages.ts';
import type { Capacity } from './capacity.ts';
import type { CountedClients } from './counted-clients.ts';
import type { KnownServices } from './known-services.ts';
import type { WorkerProcess } from './worker-process.ts';

/** A request for a verdict, or a probe: a connection without a service, which the worker has ended. */
export type RequestOrProbe =
  | { readonly request: AdmissionRequest; readonly worker: WorkerProcess }
  | { readonly probe: Peer | undefined };

interface Deciders {
  readonly admission: Admission;
  readonly record: Recorder;
  readonly capacity: Capacity;
  readonly clients: CountedClients;
  readonly services: KnownServices;
}

/** Decides on a request as on a connection of this process. */
function decide(
  { admission, clients, services }: Deciders,
  served: Served,
  { slot, ip, port, isTrustedProxy, isData, ...of }: AdmissionRequest,
  worker: WorkerProcess,
): void {
  const client = clientOfPeer({ ip, port });
  const cut = (reason: string) => worker.cut(slot, reason);
  const refuse = (refusal: string) => worker.refuseSlot(slot, refusal);
  const grant = (free: () => void) => worker.grantSlot(slot, services.enter(of, free));
  if (isTrustedProxy) {
    const cutProxy = () => cut('shutdown');
    admission.reserve(client, served, cutProxy, (free) => (free ? grant(free) : refuse('capacity')));
    return;
  }
  admission.admit(client, isData ? { ...served, isData } : served, (verdict) => {
    if ('refusal' in verdict) refuse(verdict.refusal);
    else grant(clients.leaving(client, verdict.enter({ client, service: served.service.name, cut })));
  });
}

export const serveHandler =
  (deciders: Deciders): ConnectionHandlers<RequestOrProbe>['serve'] =>
  (served) =>
  (arrived) => {
    if ('probe' in arrived) return; // the worker did not have the new service yet, and treated its port as closed
    const { request, worker } = arrived;
    const { capacity, clients, record } = deciders;
    const client = clientOfPeer(request);
    const attempt = () =>
      capacity.checkLimit(served, worker, (reachedLimit) => {
        if (worker.hasEnded()) return;
        if (reachedLimit !== undefined) {
          accountForRefusal(client, served, reachedLimit, record);
          worker.refuseSlot(request.slot, reachedLimit);
          return;
        }
        const reports = request.isTrustedProxy ? undefined : clients.awaitReports(client, served);
        if (reports) void reports.then(attempt);
        else decide(deciders, served, request, worker);
      });
    attempt();
  };

/** Returns a handler of connections to a trap. A worker that still has a service on the port requests a verdict. */
export const trapHandler = (onProbe: OnProbe) => (arrived: RequestOrProbe) => {
  if ('request' in arrived) arrived.worker.refuseSlot(arrived.request.slot, 'capacity');
  onProbe('request' in arrived ? arrived.request : arrived.probe);
};
