/** Refuses banned addresses and networks. */
import type { Bans } from '../../bans/ban.ts';
import type { Gate } from './gate.ts';

export function banGate(bans: Pick<Bans, 'covers'>): Gate {
  return { refuses: ({ client }) => (bans.covers(client.ip) ? 'ban' : undefined) };
}
