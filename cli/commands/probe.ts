import { exitCodes, UsageError } from '../../platform/errors.ts';
import { originFrom } from '../input/origin.ts';
import { defaultFile } from '../input/source.ts';
import { command } from '../program/command.ts';
import { configureSuite, refuseTwoForms, type SuiteOptions } from '../suite/options.ts';
import { reportText } from '../suite/reporters/index.ts';
import type { SuiteResult } from '../suite/result.ts';
import { probeUrl } from '../suite/url.ts';
import { withProxyNames } from '../targets/find.ts';
import type { ProxyTarget } from '../targets/table.ts';

interface Options extends SuiteOptions {
  readonly url: string;
  readonly config?: string;
  readonly proxy?: ProxyTarget;
}

/** Hosts whose requests come from this machine, whose addresses tcp-guard never bans. */
const localHost = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const banNote =
  'note: a tcp-guard that reads the log of this server may ban your address; global.never_ban of its file exempts it';

export const definition = command<Options, SuiteResult>({
  description:
    'Sends the cases of a suite as raw bytes to a server with the guard, and compares each response with the response of ' +
    'the policy. The server shows only its responses: rule, reason and target of a case are compared with the verdict of ' +
    'the offline engine.',
  examples: [
    { line: 'guardcli probe http://localhost:8080 --suite cases.yaml', note: 'under the policy of the suite' },
    {
      line: 'guardcli probe https://staging.example --suite cases.yaml -c guard.json --proxy nginx',
      note: 'with the requests that nginx itself refuses',
    },
  ],
  configure: (parser) =>
    configureSuite(parser)
      .argument('<url>', 'scheme, host and port of the server')
      .option('-c, --config <file>', `the policy that the server runs (default: that of the suite, or ${defaultFile})`)
      .addOption(withProxyNames(parser.createOption('--proxy <proxy>', 'the proxy that the guard runs in'))),
  run: async (options, context, mode) => {
    refuseTwoForms(options, mode);
    const { url, suite, only, config, proxy } = options;
    if (suite === undefined) {
      throw new UsageError('probe needs --suite', { code: 'no_suite', hint: 'pass the file with the cases' });
    }
    const origin = originFrom('the url', url, { code: 'bad_url', example: 'https://staging.example' });
    if (mode !== 'json' && !localHost.test(origin.hostname)) context.stderr.write(`${banNote}\n`);
    return probeUrl({ origin, file: suite, only, config, proxy }, context);
  },
  text: (result, paint, { reporter = 'text' }) => reportText(reporter, result, paint),
  exitCode: ({ ok }) => (ok ? exitCodes.done : exitCodes.negative),
});
