/** Value types of tcp-guard.yaml. They are functions, so that schemas are built only when the daemon's file is read. */
import * as z from 'zod/mini';
import { filePath, Network, refined, text } from '../schema/fields.ts';
import { defaulted, integer, list } from '../schema/kinds.ts';
import { report } from '../schema/problem.ts';
import { meantDuration, parseDuration, permanent } from '../values/duration.ts';
import { parseListen, parseUpstream } from '../values/endpoint.ts';
import { daemonBounds } from './bounds.ts';

const longestDuration = 32;
const longestEndpoint = 300;

function durationHint(value: string): string | undefined {
  const meant = meantDuration(value);
  return meant && `write ${meant}`;
}

/** A duration from `min` to `max`. `orPermanent` also allows `permanent`. */
export function duration(min: string, max: string, orPermanent = false) {
  const bounds = `${min} to ${max}${orPermanent ? `, or ${permanent}` : ''}`;
  const [least = 0, most = 0] = [min, max].map(parseDuration);
  const check = z.superRefine<string>((value, ctx) => {
    const ms = parseDuration(value);
    if (ms === undefined)
      report(ctx, {
        kind: 'bad_value',
        message: 'expected a duration such as 30s, 4h, 1h30m or 7d',
        hint: durationHint(value),
      });
    else if ((ms < least || ms > most) && !(orPermanent && value === permanent))
      report(ctx, { kind: 'out_of_range', message: `expected ${bounds}` });
  });
  return text(longestDuration).check(check).register(z.globalRegistry, { bounds });
}

/** A path of the machine that runs the daemon, with the bounds of `filePath`. */
export const hostPath = (...bounds: Parameters<typeof filePath>) =>
  filePath(...bounds).check(
    z.superRefine<string>((path, ctx) => {
      if (!path.startsWith('~')) return;
      const hint = 'write the whole path, such as /var/log/caddy/access.log, or ./~ for a file of this name';
      report(ctx, { kind: 'bad_value', message: 'expected a path without ~, which only a shell replaces', hint });
    }),
  );

const listenForm = 'expected a listen address such as ":2222", "127.0.0.1:2222" or "[::1]:2222"';

export const listen = () => refined(longestEndpoint, (value) => (parseListen(value) ? undefined : listenForm));

/** A listen address. The empty string disables the listener. */
export const listenOrNot = () =>
  refined(longestEndpoint, (value) => (value === '' || parseListen(value) ? undefined : listenForm), 0);

export const upstream = () =>
  refined(longestEndpoint, (value) =>
    parseUpstream(value)
      ? undefined
      : 'expected host:port or unix:path, such as 10.0.0.5:22, db.internal:5432, [2001:db8::1]:22 or unix:/run/app.sock',
  );

export const networks = () => list(Network, daemonBounds.listAddresses);

/** A country code of ISO 3166-1 alpha-2. */
const country = z.regex(/^[A-Z]{2}$/, { error: 'expected a country as two capital letters, such as DE' });
const countries = () => list(z.string().check(country), 300); // there are about 250

export const ipFilter = () =>
  z.strictObject({
    allow: defaulted(networks(), [], 'Addresses and networks that may connect; empty: all.'),
    deny: defaulted(networks(), [], 'Addresses and networks that are refused.'),
  });

export const geoBlock = () =>
  z.strictObject({
    allow_countries: defaulted(
      countries(),
      [],
      'Countries that may connect; empty: all. An address of unknown country is in none.',
    ),
    deny_countries: defaulted(countries(), [], 'Countries that are refused.'),
  });

const mostConnections = 1_000_000; // far above the descriptors of a process

/** Number of open connections. The description of the key says what 0 means. */
export const connectionsPerIp = () => integer(0, mostConnections);
export const connections = () => integer(1, mostConnections);

/** Connections per minute, up to a thousand per second. */
export const perMinute = () => integer(1, 60_000);

/** Number of failures until a ban. With `least` 0, the value 0 disables bans. */
export const failures = (least: 0 | 1) => integer(least, 10_000);

/** Duration of a ban: at most a year, or `permanent`. */
export const banDuration = () => duration('1s', '365d', true);
