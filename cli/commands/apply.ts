import { UsageError } from '../../platform/errors.ts';
import { readable } from '../../platform/escape.ts';
import { addressText, adminAddress } from '../apply/address.ts';
import { openAdmin } from '../apply/admin.ts';
import { type Applied, apply } from '../apply/apply.ts';
import type { Difference } from '../apply/change.ts';
import type { Choice } from '../apply/handlers.ts';
import { withNewerNetworks } from '../generate/networks.ts';
import { readPolicy } from '../input/policy.ts';
import { defaultFile } from '../input/source.ts';
import { command } from '../program/command.ts';
import type { Paint } from '../program/paint.ts';

interface Options {
  readonly adminUrl: string;
  readonly file?: string;
  readonly server?: string;
  readonly route?: string;
  readonly id?: string;
  readonly handler?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export interface ApplyResult extends Applied {
  /** Address of the admin API. */
  readonly admin: string;
  readonly dryRun: boolean;
}

function routeOf(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new UsageError(`--route is ${JSON.stringify(text)}`, {
    code: 'bad_route',
    hint: 'pass the index of the route in its server, from 0',
  });
}

function choiceOf({ server, route, id, handler }: Options): Choice {
  return {
    ...(server !== undefined && { server }),
    ...(route !== undefined && { route: routeOf(route) }),
    ...(id !== undefined && { id }),
    ...(handler !== undefined && { handler }),
  };
}

const valueText = (value: unknown): string => readable(JSON.stringify(value));

function differenceText({ key, old, new: fresh }: Difference, paint: Paint): string {
  return [
    ...(old === undefined ? [] : [paint('red', `- ${key}: ${valueText(old)}`)]),
    ...(fresh === undefined ? [] : [paint('green', `+ ${key}: ${valueText(fresh)}`)]),
  ].join('\n');
}

function summaryText({ handlers, changed, dryRun, differences }: ApplyResult): string {
  if (differences.length === 0) return 'the running Caddy already has this policy';
  const where = `${handlers.length} ${handlers.length === 1 ? 'guard' : 'guards'}`;
  if (changed) return `applied to ${where}; the new policy is live`;
  return dryRun ? `would be applied to ${where}` : '';
}

export const definition = command<Options, ApplyResult>({
  description:
    'Finds the guard handlers in a running Caddy and replaces their policy in one change. Caddy applies the change as a ' +
    'whole or not at all, and refuses it when the configuration has changed in the meantime. Then apply checks ' +
    'that the running guard has the policy, and restores the old policy when it does not. An absent key has its default.',
  examples: [
    { line: 'guardcli apply http://localhost:2019 guard.json', note: 'every guard, if all have the same policy' },
    { line: 'guardcli apply localhost:2019 guard.json --dry-run', note: 'show what would change' },
    {
      line: 'guardcli apply unix//run/caddy/admin.sock guard.json --server srv0',
      note: 'through a socket, only in one server',
    },
  ],
  configure: (parser) =>
    parser
      .argument('<admin-url>', "address of Caddy's admin API")
      .argument('[file]', `the policy; - reads standard input (default: ${defaultFile})`)
      .option('--server <name>', 'select guards in this server of the configuration')
      .option('--route <number>', 'select guards in this route of a server, from 0')
      .option('--id <id>', 'select guards with this @id, or inside an object with it')
      .option('--handler <path>', 'select one guard by its path, as this command prints it')
      .option('--dry-run', 'show the change without making it')
      .option('--yes', 'also replace a policy with securityLogFile by one without it'),
  async run(options, context) {
    const address = adminAddress(options.adminUrl);
    const choice = choiceOf(options);
    const policy = withNewerNetworks((await readPolicy(options.file ?? defaultFile, context)).policy);
    const dryRun = options.dryRun === true;
    const applied = await apply(openAdmin(address, context.signal), policy, choice, {
      isDry: dryRun,
      mayLoseEventFile: options.yes === true,
    });
    return { admin: addressText(address), dryRun, ...applied };
  },
  text(result, paint) {
    const changes = result.differences.map((one) => differenceText(one, paint));
    return [...result.handlers.map((path) => paint('bold', readable(path))), ...changes, summaryText(result)].join(
      '\n',
    );
  },
});
