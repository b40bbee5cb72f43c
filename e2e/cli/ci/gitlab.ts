/** Runs GitLab pipelines, with the part of the language that this project uses. */
import assert from 'node:assert/strict';
import { parse } from 'yaml';
import type { Environment, Ran, Workspace } from './workspace.ts';

interface Job {
  readonly extends?: string;
  readonly variables?: Environment;
  readonly rules?: readonly { readonly if: string }[];
  readonly parallel?: { readonly matrix: readonly Readonly<Record<string, readonly string[]>>[] };
  readonly before_script?: readonly string[];
  readonly script?: readonly string[];
  readonly artifacts?: { readonly reports: { readonly junit: string } };
}

interface PipelineJob {
  /** The name of the job with its matrix values: `guard-sandbox: [proxya]`. */
  readonly name: string;
  readonly run: (place: Workspace) => Promise<Ran & { readonly reports: Readonly<Record<string, string>> }>;
}

function jobWithInheritedKeys(name: string, jobs: Readonly<Record<string, Job>>): Job {
  const { extends: from, ...job } = jobs[name] ?? assert.fail(`there is no job ${name}`);
  const inherited = from === undefined ? {} : jobWithInheritedKeys(from, jobs);
  return { ...inherited, ...job, variables: { ...inherited.variables, ...job.variables } };
}

/** Returns whether a pipeline has the job. Supports only conditions on variables. */
function isWanted({ rules }: Job, variables: Environment): boolean {
  if (!rules) return true;
  return rules.some(({ if: condition }) => {
    const [, name = assert.fail(condition)] = /^\$(\w+)$/.exec(condition) ?? [];
    return (variables[name] ?? '') !== '';
  });
}

function combinations({ parallel }: Job): Record<string, string>[] {
  if (!parallel) return [{}];
  return parallel.matrix.flatMap((row) =>
    Object.entries(row).flatMap(([name, values]) => values.map((value) => ({ [name]: value }))),
  );
}

export function pipelineOf(text: string, variables: Environment): PipelineJob[] {
  const jobs = parse(text) as Readonly<Record<string, Job>>;
  const names = Object.keys(jobs).filter((name) => !name.startsWith('.'));
  return names.flatMap((name) => {
    const job = jobWithInheritedKeys(name, jobs);
    if (!isWanted(job, variables)) return [];
    return combinations(job).map((values) => ({
      name: [name, ...Object.values(values).map((value) => `[${value}]`)].join(': '),
      run: async (place: Workspace) => {
        const script = [...(job.before_script ?? []), ...(job.script ?? [])].join('\n');
        const env = { ...job.variables, ...variables, ...values, ...place.variables };
        const ran = await place.run(['bash', '-eo', 'pipefail'], script, env);
        return { ...ran, reports: place.read(job.artifacts?.reports.junit ?? assert.fail('no reports')) };
      },
    }));
  });
}
