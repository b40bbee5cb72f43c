import { readPrefix } from '../../address/prefix.ts';
import { jsonAnswer } from '../answer.ts';
import type { Route } from '../call.ts';
import type { DaemonControl } from '../daemon-control.ts';
import { ApiFailure, notStoredFailure } from '../failure.ts';
import { toBanRecord } from '../records.ts';

/** Names the wider ban or decision that still covers the address. */
function coverText({ bans, feed }: DaemonControl, ip: string): string {
  const [ban] = bans.list({ limit: 1, ip }).bans;
  if (ban) return ` itself: the ban of ${ban.ip} covers it`;
  const prefix = readPrefix(ip);
  const [decision] = (prefix && feed?.coveringAll(prefix)) ?? [];
  return decision ? ` itself: a decision of the threat feed on ${decision.ip} covers it` : '';
}

export const unban: Route<'unban'> = async ({ control, now }, { body: { ip } }) => {
  const lifted = await control.bans.remove(ip);
  if (!lifted) throw new ApiFailure('not_banned', `${ip} is not banned${coverText(control, ip)}`);
  if (!lifted.isDurable) throw notStoredFailure(control.bans.store());
  return jsonAnswer(toBanRecord(lifted.ban, now()));
};
