/**
 * Generates how CrowdSec's parsers recognize a line and read its members, and the expression that assigns a kind of
 * attack to each rule and reason.
 */
import { auditExtras, auditMembers, requestMembers, requestTypes, summaryMembers } from '../events/members.ts';
import { builtInRules } from '../policy/builtin-rules.ts';
import { exploitRules } from '../policy/exploits.ts';
import { type BlockedReason, blockedReasons } from '../policy/reasons.ts';
import { withBlocks } from './yaml.ts';

/** For each category of rules, the kind of attack that CrowdSec's scenarios count. */
const kindOfCategory: Readonly<Record<string, string>> = {
  traversal: 'traversal',
  encoding: 'traversal',
  os: 'traversal',
  env: 'sensitive_file',
  hidden: 'sensitive_file',
  vcs: 'sensitive_file',
  cloud: 'sensitive_file',
  keys: 'sensitive_file',
  dump: 'sensitive_file',
  backup: 'sensitive_file',
  config: 'sensitive_file',
  log: 'sensitive_file',
  develop: 'sensitive_file',
  admin: 'exploit',
  exploit: 'exploit',
  injection: 'exploit',
};

const reasonOfRules: BlockedReason = 'block_pattern_match';

function idsByKind(): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { id, action, category } of [...builtInRules, ...exploitRules()]) {
    if (action !== 'block') continue;
    const kind = kindOfCategory[category];
    if (kind === undefined) throw new Error(`give the category "${category}" of the rule ${id} a kind`);
    ids.set(kind, [...(ids.get(kind) ?? []), id]);
  }
  return ids;
}

const listLiteral = (values: readonly string[]): string => `[${values.map((value) => `'${value}'`).join(', ')}]`;

function kindExpression(): string[] {
  const limits = blockedReasons.filter((reason) => reason !== reasonOfRules);
  return [
    'expression: >-',
    `  evt.Meta.guard_reason in ${listLiteral(limits)} ? 'limit'`,
    `  : evt.Meta.guard_reason != '${reasonOfRules}' ? ''`,
    ...Array.from(idsByKind(), ([kind, ids]) => `  : evt.Meta.guard_rule in ${listLiteral(ids)} ? '${kind}'`),
    "  : 'custom_rule'",
  ];
}

const extract = (member: string): string => `JsonExtract(evt.Line.Raw, '${member}')`;

/** A shipper may have added white space between the first members, but nothing before them. */
function filterOf(types: readonly string[]): string[] {
  const [type, timestamp] = Object.keys(requestMembers);
  const names = `"(?:${types.join('|')})"`;
  const start = ['^[{]', `"${type}"`, ':', names, ',', `"${timestamp}"`, ':', '"'].join('[ \\t]*');
  return [
    'filter: >-',
    "  evt.Line.Labels.type == 'request-guard'",
    `  && evt.Line.Raw matches '${start}'`,
    "  && evt.Line.Raw matches '[}][ \\t\\r]*$'",
  ];
}

type Fields<M> = Readonly<Record<string, Extract<keyof M, string>>>;

/** @param meta fields of `evt.Meta` @param parsed those of `evt.Parsed` */
function staticsOf<M>(_: M, meta: Fields<M>, parsed: Fields<M> = {}): string[] {
  const rows = (kind: string, fields: Fields<M>): string[] =>
    Object.entries(fields).map(([field, member]) => `- {${kind}: ${field}, expression: "${extract(member)}"}`);
  const address = extract('client_ip' satisfies keyof typeof requestMembers & keyof typeof auditMembers);
  const time = extract('timestamp' satisfies keyof typeof requestMembers & keyof typeof auditMembers);
  return [
    ...rows('meta', meta),
    ...rows('parsed', parsed),
    '# Records of bans may be about a network. A summary has several clients, none of which is the source of the line.',
    '- meta: source_ip',
    '  expression: >-',
    `    ${address} matches '^[0-9a-f.:]{2,45}$' ? ${address} : ''`,
    "# StrTime is for the hub's date parser; without that parser, replay reads MarshaledTime.",
    `- {target: evt.StrTime, expression: "${time}"}`,
    `- {target: MarshaledTime, expression: "${time}"}`,
  ];
}

function gatewayStatics(): string[] {
  const hub = { http_user_agent: 'user_agent', target_fqdn: 'host' } as const;
  const own = {
    guard_type: 'type',
    guard_gateway: 'gateway',
    guard_reason: 'reason',
    guard_response: 'action',
  } as const;
  const decision = { guard_target: 'target', guard_candidate: 'candidate', guard_rule: 'rule_id' } as const;
  const request = { http_path: 'request_uri', http_verb: 'method', http_status: 'status' } as const;
  return staticsOf(
    { ...summaryMembers, ...requestMembers },
    { ...own, ...decision, guard_count: 'count', ...request, ...hub },
    { request: 'request_uri', verb: 'method', ...hub },
  );
}

const auditStatics = (): string[] =>
  staticsOf(
    { ...auditMembers, ...auditExtras },
    {
      ...{ guard_action: 'action', guard_reason: 'reason', guard_service: 'service', guard_confidence: 'confidence' },
      ...{ guard_count: 'count', service: 'protocol' },
    },
  );

const folder = 'observability/crowdsec/parsers/s01-parse/request-guard-';

export const crowdsecParsers = [
  {
    file: `${folder}gateways.yaml`,
    text: (current: string): string =>
      withBlocks(current, {
        filter: () => filterOf([...requestTypes, summaryMembers.type.const]),
        members: gatewayStatics,
        kinds: kindExpression,
      }),
  },
  {
    file: `${folder}audit.yaml`,
    text: (current: string): string =>
      withBlocks(current, { filter: () => filterOf([auditMembers.type.const]), members: auditStatics }),
  },
];
