/** Everything that decides on an address, and the commands that lift it. */
import type { BanRecord, Why } from '../../../contract/api/records.ts';
import { parseAddress } from '../../../contract/values/address.ts';
import { allPresets, type Preset } from '../../../contract/values/presets.ts';
import { createNetworkSet, type NetworkSet } from '../../address/network-set.ts';
import { formatPrefix, readPrefix } from '../../address/prefix.ts';
import { jsonAnswer } from '../answer.ts';
import type { Route } from '../call.ts';
import type { DaemonControl } from '../daemon-control.ts';
import { ApiFailure } from '../failure.ts';
import { toBanRecord, toDecisionRecord } from '../records.ts';
import { exemptionRecords } from './banlist.ts';

/** The networks of presets, because reading those of all takes milliseconds. A reload can replace a preset. */
const networksOfPresets = new WeakMap<Preset, NetworkSet>();

function setOf(preset: Preset): NetworkSet {
  const set = networksOfPresets.get(preset) ?? createNetworkSet(preset.networks);
  networksOfPresets.set(preset, set);
  return set;
}

/** The name of the preset that has an address. */
function presetWith(ip: string): string | null {
  const address = parseAddress(ip);
  return (address && allPresets().find((preset) => setOf(preset).has(address))?.name) ?? null;
}

const option = (ip: string): string => (ip.includes('/') ? '--range' : '--ip');

/** What an operator runs so that connections of the address are no longer refused. */
function liftCommands({ ip, bans, decisions, lists }: Pick<Why, 'ip' | 'bans' | 'decisions' | 'lists'>): string[] {
  return [
    ...bans.map((ban) => `guardcli bans delete ${option(ban.ip)} ${ban.ip}`),
    ...decisions.map((decision) => `cscli decisions delete ${option(decision.ip)} ${decision.ip}`),
    ...(lists.length > 0 ? [`guardcli bans allow ${ip} --for 7d`] : []),
  ];
}

function coveringRecords({ bans, feed }: DaemonControl, ip: string, now: number) {
  const prefix = readPrefix(ip);
  const covering: BanRecord[] = bans
    .list({ limit: Number.POSITIVE_INFINITY, ip })
    .bans.map((ban) => toBanRecord(ban, now));
  const decisions = (prefix && feed?.coveringAll(prefix)) ?? [];
  return { bans: covering, decisions: decisions.map((decision) => toDecisionRecord(decision, now)) };
}

export const why: Route<'why'> = ({ control, now }, { query: { ip: text } }) => {
  const prefix = readPrefix(text);
  if (!prefix) throw new ApiFailure('bad_address');
  const ip = formatPrefix(prefix);
  const [exemption = null] = exemptionRecords(control, ip, now());
  const lists = [...control.listsCovering(prefix)];
  const covering = coveringRecords(control, ip, now());
  const isExempt = control.bans.isExempt(ip);
  const isListed = control.lists().some(({ name, action }) => action === 'ban' && lists.includes(name));
  const isRefused =
    !isExempt && (covering.bans.some(({ detected }) => !detected) || covering.decisions.length > 0 || isListed);
  return jsonAnswer({
    ...{ ip, is_refused: isRefused, ...covering, lists },
    ...{ preset: presetWith(ip), country: control.countryOf(ip), is_exempt: isExempt, exemption },
    commands: isExempt ? [] : liftCommands({ ip, lists: isListed ? lists : [], ...covering }),
  } satisfies Why);
};
