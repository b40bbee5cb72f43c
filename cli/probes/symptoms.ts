/** Symptoms that end a probe set early, because every further probe would show the same. A new symptom is a new row. */
import { ExternalError } from '../../platform/errors.ts';
import type { Server } from './raw-client.ts';
import type { Reply } from './response.ts';
import { type Facts, type Numbered, shown } from './result.ts';
import { unansweredBy } from './unanswered.ts';

/** Number of probes with a symptom after which the probe set stops. */
export const mostSymptoms = 10;

interface Symptom {
  readonly shows: (numbered: Numbered, replies: readonly Reply[], facts: Facts) => boolean;
  readonly error: (numbered: Numbered, replies: readonly Reply[], facts: Facts) => ExternalError;
}

const urlOf = ({ isTls, host, port }: Server): string => `${isTls ? 'https' : 'http'}://${host}:${port}/`;

const output = ({ probe }: Numbered): string =>
  `the last one was ${probe.requests.map(({ method, target }) => shown(`${method} ${target}`)).join(', ')}`;

/** The proxy, its connection or its upstream hangs. */
const silence: Symptom = {
  shows: (_, replies) => replies.some((reply) => reply.kind === 'broken' && reply.end === 'silence'),
  error: (numbered, _, { address, echoes }) =>
    new ExternalError(`the proxy does not respond: ${mostSymptoms} probes timed out`, {
      code: 'proxy_silent',
      hint: `${echoes ? '' : 'check that the upstream answers, and '}check it manually: curl ${urlOf(address)}`,
      failed: { tool: 'sandbox', output: output(numbered) },
    }),
};

/** Returns replies to requests that the guard allows, except those with an expected status of the backend. */
const allowed = ({ probe, outcomes }: Numbered, replies: readonly Reply[]): readonly Reply[] =>
  probe.status === undefined
    ? replies.filter((_, place) => ['passed', 'detected'].includes(outcomes[place]?.kind ?? ''))
    : [];

const noUpstream: Symptom = {
  shows: (numbered, replies, { echoes }) => !echoes && allowed(numbered, replies).some(unansweredBy),
  error: (numbered, replies) => {
    const reply = allowed(numbered, replies).find(unansweredBy) as Extract<Reply, { kind: 'response' }>;
    const own = `${unansweredBy(reply)} itself sent status ${reply.status}`;
    return new ExternalError(
      `the upstream does not answer: ${own} for ${mostSymptoms} requests that the guard allowed`,
      {
        code: 'upstream_silent',
        hint: 'start the upstream, or correct its address; a container reaches no server that listens only on 127.0.0.1 of this machine',
        failed: { tool: 'sandbox', output: output(numbered) },
      },
    );
  },
};

const symptoms: readonly Symptom[] = [silence, noUpstream];

/** Counts the probes with each symptom. Returns an error when a symptom becomes too frequent. */
export function createDiagnosis(facts: Facts) {
  const counts = symptoms.map(() => 0);
  return (numbered: Numbered, replies: readonly Reply[]): ExternalError | undefined => {
    const found = symptoms.find(({ shows }, index) => {
      if (!shows(numbered, replies, facts)) return false;
      counts[index] = (counts[index] ?? 0) + 1;
      return counts[index] === mostSymptoms;
    });
    return found?.error(numbered, replies, facts);
  };
}
