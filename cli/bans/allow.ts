/** `guardcli bans allow`: an exemption with an end. */
import { AllowRequest, type ExemptionRecord, UnbanRequest } from '../../contract/api/records.ts';
import { UsageError } from '../../platform/errors.ts';
import { command } from '../program/command.ts';
import { checkBody, type DaemonOptions, withClient, withDaemon } from './options.ts';
import { allowedText } from './text.ts';

interface AllowOptions extends DaemonOptions {
  readonly address: string;
  readonly for?: string;
  readonly reason?: string;
  readonly end?: boolean;
}

const names = { ip: 'the address', duration: '--for', reason: '--reason' };

function bodyOf({ address: ip, for: duration, reason, end }: AllowOptions): object {
  if (end && duration !== undefined)
    throw new UsageError('--for and --end are mutually exclusive', { code: 'conflict', hint: 'pass one of them' });
  if (end) {
    checkBody(UnbanRequest, { ip }, names);
    return { ip };
  }
  if (duration === undefined)
    throw new UsageError('an exemption needs an end', {
      code: 'no_duration',
      hint: 'pass --for 2h; an address that is never banned belongs to global.never_ban',
    });
  const body = { ip, duration, ...(reason !== undefined && { reason }) };
  checkBody(AllowRequest, body, names);
  return body;
}

export const allowCommand = command<AllowOptions, ExemptionRecord>({
  description:
    'Exempts an address or a network from every ban, list and decision of the threat feed until an end. Its bans stay, and ' +
    'are in force again afterwards. `bans list` shows the exemptions.',
  examples: [
    { line: 'guardcli bans allow 192.0.2.7 --for 2h --reason "maintenance"', note: 'survives a restart' },
    { line: 'guardcli bans allow 192.0.2.7 --end', note: 'ends it before its time' },
  ],
  configure: (parser) =>
    withDaemon(parser)
      .argument('<address>', 'one address, or a network in CIDR notation')
      .option('--for <time>', 'how long, such as 30m, 2h or 7d')
      .option('--reason <text>', 'why, for the list of bans')
      .option('--end', 'end the exemption of exactly this address or network'),
  run: async (options, context) => {
    const body = bodyOf(options);
    const path = options.end ? '/disallow' : '/allow';
    return withClient(options, context, (client) => client.exempt(path, body, context.signal));
  },
  text: (exemption, paint, { end = false }) => allowedText(exemption, paint, end),
});
