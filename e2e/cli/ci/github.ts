/** Runs GitHub workflows and composite actions, with the part of the language that this project uses. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { runInNewContext } from 'node:vm';
import { parse } from 'yaml';
import type { Environment, Workspace } from './workspace.ts';

interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: Environment;
  readonly with?: Environment;
}

interface Job {
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
  readonly env?: Environment;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly env?: Environment;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

export interface JobRun {
  readonly isPassed: boolean;
  readonly log: string;
  readonly artifacts: Readonly<Record<string, string>>;
  readonly outputs: Environment;
}

/** Variables that an expression can use, such as `inputs.policy`. */
type Contexts = Readonly<Record<string, unknown>>;
type Steps = Record<string, { readonly outcome: string; readonly outputs: Environment }>;

/** Evaluates an expression as JavaScript. An absent value is an empty text. */
function evaluate(expression: string, contexts: Contexts, isFailed: boolean): unknown {
  const script = expression.replace(/\b(matrix|inputs|steps)((?:\.[\w-]+)+)/g, (_, context, path: string) =>
    [context, ...path.slice(1).split('.')].reduce((all, name) => `${all}?.[${JSON.stringify(name)}]`),
  );
  const functions = {
    always: () => true,
    failure: () => isFailed,
    success: () => !isFailed,
  };
  return runInNewContext(script, { ...contexts, ...functions }) ?? '';
}

const expand = (text: string | number, contexts: Contexts): string =>
  String(text).replace(/\$\{\{(.*?)\}\}/g, (_, expression: string) => String(evaluate(expression, contexts, false)));

const expandAll = (values: Environment = {}, contexts: Contexts): Environment =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, expand(value, contexts)]));

/** Returns whether the step runs. A condition without a status function includes `success()`. */
function isWanted({ if: condition }: Step, contexts: Contexts, isFailed: boolean): boolean {
  if (condition === undefined) return !isFailed;
  const expression = condition.replace(/^\$\{\{(.*)\}\}$/, '$1');
  const hasStatus = /\b(?:always|failure|success)\(/.test(expression);
  return Boolean(evaluate(expression, contexts, isFailed)) && (hasStatus || !isFailed);
}

/** Commands with which GitHub starts each shell. */
const shells: Readonly<Record<string, readonly string[]>> = {
  '': ['bash', '-e'],
  bash: ['bash', '--noprofile', '--norc', '-eo', 'pipefail'],
};

const actions: Readonly<Record<string, (given: Environment, place: Workspace) => Record<string, string>>> = {
  'actions/checkout': () => ({}),
  'actions/setup-node': ({ 'node-version': version }) => {
    assert.equal(version, process.versions.node.split('.')[0]);
    return {};
  },
  'actions/upload-artifact': ({ path = '' }, place) => place.read(path),
};

/** Imitates an action and returns its files. It must be pinned to a full commit, because a tag can move. */
function filesOfAction(uses: string, given: Environment, place: Workspace): Record<string, string> {
  const [, name = '', commit] = /^([^@]+)@([0-9a-f]{40})$/.exec(uses) ?? [];
  assert.ok(commit, `${uses} is not pinned`);
  const action = actions[name] ?? assert.fail(`${name} is not known`);
  return action(given, place);
}

interface Setting {
  readonly contexts: Contexts;
  readonly env: Environment;
  readonly place: Workspace;
}

async function runStep(step: Step, { contexts, env, place }: Setting) {
  const outputs = join(place.folder, '.outputs');
  writeFileSync(outputs, '');
  const script = step.run ?? assert.fail('a step neither uses an action nor runs a command');
  assert.doesNotMatch(script, /\$\{\{/, 'an expression is part of a command');
  const shell = shells[step.shell ?? ''] ?? assert.fail(`${step.shell} is not known`);
  const ran = await place.run(shell, script, { ...env, ...expandAll(step.env, contexts), GITHUB_OUTPUT: outputs });
  const pairs = readFileSync(outputs, 'utf8').matchAll(/^([^=]+)=(.*)$/gm);
  return { ...ran, outputs: Object.fromEntries([...pairs].map(([, name, value]) => [name, value])) as Environment };
}

async function runSteps(list: readonly Step[], setting: Setting): Promise<JobRun & { readonly steps: Steps }> {
  const steps: Steps = {};
  const artifacts: Record<string, string> = {};
  const contexts = { ...setting.contexts, steps };
  let [log, isFailed] = ['', false];
  for (const step of list) {
    if (!isWanted(step, contexts, isFailed)) continue;
    if (step.uses !== undefined) {
      Object.assign(artifacts, filesOfAction(step.uses, expandAll(step.with, contexts), setting.place));
      continue;
    }
    const { status, outputs, log: text } = await runStep(step, { ...setting, contexts });
    log += `## ${step.name ?? step.run}\n${text}`;
    isFailed ||= status !== 0;
    if (step.id !== undefined) steps[step.id] = { outcome: status === 0 ? 'success' : 'failure', outputs };
  }
  return { isPassed: !isFailed, log, artifacts, outputs: {}, steps };
}

function combinations(matrix: Readonly<Record<string, readonly string[]>> = {}): Record<string, string>[] {
  return Object.entries(matrix).reduce<Record<string, string>[]>(
    (rows, [name, values]) => rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
    [{}],
  );
}

export interface JobOfWorkflow {
  /** The name of the job with its matrix values: `sandbox proxya`. */
  readonly name: string;
  readonly run: (place: Workspace) => Promise<JobRun>;
}

/** Returns the jobs of a workflow, one for each combination of a matrix. */
export function jobsOf(text: string): JobOfWorkflow[] {
  const workflow = parse(text) as Workflow;
  return Object.entries(workflow.jobs).flatMap(([name, { strategy, env, steps }]) =>
    combinations(strategy?.matrix).map((matrix) => ({
      name: [name, ...Object.values(matrix)].join(' '),
      run: (place: Workspace) => {
        const contexts = { matrix };
        const variables = { ...expandAll({ ...workflow.env, ...env }, contexts), ...place.variables };
        return runSteps(steps, { contexts, env: variables, place });
      },
    })),
  );
}

export async function runAction(text: string, given: Environment, place: Workspace): Promise<JobRun> {
  const { inputs: declared, outputs, runs } = parse(text) as Action;
  const usual = Object.entries(declared).map(([name, input]) => [name, input.default]);
  const inputs = { ...Object.fromEntries(usual), ...given };
  const { steps, ...ran } = await runSteps(runs.steps, { contexts: { inputs }, env: {}, place });
  const values = Object.entries(outputs).map(([name, { value }]) => [name, expand(value, { inputs, steps })]);
  return { ...ran, outputs: Object.fromEntries(values) };
}
