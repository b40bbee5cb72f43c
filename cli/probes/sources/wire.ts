/** How the configured mode behaves on a connection: alone, behind other requests, without a body, and for HEAD. */
import type { Mode } from '../../../contract/policy/modes.ts';
import type { Probe, ProbeRequest, Skipped } from '../probe.ts';
import { isObjection, type Setting } from '../setting.ts';

/** A request that passes any policy which lets something pass. */
const plain = '/guard-probe';

interface Scene {
  readonly description: string;
  readonly requests: (bad: ProbeRequest, good: ProbeRequest) => readonly ProbeRequest[];
  /** Modes that it is about; absent: all. (Servers read what is left of a body before they answer.) */
  readonly modes?: readonly Mode[];
}

const scenes: Readonly<Record<string, Scene>> = {
  alone: { description: 'a blocked request on a connection of its own', requests: (bad) => [bad] },
  repeated: { description: 'two blocked requests in one write', requests: (bad) => [bad, bad] },
  behind: { description: 'a blocked request behind one that passes', requests: (bad, good) => [good, bad] },
  before: { description: 'a blocked request before one that passes', requests: (bad, good) => [bad, good] },
  head: {
    description: 'HEAD is answered without a body',
    requests: (bad, good) => [{ ...bad, method: 'HEAD' }, good],
  },
  withheld: {
    description: 'the close does not wait for a body that never comes',
    requests: (bad) => [{ ...bad, method: 'POST', withheld: true }],
    modes: ['silent_drop'],
  },
};

/** The first of the requests to which the guard objects. */
export function wireProbes(setting: Setting, known: readonly ProbeRequest[]): (Probe | Skipped)[] {
  const bad = known.find((request) => request.body === undefined && isObjection(setting.outcome(request)));
  if (!bad) return [{ id: 'wire', source: 'wire', reason: 'no request is known to which this policy objects' }];
  const good: ProbeRequest = { method: 'GET', target: plain, headers: setting.clientHeaders };
  const { mode, response } = setting.policy;
  const played = Object.entries(scenes).filter(([, { modes }]) => {
    return !modes || (mode === 'enforce' && modes.includes(response.mode));
  });
  return played.map(([name, { description, requests }]) => {
    const id = `wire:${name}`;
    const sent = requests(bad, good);
    const main = sent.find((request) => request !== good);
    if (main && !isObjection(setting.outcome(main))) {
      return { id, source: 'wire', reason: `the policy does not inspect ${main.method}` };
    }
    return { id, source: 'wire', description, requests: sent };
  });
}
