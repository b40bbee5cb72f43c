import {
  applyOverrides,
  type Environment,
  expandReferences,
  hasReference,
  isInDisabledSection,
  variableOf,
} from '../daemon/environment.ts';
import { type Daemon, daemonSchema } from '../daemon/schema.ts';
import { limits } from '../policy/limits.ts';
import { valueAt } from '../schema/problem.ts';
import { expandPresets } from '../values/presets.ts';
import { type Form, loadFile, type Prepared } from './check.ts';
import type { Issue } from './issues.ts';
import type { Loaded } from './problem.ts';
import { fileSubject } from './text.ts';
import type { Node } from './tree.ts';
import { daemonWarnings } from './warnings/daemon.ts';
import { readYaml } from './yaml.ts';

type Schema = ReturnType<typeof daemonSchema>;

const unsetIssue = (name: string, path: Issue['path']): Issue => ({
  kind: 'bad_value',
  message: `the environment variable ${name} is not set`,
  path,
  hint: `set ${name} where tcp-guard runs`,
});

/**
 * Whether an issue can disappear when a reference in the text is replaced. The value stays a text, so `wrong_type`
 * remains.
 */
const mayDisappear = (kind: Issue['kind'], value: unknown): boolean => kind !== 'wrong_type' && hasReference(value);

/** Replaces references by environment variables. A disabled section may refer to unset variables. */
function withVariables({ value }: Node, environment: Environment): Prepared {
  const { value: file, unset } = expandReferences(value, environment);
  const missed = unset.filter(({ path }) => !isInDisabledSection(file, path));
  return {
    value: applyOverrides(file, environment),
    issues: missed.map(({ name, path }) => unsetIssue(name, path)),
    counts: ({ kind, path }) => !(isInDisabledSection(file, path) && mayDisappear(kind, valueAt(file, path))),
    variable: (path) => variableOf(path, environment),
  };
}

/** Keeps references. A text with a reference can become any text, so its issues do not count. */
const withReferences = ({ value }: Node): Prepared => ({
  value,
  counts: ({ kind, path }) => !mayDisappear(kind, valueAt(value, path)),
});

const smallestFile =
  'write services, such as services: {ssh: {listen: ":2222", upstream: "127.0.0.1:22", protocol: ssh}}';

type IpFilter = Daemon['global']['ip_filter'];

const expandFilter = ({ allow, deny }: IpFilter): IpFilter => ({
  allow: [...expandPresets(allow)],
  deny: [...expandPresets(deny)],
});

/** Replaces names of presets by their networks. */
function withNetworks({ global, services, ...rest }: Daemon): Daemon {
  const expanded = Object.entries(services).map(([name, { ip_filter, proxy_protocol, ...service }]) => {
    const accept_from = [...expandPresets(proxy_protocol.accept_from)];
    const lists = { ip_filter: expandFilter(ip_filter), proxy_protocol: { ...proxy_protocol, accept_from } };
    return [name, { ...service, ...lists }] as const;
  });
  const { never_ban, ip_filter } = global;
  const lists = { never_ban: [...expandPresets(never_ban)], ip_filter: expandFilter(ip_filter) };
  return { ...rest, global: { ...global, ...lists }, services: Object.fromEntries(expanded) };
}

function daemonForm(environment: Environment | undefined): Form<Schema> {
  const schema = daemonSchema();
  return {
    subject: { ...fileSubject, whenEmpty: smallestFile },
    schema,
    maxBytes: limits.daemonFileBytes,
    read: readYaml,
    schemaAt: (path) => ({ schema, path }),
    warnings: daemonWarnings,
    complete: withNetworks,
    prepare: environment ? (root) => withVariables(root, environment) : withReferences,
  };
}

/**
 * Reads a daemon file. With an `environment`, references to unset variables are problems, except in disabled sections.
 * Without one, texts with `${NAME}` stay verbatim. `name` is the user's name for the file. Never throws.
 */
export function loadDaemon(bytes: Uint8Array, name: string, environment?: Environment): Loaded<Daemon> {
  return loadFile(bytes, name, daemonForm(environment));
}
