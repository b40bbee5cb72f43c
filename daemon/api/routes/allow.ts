import { durationMs } from '../../../contract/api/fields.ts';
import type { ExemptionOutcome, ExemptionRefusal } from '../../bans/exemptions.ts';
import { jsonAnswer } from '../answer.ts';
import type { Route } from '../call.ts';
import { ApiFailure } from '../failure.ts';
import { toExemptionRecord } from '../records.ts';

const refusals = { bad_address: 'bad_address', too_many: 'too_many_exemptions' } as const satisfies Record<
  ExemptionRefusal,
  string
>;

function answerOf(outcome: ExemptionOutcome, now: number, status: 200 | 201) {
  if (!outcome.ok) throw new ApiFailure(refusals[outcome.refusal]);
  if (!outcome.isDurable) throw new ApiFailure('not_durable');
  return jsonAnswer(toExemptionRecord(outcome.exemption, now), status);
}

export const allow: Route<'allow'> = async ({ control, now }, { body: { ip, duration, reason } }) => {
  const request = { ip, reason: reason ?? 'allowed through the API', durationMs: durationMs(duration) ?? 0 };
  return answerOf(await control.exemptions.add(request), now(), 201);
};

export const disallow: Route<'disallow'> = async ({ control, now }, { body: { ip } }) => {
  const ended = await control.exemptions.remove(ip);
  if (!ended) throw new ApiFailure('not_exempt', `${ip} has no exemption with an end`);
  return answerOf(ended, now(), 200);
};
