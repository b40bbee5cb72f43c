/** Probes of the response mode on a connection. */
import type { Mode } from '../../../contract/policy/modes.ts';
import type { Probe, ProbeRequest, Skipped } from '../probe.ts';
import { isBlockedOrDetected, type Setting } from '../setting.ts';

/** Target of the request that should pass. No built-in rule blocks it. */
const plainTarget = '/guard-probe';

/** Requests on one connection. */
interface WireProbe {
  readonly description: string;
  readonly requests: (bad: ProbeRequest, good: ProbeRequest) => readonly ProbeRequest[];
  /** Response modes with this probe, if the policy enforces them. Absent: all modes, also in mode detect. */
  readonly modes?: readonly Mode[];
}

const wireProbesByName: Readonly<Record<string, WireProbe>> = {
  alone: { description: 'a blocked request on its own connection', requests: (bad) => [bad] },
  repeated: { description: 'two blocked requests in one write', requests: (bad) => [bad, bad] },
  behind: { description: 'a blocked request after one that passes', requests: (bad, good) => [good, bad] },
  before: { description: 'a blocked request before one that passes', requests: (bad, good) => [bad, good] },
  head: {
    description: 'the response to HEAD has no body',
    requests: (bad, good) => [{ ...bad, method: 'HEAD' }, good],
  },
  withheld: {
    description: 'the connection closes without waiting for the body',
    requests: (bad) => [{ ...bad, method: 'POST', withheld: true }],
    modes: ['silent_drop'], // servers read the body before they send the responses of other modes
  },
};

/**
 * Returns the probes of the response mode. Each sends the first request of `candidates` that has no body and that the
 * policy detects.
 */
export function wireProbes(setting: Setting, candidates: readonly ProbeRequest[]): (Probe | Skipped)[] {
  const bad = candidates.find((request) => request.body === undefined && isBlockedOrDetected(setting.outcome(request)));
  if (!bad) return [{ id: 'wire', source: 'wire', reason: 'this policy detects none of the known requests' }];
  const good: ProbeRequest = { method: 'GET', target: plainTarget, headers: setting.clientHeaders };
  const { mode, response } = setting.policy;
  const rows = Object.entries(wireProbesByName).filter(([, { modes }]) => {
    return !modes || (mode === 'enforce' && modes.includes(response.mode));
  });
  return rows.map(([name, { description, requests }]) => {
    const id = `wire:${name}`;
    const sent = requests(bad, good);
    const main = sent.find((request) => request !== good);
    if (main && !isBlockedOrDetected(setting.outcome(main))) {
      return { id, source: 'wire', reason: `the policy does not inspect ${main.method}` };
    }
    return { id, source: 'wire', description, requests: sent };
  });
}
