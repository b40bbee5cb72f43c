/** The files of `guardcli init`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../platform/assets.ts';
import type { Answers } from './questions.ts';

export interface NewFile {
  /** Relative to the folder. */
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

const policyFile = 'guard.json';
const suiteFile = 'cases.yaml';

const policyText = ({ mode, response }: Answers): string => `{
  "mode": "${mode}",
  "methods": ["GET", "HEAD", "POST"],
  "checkQuery": true,
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

function install(): string {
  const text = readFileSync(join(packageRoot, 'package.json'), 'utf8');
  const { name, version } = JSON.parse(text) as { readonly name: string; readonly version: string };
  return `npm install --global ${name}@${version}`;
}

/** The commands of a job: the policy is valid, keeps its promises offline, and in the real proxy. */
const commands = ({ proxy }: Answers, reporter: string): string[] => [
  install(),
  `guardcli validate ${policyFile}`,
  `guardcli test --suite ${suiteFile}${reporter}`,
  `guardcli sandbox ${proxy} ${policyFile} --suite ${suiteFile}`,
];

function githubText(answers: Answers): string {
  const steps = commands(answers, ' --reporter github').map((line) => `      - run: ${line}`);
  return `name: guard
on:
  push:
  pull_request:
permissions:
  contents: read
jobs:
  policy:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 26
${steps.join('\n')}
`;
}

function gitlabText(answers: Answers): string {
  const steps = commands(answers, ' --reporter junit > guard.xml').map((line) => `    - ${line}`);
  return `# In .gitlab-ci.yml: include: guard.gitlab-ci.yml
guard:
  image: node:26
  script:
${steps.slice(0, -1).join('\n')}
  artifacts:
    when: always
    reports:
      junit: guard.xml
`;
}

const shellText = (answers: Answers): string =>
  [
    '#!/bin/sh',
    '# Tests the policy. The first command installs guardcli, the last one needs a container runtime.',
    'set -eu',
    ...commands(answers, ''),
    '',
  ].join('\n');

type Ci = { readonly path: string; readonly text: (answers: Answers) => string; readonly mode: number };

const ciFiles: Readonly<Record<Exclude<Answers['ci'], 'none'>, Ci>> = {
  github: { path: '.github/workflows/guard.yml', text: githubText, mode: 0o644 },
  gitlab: { path: 'guard.gitlab-ci.yml', text: gitlabText, mode: 0o644 },
  shell: { path: 'guard-test.sh', text: shellText, mode: 0o755 },
};

export function filesFor(answers: Answers): NewFile[] {
  const ci = answers.ci === 'none' ? [] : [ciFiles[answers.ci]];
  return [
    { path: policyFile, text: policyText(answers), mode: 0o644 },
    { path: suiteFile, text: suiteText(answers), mode: 0o644 },
    ...ci.map(({ path, text, mode }) => ({ path, text: text(answers), mode })),
  ];
}
