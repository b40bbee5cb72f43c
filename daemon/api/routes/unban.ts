import { parseNetwork } from '../../../contract/address.ts';
import type { Bans } from '../../bans/ban.ts';
import { json } from '../answer.ts';
import type { Route } from '../call.ts';
import { ApiFailure } from '../failure.ts';
import { banRecord } from '../records.ts';

/** Whoever lifts the ban of an address that a network's ban covers has to be told, or wonders. */
function notBanned(bans: Bans, ip: string): ApiFailure {
  const address = ip.split('/')[0] as string;
  const cover = parseNetwork(ip) && bans.covering(address);
  const hint = cover && cover.ip !== ip ? `; the ban of ${cover.ip} covers it` : '';
  return new ApiFailure('not_banned', `${ip} is not banned${hint && ' by itself'}${hint}`);
}

export const unban: Route<'unban'> = async ({ core, now }, { body: { ip } }) => {
  const lifted = await core.bans.remove(ip);
  if (!lifted) throw notBanned(core.bans, ip);
  return json(banRecord(lifted, now()));
};
