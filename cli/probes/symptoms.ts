/** Symptoms that end a probe set early: every further probe would show the same. */
import { ExternalError } from '../../platform/errors.ts';
import type { Server } from './raw-client.ts';
import type { Reply } from './response.ts';
import { type CheckContext, type Numbered, shownText } from './result.ts';
import { unansweredBy } from './unanswered.ts';

/** The probe set stops after this number of probes with the same symptom. */
export const mostSymptoms = 10;

interface Symptom {
  readonly shows: (numbered: Numbered, replies: readonly Reply[], context: CheckContext) => boolean;
  readonly error: (numbered: Numbered, replies: readonly Reply[], context: CheckContext) => ExternalError;
}

const urlOf = ({ isTls, host, port }: Server): string => `${isTls ? 'https' : 'http'}://${host}:${port}/`;

const lastRequestText = ({ probe }: Numbered): string =>
  `the last one was ${probe.requests.map(({ method, target }) => shownText(`${method} ${target}`)).join(', ')}`;

/** The proxy, its connection or its upstream hangs. */
const timeoutSymptom: Symptom = {
  shows: (_, replies) => replies.some((reply) => reply.kind === 'broken' && reply.end === 'timeout'),
  error: (numbered, _, { address, echoes }) =>
    new ExternalError(`the proxy does not respond: ${mostSymptoms} probes timed out`, {
      code: 'proxy_silent',
      hint: `${echoes ? '' : 'check that the upstream answers, and '}check it manually: curl ${urlOf(address)}`,
      failed: { tool: 'sandbox', output: lastRequestText(numbered) },
    }),
};

/** Returns the replies to allowed requests. Omits them if the probe expects a status of the backend. */
const allowedReplies = ({ probe, outcomes }: Numbered, replies: readonly Reply[]): readonly Reply[] =>
  probe.status === undefined
    ? replies.filter((_, place) => ['passed', 'detected'].includes(outcomes[place]?.kind ?? ''))
    : [];

const noUpstreamSymptom: Symptom = {
  shows: (numbered, replies, { echoes }) => !echoes && allowedReplies(numbered, replies).some(unansweredBy),
  error: (numbered, replies) => {
    const reply = allowedReplies(numbered, replies).find(unansweredBy) as Extract<Reply, { kind: 'response' }>;
    const own = `${unansweredBy(reply)} itself sent status ${reply.status}`;
    return new ExternalError(
      `the upstream does not answer: ${own} for ${mostSymptoms} requests that the guard allowed`,
      {
        code: 'upstream_silent',
        hint: 'start the upstream, or correct its address; a container reaches no server that listens only on 127.0.0.1 of this machine',
        failed: { tool: 'sandbox', output: lastRequestText(numbered) },
      },
    );
  },
};

const symptoms: readonly Symptom[] = [timeoutSymptom, noUpstreamSymptom];

/**
 * Returns a function for the replies to each probe. It returns an error when the probes with one symptom reach
 * `mostSymptoms`.
 */
export function createDiagnosis(context: CheckContext) {
  const counts = symptoms.map(() => 0);
  return (numbered: Numbered, replies: readonly Reply[]): ExternalError | undefined => {
    const found = symptoms.find(({ shows }, index) => {
      if (!shows(numbered, replies, context)) return false;
      counts[index] = (counts[index] ?? 0) + 1;
      return counts[index] === mostSymptoms;
    });
    return found?.error(numbered, replies, context);
  };
}
