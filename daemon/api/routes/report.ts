import { quoted } from '../../../contract/load/quote.ts';
import { formatAddress, parseAddress } from '../../../contract/values/address.ts';
import { jsonAnswer } from '../answer.ts';
import type { Route } from '../call.ts';
import { ApiFailure } from '../failure.ts';

export const report: Route<'report'> = ({ control }, { body: { ip: text, service, reason } }) => {
  const address = parseAddress(text);
  if (!address) throw new ApiFailure('bad_address');
  if (service !== undefined && !control.services().some(({ name }) => name === service))
    throw new ApiFailure('no_service', `there is no service ${quoted(service)}`);
  const ip = formatAddress(address);
  const banned = control.failures.fail({
    ip,
    trigger: reason,
    origin: 'api',
    ...(service !== undefined && { service }),
  });
  return jsonAnswer({ ip, banned });
};
