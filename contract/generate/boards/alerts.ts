import { stringify } from 'yaml';
import { layer4 } from './layer4.ts';
import { live } from './live.ts';
import { type Board, datasource, panelId } from './model.ts';
import { overview } from './overview.ts';

export interface Alert {
  readonly uid: string;
  readonly title: string;
  /** LogQL. The rule fires for each series of the result with a value above `above`. */
  readonly expr: string;
  readonly above: number;
  /** Age in seconds of the oldest log lines that the query reads. */
  readonly lookbackSeconds: number;
  /** How long the value must stay above `above` before the rule fires. */
  readonly pendingPeriod: string;
  readonly severity: 'warning' | 'critical';
  readonly summary: string;
  /** Numbered steps for the operator. */
  readonly runbook: readonly string[];
  /** The panel that shows the events: its dashboard and its title. */
  readonly panel: readonly [board: Board, title: string];
}

const blockedStream = '{app="request-guard", action=~"blocked|detected"}';
const byRule = (range: string) =>
  `sum by (gateway, rule_id) (count_over_time(${blockedStream} | rule_id!="" ${range}))`;

const day = 86_400;

export const alerts: readonly Alert[] = [
  {
    ...{
      uid: 'guard-flood',
      title: 'Flood',
      above: 100,
      lookbackSeconds: 300,
      pendingPeriod: '5m',
      severity: 'critical',
    },
    expr: `sum by (gateway) (sum_over_time(${blockedStream} | unwrap count [5m])) / 300`,
    summary:
      'More than 100 events a second for 5 minutes at {{ $labels.gateway }}: {{ printf "%.0f" $values.A.Value }}.',
    runbook: [
      'Open the overview. Few addresses in the list Addresses: an attack; many with few requests each: a rule that visitors meet, or a distributed attack.',
      'Few addresses: ban them with POST /ban of tcp-guard, or let tcp-guard read the event files of the gateways (`intake`), which bans them by itself.',
      'Many addresses and one rule: try the paths of the rule with `guardcli test`, and write an exception if they are those of visitors.',
      'Many addresses and many rules: set `rate_limit` and `max_connections_per_ip` of the service, or `geo_block`.',
    ],
    panel: [overview, 'Gateways over time'],
  },
  {
    ...{
      uid: 'guard-new-rule',
      title: 'New rule',
      above: 0,
      lookbackSeconds: day + 900,
      pendingPeriod: '0s',
      severity: 'warning',
    },
    expr: `${byRule('[15m]')} unless ${byRule('[24h] offset 15m')}`,
    summary: 'The rule {{ $labels.rule_id }} matched at {{ $labels.gateway }}, for the first time in 24 hours.',
    runbook: [
      'Open the overview, enter the rule as variable rule, and look at its paths and addresses.',
      'One address with many paths: a scanner. Nothing is to be done.',
      'Many addresses with one path: probably a false positive, such as after a release of the site. Try the path with `guardcli test`, and write an exception.',
      'In the first 24 hours after the start, the alert fires once for each rule.',
    ],
    panel: [overview, 'Rules'],
  },
  {
    ...{
      uid: 'guard-detect',
      title: 'Policy in mode detect',
      above: 0,
      lookbackSeconds: 3600,
      pendingPeriod: '24h',
      severity: 'warning',
    },
    expr: 'sum by (gateway) (count_over_time({app="request-guard", action="detected"}[1h]))',
    summary: 'A policy at {{ $labels.gateway }} has been in mode detect for 24 hours: it passes attacks on.',
    runbook: [
      'Open the overview and look at the rules and paths of detected requests.',
      'Paths of visitors: write exceptions, and check them with `guardcli test`.',
      'Only paths of scanners: set "mode" of the policy to "enforce", or leave the key out.',
    ],
    panel: [overview, 'Outcomes over time'],
  },
  {
    ...{
      uid: 'guard-feed',
      title: 'Dead threat feed',
      above: 0,
      lookbackSeconds: 4500,
      pendingPeriod: '0s',
      severity: 'critical',
    },
    // tcp-guard repeats the message every hour while the feed is stale.
    expr: 'sum (count_over_time({app="request-guard", action="unparsed"} |= "threat feed: stale" [75m]))',
    summary: 'tcp-guard gets no decisions from CrowdSec. The last ones remain in force until they expire.',
    runbook: [
      'Read `crowdsec.last_error` of GET /health of tcp-guard, and the unparsed lines of the live log.',
      '"connection refused" or a timeout: start CrowdSec, or correct `threatfeed.lapi_url`.',
      '403: make a new key with `cscli bouncers add`, and set `threatfeed.api_key`.',
      'The alert ends at most 75 minutes after the feed responds again.',
    ],
    panel: [live, 'Unparsed lines'],
  },
  {
    ...{
      uid: 'guard-logins',
      title: 'Many failed logins',
      above: 100,
      lookbackSeconds: 600,
      pendingPeriod: '0s',
      severity: 'warning',
    },
    expr: 'sum by (service) (sum_over_time({app="request-guard", action="auth_failure"} | unwrap count [10m]))',
    summary: 'More than 100 failed logins in 10 minutes at {{ $labels.service }}: {{ printf "%.0f" $values.A.Value }}.',
    runbook: [
      'Open the dashboard of layer 4 and look at the addresses with failed logins.',
      'Few addresses: they should be banned; compare with `ban_after_failures`, and with `never_ban`.',
      'Many addresses: lower `ban_after_failures`, and restrict the service with `ip_filter` or `geo_block`.',
    ],
    panel: [layer4, 'Failed logins over time'],
  },
];

const expressionSource = { type: '__expr__', uid: '__expr__' };

const ruleOf = ({
  uid,
  title,
  expr,
  above,
  lookbackSeconds,
  pendingPeriod,
  severity,
  summary,
  runbook,
  panel,
}: Alert) => ({
  ...{ uid, title, condition: 'B', for: pendingPeriod, noDataState: 'OK', execErrState: 'Error' },
  dashboardUid: panel[0].uid,
  panelId: panelId(...panel),
  labels: { severity },
  annotations: {
    summary,
    runbook: runbook.map((step, index) => `${index + 1}. ${step}`).join('\n'),
    __dashboardUid__: panel[0].uid,
    __panelId__: `${panelId(...panel)}`,
  },
  data: [
    {
      ...{ refId: 'A', queryType: 'instant', datasourceUid: datasource.uid },
      relativeTimeRange: { from: lookbackSeconds, to: 0 },
      model: { refId: 'A', datasource, expr, queryType: 'instant', editorMode: 'code' },
    },
    {
      ...{ refId: 'B', datasourceUid: expressionSource.uid, relativeTimeRange: { from: lookbackSeconds, to: 0 } },
      model: {
        ...{ refId: 'B', type: 'threshold', datasource: expressionSource, expression: 'A' },
        conditions: [{ evaluator: { type: 'gt', params: [above] } }],
      },
    },
  ],
});

const fileHead = '# Generated from contract/generate/boards/alerts.ts: `npm run generate`.\n';

/** Another folder than that of the dashboards: whichever is provisioned second would find the folder of the first, and Grafana 11.0 ends. */
const alertFolder = 'Request Guard alerts';

export function alertRules(): string {
  const group = { orgId: 1, name: 'request-guard', folder: alertFolder, interval: '5m', rules: alerts.map(ruleOf) };
  return fileHead + stringify({ apiVersion: 1, groups: [group] }, { lineWidth: 0, aliasDuplicateObjects: false });
}
