import { durationMs } from '../../../contract/api/fields.ts';
import type { BanRefusal } from '../../bans/ban.ts';
import { jsonAnswer } from '../answer.ts';
import type { Route } from '../call.ts';
import { ApiFailure, notStoredFailure } from '../failure.ts';
import { toBanRecord } from '../records.ts';

const refusals = {
  bad_address: 'bad_address',
  never_ban: 'never_ban',
  too_many: 'too_many_bans',
} as const satisfies Record<BanRefusal, string>;

export const ban: Route<'ban'> = async ({ control, now }, { body: { ip, duration, reason, replace } }) => {
  const outcome = await control.bans.add({
    ip,
    reason: reason ?? 'banned through the API',
    origin: 'api',
    replace,
    ...(duration !== undefined && { durationMs: durationMs(duration) }),
  });
  if (!outcome.ok) throw new ApiFailure(refusals[outcome.refusal]);
  if (!outcome.isDurable) throw notStoredFailure(control.bans.store());
  return jsonAnswer(toBanRecord(outcome.ban, now()), 201);
};
