/** The CI files that `init` writes to test a policy. examples/ci/ has the same files for all targets. */
import { installable, isPublished, packedFile } from '../../../platform/assets.ts';
import { tcpGuard } from '../../targets/table.ts';

export const policyFile = 'guard.json';
export const suiteFile = 'cases.yaml';

/** Pinned by commit, because a tag can move. */
const pinnedActions = {
  checkout: 'actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2',
  node: 'actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0',
  upload: 'actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2',
} as const;

const nodeVersion = 26;

const headText = (isReleased: boolean): string =>
  isReleased
    ? ''
    : `# npm has no release of guardcli yet. Run \`npm pack\` in a clone, and commit the file ${packedFile()} here.\n`;

/** Values reach the shell as variables, so that a command has the same text for every target. */
const commandLines = {
  install: 'npm install --global --allow-scripts=re2 "$GUARD_PACKAGE"',
  validate: `guardcli validate ${policyFile}`,
  offline: (reporter: string) => `guardcli test --suite ${suiteFile} --reporter ${reporter}`,
  proxy: `guardcli sandbox "$TARGET" ${policyFile} --isolated --suite ${suiteFile} --reporter junit --port "$GUARD_PORT" > "guard-$TARGET.xml"`,
  daemon: `guardcli sandbox ${tcpGuard.name} ${policyFile} --isolated --test --port "$GUARD_PORT"`,
} as const;

interface Targets {
  readonly proxies: readonly string[];
  readonly hasDaemon: boolean;
}

const splitTargets = (targets: readonly string[]): Targets => ({
  proxies: targets.filter((name) => name !== tcpGuard.name),
  hasDaemon: targets.includes(tcpGuard.name),
});

/** Returns a condition that limits a step to tcp-guard (`==`) or to proxies (`!=`). It is empty without tcp-guard. */
const githubCondition = (comparison: '==' | '!=', { hasDaemon }: Targets): string =>
  hasDaemon ? `\n        if: matrix.target ${comparison} '${tcpGuard.name}'` : '';

const githubDaemonStep = (targets: Targets): string =>
  targets.hasDaemon
    ? `      - name: Send the probes to ${tcpGuard.name}, which needs the tcp section of ${policyFile}${githubCondition('==', targets)}
        run: ${commandLines.daemon}
`
    : '';

const githubSetup = `      - uses: ${pinnedActions.checkout}
      - uses: ${pinnedActions.node}
        with:
          node-version: ${nodeVersion}
      - run: ${commandLines.install}
`;

function githubText(names: readonly string[], isReleased = isPublished): string {
  const targets = splitTargets(names);
  return `# Tests ${policyFile}: the cases of ${suiteFile} offline, with annotations, then against each target in a sandbox, with JUnit XML.
${headText(isReleased)}name: guard
on:
  push:
  pull_request:
permissions:
  contents: read
env:
  GUARD_PACKAGE: ${installable(isReleased)}
  GUARD_PORT: 8080
jobs:
  policy:
    runs-on: ubuntu-24.04
    timeout-minutes: 10
    steps:
${githubSetup}      - run: ${commandLines.validate}
      - run: ${commandLines.offline('github')}
  sandbox:
    runs-on: ubuntu-24.04
    timeout-minutes: 30
    strategy:
      fail-fast: false
      matrix:
        target: [${names.join(', ')}]
    env:
      TARGET: \${{ matrix.target }}
    steps:
${githubSetup}      - name: Send the cases through the proxy
        id: cases${githubCondition('!=', targets)}
        run: ${commandLines.proxy}
${githubDaemonStep(targets)}      - name: Show which cases failed
        if: failure() && steps.cases.outcome == 'failure'
        run: cat "guard-$TARGET.xml"
      - uses: ${pinnedActions.upload}
        if: always()
        with:
          name: guard-\${{ matrix.target }}
          path: guard-*.xml
          if-no-files-found: ignore
`;
}

const gitlabDaemonJob = ({ hasDaemon }: Targets): string =>
  hasDaemon
    ? `
# Needs the tcp section of ${policyFile}.
guard-${tcpGuard.name}:
  extends: .guard-sandbox
  script:
    - ${commandLines.daemon}
`
    : '';

function gitlabText(names: readonly string[], isReleased = isPublished): string {
  const targets = splitTargets(names);
  return `# In .gitlab-ci.yml: include: guard.gitlab-ci.yml
# A sandbox needs a runner with the shell executor, Node ${nodeVersion} and a container runtime, because guardcli connects to the
# loopback of the machine that runs the containers. Set the variable GUARD_RUNNER to the tag of such a runner.
${headText(isReleased)}.guard:
  image: node:${nodeVersion}
  variables:
    GUARD_PACKAGE: ${installable(isReleased)}
    GUARD_PORT: "8080"
  before_script:
    - ${commandLines.install}
  artifacts:
    when: always
    reports:
      junit: guard*.xml

.guard-sandbox:
  extends: .guard
  rules:
    - if: $GUARD_RUNNER
  tags:
    - $GUARD_RUNNER

guard:
  extends: .guard
  script:
    - ${commandLines.validate}
    - ${commandLines.offline('junit')} > guard.xml

guard-sandbox:
  extends: .guard-sandbox
  parallel:
    matrix:
      - TARGET: [${targets.proxies.join(', ')}]
  script:
    - ${commandLines.proxy}
${gitlabDaemonJob(targets)}`;
}

function shellText(names: readonly string[], isReleased = isPublished): string {
  const targets = splitTargets(names);
  return `#!/bin/sh
# Tests ${policyFile}: the cases of ${suiteFile} offline, then against each target in a sandbox, with JUnit XML. Needs Node ${nodeVersion} and
# a container runtime. The exit status is 1 if a target fails.
${headText(isReleased)}set -eu
: "\${GUARD_PACKAGE:=${installable(isReleased)}}" "\${GUARD_PORT:=8080}"

${commandLines.install}
${commandLines.validate}
${commandLines.offline('text')}

failed=0
for TARGET in ${targets.proxies.join(' ')}; do
  ${commandLines.proxy} || {
    cat "guard-$TARGET.xml"
    failed=1
  }
done
${targets.hasDaemon ? `# Needs the tcp section of ${policyFile}.\n${commandLines.daemon} || failed=1\n` : ''}exit "$failed"
`;
}

interface CiFile {
  /** Path relative to the folder of the policy. */
  readonly path: string;
  /** Path below examples/ci/. */
  readonly example: string;
  /** @param isReleased true when npm has the package */
  readonly text: (targets: readonly string[], isReleased?: boolean) => string;
  readonly mode: number;
}

export const ciFiles = {
  github: { path: '.github/workflows/guard.yml', example: 'github.yml', text: githubText, mode: 0o644 },
  gitlab: { path: 'guard.gitlab-ci.yml', example: 'gitlab-ci.yml', text: gitlabText, mode: 0o644 },
  shell: { path: 'guard-test.sh', example: 'shell.sh', text: shellText, mode: 0o755 },
} as const satisfies Record<string, CiFile>;
