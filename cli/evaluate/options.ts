import type { Command as Parser } from 'commander';
import { defaultFile } from '../input/source.ts';
import { withProxyNames } from '../targets/find.ts';
import type { ProxyTarget } from '../targets/table.ts';

export interface TestOptions {
  readonly path?: string;
  readonly pathBase64?: string;
  readonly paths?: string;
  readonly config?: string;
  readonly query?: string;
  readonly body?: string;
  readonly method?: string;
  /** `-m`, an alias of --method. */
  readonly m?: string;
  readonly header?: readonly string[];
  readonly ip?: string;
  /** An alias of --ip. */
  readonly client?: string;
  readonly banList?: string;
  readonly explainClient?: true;
  readonly checkQuery?: 'true' | 'false';
  readonly checkBody?: 'true' | 'false';
  readonly proxy?: ProxyTarget;
  readonly expect?: 'blocked' | 'allowed';
  readonly trace?: true;
  readonly log?: string;
  readonly format?: string;
  readonly formats?: readonly string[];
}

export const defaultMethod = 'GET';

/** Collects the values of an option that may be repeated. */
export const collectValues = (value: string, values: readonly string[] = []): readonly string[] => [...values, value];

export function configureTest(parser: Parser): Parser {
  const switched = (name: string, what: string) =>
    parser.createOption(`${name} [bool]`, `${what}, regardless of the policy`).choices(['true', 'false']);
  return parser
    .argument('[path]', 'the request target: a path, with its query if it has a ? (default: /)')
    .option('--path <path>', 'alternative to the argument')
    .option('--path-base64 <bytes>', 'the target in base64, for bytes that an argument cannot hold')
    .option('--paths <file>', 'evaluate a list with one target per line; - reads standard input')
    .option('-c, --config <file>', `the policy; - reads standard input (default: ${defaultFile} if there is one)`)
    .option('-q, --query <query>', 'the query string, without its ?')
    .option('-b, --body <body>', 'the body')
    .option('-X, --method <method>', `the method, also as -m (default: ${defaultMethod})`)
    .addOption(parser.createOption('-m <method>').hideHelp())
    .option('-H, --header <header>', 'a header as "Name: value"; may be repeated', collectValues)
    .option('--ip <address>', 'the address of the client, also as --client')
    .addOption(parser.createOption('--client <address>').hideHelp())
    .option('--explain-client', 'show which client address the policy reads from --ip and X-Forwarded-For, and why')
    .option('--ban-list <file>', 'a ban list of tcp-guard; the client is blocked if the file has its address')
    .addOption(switched('--check-query', 'inspect the query'))
    .addOption(switched('--check-body', 'inspect the body'))
    .addOption(
      withProxyNames(parser.createOption('--proxy <proxy>', 'evaluate what the guard in this proxy would receive')),
    )
    .addOption(
      parser.createOption('--expect <verdict>', 'exit 1 for any other verdict').choices(['blocked', 'allowed']),
    )
    .option('--log <file>', 'show what the rows of a log format read in each line; - reads standard input')
    .option('--format <name>', 'with --log: the format, such as sshd')
    .option('--formats <file>', 'with --log: a file with rows of further formats; may be repeated', collectValues)
    .option('--trace', 'show what matched or excused each candidate');
}
