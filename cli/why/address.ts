/** `guardcli why ADDRESS`: what tcp-guard does with an address. */
import { type BanRecord, UnbanRequest, type Why } from '../../contract/api/records.ts';
import { readable } from '../../platform/escape.ts';
import { checkBody, type DaemonOptions, withClient } from '../bans/options.ts';
import { defaultAddress } from '../daemon/client.ts';
import type { Context } from '../program/context.ts';
import type { Paint } from '../program/paint.ts';
import { quote } from '../program/quote.ts';
import { type Row, table } from '../program/table.ts';

/** Whether a text is meant as an address or network. A reference has only letters and digits. */
export const isAddressText = (text: string): boolean => /[.:/]/.test(text);

export function whyAddress(ip: string, options: DaemonOptions, context: Context): Promise<Why> {
  checkBody(UnbanRequest, { ip }, { ip: 'the address' });
  return withClient(options, context, (client) => client.why(ip, context.signal));
}

const endText = ({ remaining }: BanRecord): string => (remaining === 'permanent' ? 'permanently' : `for ${remaining}`);

export function whyAddressText(found: Why, paint: Paint, { daemon }: DaemonOptions): string {
  const { ip, is_refused, bans, decisions, lists, preset, country, is_exempt, exemption, commands } = found;
  const verdict = is_refused ? paint('red', 'refused') : paint('green', is_exempt ? 'exempt' : 'not refused');
  const rows: Row[] = [
    ...bans.flatMap((ban) => [
      [ban.detected ? 'detected' : 'ban', `${ban.ip} ${endText(ban)} (${ban.origin}): ${ban.reason}`],
      ...(ban.evidence ?? []).map((line) => ['', line]),
    ]),
    ...decisions.map((one) => ['decision', `${one.ip} ${endText(one)}: ${one.reason}`]),
    ...lists.map((name) => ['list', name]),
    ...(exemption ? [['exemption', `${exemption.ip} for ${exemption.remaining}: ${exemption.reason}`]] : []),
    ...(is_exempt && !exemption ? [['exempt', 'never_ban, or an address of this host']] : []),
    ...(preset === null ? [] : [['preset', preset]]),
    ...(country === '' ? [] : [['country', country]]),
  ].map((row) => row.map(readable));
  const target = daemon === defaultAddress ? '' : ` --daemon ${quote(daemon)}`;
  const lift =
    commands.length > 0 ? ['', 'To lift it:', ...commands.map((line) => `  ${readable(line)}${target}`)] : [];
  const body = rows.length > 0 ? [table(rows).join('\n')] : [];
  return [`${paint('bold', readable(ip))} ${verdict}`, ...body, ...lift].join('\n');
}
