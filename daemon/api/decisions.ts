/** Decisions of the threat feed on an address or network. */
import { parseNetwork } from '../../contract/values/address.ts';
import type { Decision, ThreatFeed } from '../feed/feed.ts';

/** The decision that covers all of `ip`. */
export function decisionOn(feed: ThreatFeed | undefined, ip: string): Decision | undefined {
  const decision = feed?.covering(ip.split('/')[0] as string);
  const [asked, found] = [ip, decision?.ip ?? ''].map(parseNetwork);
  return asked && found && found.length <= asked.length ? decision : undefined;
}
