import { dirname } from 'node:path';
import { isPublished, packedFile } from '../../platform/assets.ts';
import { readable } from '../../platform/escape.ts';
import { questionNames, questions } from '../policy/init/questions.ts';
import { type InitOptions, type InitResult, init } from '../policy/init/run.ts';
import { command } from '../program/command.ts';
import { quote } from '../program/quote.ts';

export const definition = command<InitOptions, InitResult>({
  description:
    'Writes guard.json, cases.yaml with tests of this policy, and a file that runs the tests in CI. Asks a few questions ' +
    'where standard input is a terminal; every question is also an option. Without a terminal the defaults apply. Never overwrites a ' +
    'file without --force.',
  examples: [
    { line: 'guardcli init', note: 'asks' },
    { line: 'guardcli init --yes --proxy nginx --ci gitlab', note: 'asks nothing' },
  ],
  configure: (parser) => {
    for (const name of questionNames) {
      const { question, choices, usual } = questions[name];
      parser.addOption(
        parser.createOption(`--${name} <word>`, `${question} (default: ${usual})`).choices([...choices]),
      );
    }
    return parser
      .option('--log <file...>', 'access logs: the policy gets the profiles of the applications in them')
      .option('--dir <folder>', 'the folder of the files (default: the working directory)')
      .option('--yes', 'ask nothing')
      .option('--force', 'overwrite files');
  },
  run: init,
  notes: ({ answers: { ci } }) =>
    isPublished || ci === 'none'
      ? ''
      : `note: the file for CI installs ${packedFile()}: commit it too (\`npm pack\` in a clone makes it)`,
  text: ({ answers: { proxy }, applications, written }) => {
    const folder = dirname(written[0] ?? '');
    const go = folder === '.' ? [] : [`cd ${readable(quote(folder))}`];
    const next = [
      ...go,
      'guardcli test --suite cases.yaml',
      `guardcli sandbox ${proxy} guard.json --test`,
      `guardcli generate ${proxy} guard.json`,
    ];
    const found = applications.map(({ product, host }) => `found ${product}${host === null ? '' : ` at ${host}`}`);
    const lines = [...found, ...written.map((file) => `wrote ${readable(file)}`)];
    return [...lines, '', 'Next:', ...next.map((line) => `  ${line}`)].join('\n');
  },
});
