/** Options that the subcommands of `bans` share, and the errors of their calls. */
import type { Command as Parser } from 'commander';
import * as z from 'zod/mini';
import type { BanRequest } from '../../contract/api/records.ts';
import { ExternalError, exitCodes, GuardError, UsageError } from '../../platform/errors.ts';
import { DaemonClient, defaultAddress, parseAddress, Refusal, reasonOf, tokenVariable } from '../daemon/client.ts';
import type { Context } from '../program/context.ts';

export interface DaemonOptions {
  readonly daemon: string;
}

export interface AddressOptions {
  readonly ip?: string;
  readonly range?: string;
}

export const withDaemon = (parser: Parser): Parser =>
  parser.option(
    '--daemon <address>',
    'the management API of tcp-guard, such as unix:///run/guard/api.sock',
    defaultAddress,
  );

export const withAddress = (parser: Parser): Parser =>
  parser
    .option('--ip <address>', 'one address')
    .option('--range <network>', 'a network in CIDR notation, such as 192.0.2.0/24');

/**
 * Returns the address or the network of the options. Returns undefined when neither is given.
 * @throws UsageError when both are given, --ip has a network, or --range has no network
 */
export function addressOf({ ip, range }: AddressOptions): string | undefined {
  if (ip !== undefined && range !== undefined) {
    const hint = '--range takes a network, --ip one address';
    throw new UsageError('--ip and --range are mutually exclusive', { code: 'conflict', hint });
  }
  if (ip?.includes('/'))
    throw new UsageError(`--ip is ${JSON.stringify(ip)}`, { code: 'bad_address', hint: 'pass a network with --range' });
  if (range !== undefined && !range.includes('/'))
    throw new UsageError(`--range is ${JSON.stringify(range)}`, {
      code: 'bad_address',
      hint: 'pass one address with --ip',
    });
  return ip ?? range;
}

/** Returns the address or the network of the options. @throws UsageError when none is given, or as `addressOf` does */
export function requiredAddress(options: AddressOptions): string {
  const address = addressOf(options);
  if (address !== undefined) return address;
  throw new UsageError('no address', { code: 'no_address', hint: 'pass --ip 192.0.2.7 or --range 192.0.2.0/24' });
}

/**
 * Checks a body with the schema of the API, before a daemon is needed. `names`: what the user calls a key, by default its
 * option. @throws UsageError
 */
export function checkBody(
  schema: z.ZodMiniType,
  body: Partial<z.input<typeof BanRequest>>,
  names: Readonly<Record<string, string>> = {},
): void {
  const [issue] = z.safeParse(schema, body).error?.issues ?? [];
  if (!issue) return;
  const [key = 'ip'] = issue.path;
  const name = names[String(key)] ?? `--${key === 'ip' && body.ip?.includes('/') ? 'range' : String(key)}`;
  throw new UsageError(`${name} is ${JSON.stringify(body[key as keyof typeof body])}: ${issue.message}`, {
    code: 'bad_option',
    hint: 'guardcli bans --help has examples',
  });
}

/** The error for a call that the daemon received and refused. */
class Refused extends GuardError {
  readonly exitCode = exitCodes.negative;
}

const hints: Readonly<Record<string, string>> = {
  unauthorized: `set ${tokenVariable} to api.auth_token of tcp-guard`,
  forbidden_host: 'add the host of --daemon to api.allowed_hosts, or use the address or the socket of the API',
  edge_network: 'pass --force to refuse all clients behind it',
  not_banned: 'guardcli bans list shows the bans',
  ssh_client: 'pass --force',
};

function explainedError(error: unknown, address: string): GuardError {
  if (error instanceof GuardError) return error;
  if (error instanceof Refusal && error.code !== '') {
    const hint = hints[error.code];
    return new Refused(`tcp-guard refused: ${error.message}`, { code: error.code, ...(hint && { hint }) });
  }
  return new ExternalError(`tcp-guard at ${address} does not respond: ${reasonOf(error)}`, {
    code: 'no_daemon',
    hint: `start it, or pass its address with --daemon, such as unix:///run/guard/api.sock`,
    failed: { tool: 'tcp-guard' },
  });
}

/** Turns errors of the API into errors for the user. @throws GuardError */
export async function withClient<T>(
  { daemon }: DaemonOptions,
  { env }: Context,
  work: (client: DaemonClient) => Promise<T>,
): Promise<T> {
  const client = new DaemonClient(parseAddress(daemon), env[tokenVariable] || undefined);
  try {
    return await work(client);
  } catch (error) {
    throw explainedError(error, daemon);
  }
}
