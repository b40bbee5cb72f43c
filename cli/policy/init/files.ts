import { startingText } from '../../../contract/policy/starting.ts';
import { entryOf, type FoundApplication } from '../../../logs/access/applications.ts';
import { ciFiles, policyFile, suiteFile } from './ci.ts';
import type { Answers } from './questions.ts';

export interface NewFile {
  /** Path relative to the folder. */
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

function applicationsText(found: readonly FoundApplication[]): string {
  if (found.length === 0) return '';
  return `\n  "applications": [\n${found.map((one) => `    ${JSON.stringify(entryOf(one))}`).join(',\n')}\n  ],`;
}

const policyText = ({ mode, response }: Answers, found: readonly FoundApplication[]): string => `{
  "mode": "${mode}",
${startingText},${applicationsText(found)}
  "response": { "mode": "${response}" }
}
`;

const suiteText = ({ response }: Answers): string => `# Tests of ${policyFile}: guardcli test --suite ${suiteFile}
policies: [${policyFile}]

cases:
  - name: blocks files that scanners request
    request:
      paths: [/.env, /.git/config, /wp-config.php.bak, /backup.sql, /static/..%252f..%252fetc/passwd]
    expect: { verdict: blocked, reason: block_pattern_match, mode: ${response} }

  - name: blocks path traversal in the query
    request: { path: /download, query: file=../../etc/passwd }
    expect: { verdict: blocked, target: query }

  # Add the pages of your site: guardcli replay access.log shows which ones the policy would block.
  - name: allows pages of the site
    request:
      paths: [/, /index.html, /robots.txt, /favicon.ico, /.well-known/security.txt]
    expect: { verdict: allowed }
`;

export function filesFor(answers: Answers, found: readonly FoundApplication[]): NewFile[] {
  const ci = answers.ci === 'none' ? [] : [ciFiles[answers.ci]];
  return [
    { path: policyFile, text: policyText(answers, found), mode: 0o644 },
    { path: suiteFile, text: suiteText(answers), mode: 0o644 },
    ...ci.map(({ path, text, mode }) => ({ path, text: text([answers.proxy]), mode })),
  ];
}
