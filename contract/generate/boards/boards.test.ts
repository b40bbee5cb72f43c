/** What Grafana, Loki and `dashboard watch` need of the files in observability/grafana. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parser } from '@grafana/lezer-logql';
import { parse } from 'yaml';
import { packageRoot } from '../../../platform/assets.ts';

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string; readonly queryType: string }[];
  readonly fieldConfig: { readonly defaults: { readonly unit?: string } };
}

interface Dashboard {
  readonly uid: string;
  readonly links: readonly { readonly url: string }[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
  readonly panels: readonly Panel[];
}

interface Rule {
  readonly title: string;
  readonly dashboardUid: string;
  readonly panelId: number;
  readonly annotations: Readonly<Record<string, string>>;
  readonly data: readonly [{ readonly datasourceUid: string; readonly model: { readonly expr: string } }, unknown];
}

const grafana = `${packageRoot}/observability/grafana`;
const read = (file: string): string => readFileSync(`${grafana}/${file}`, 'utf8');
const texts = globSync('dashboards/*.json', { cwd: grafana }).map(read);
const dashboards = texts.map((text): Dashboard => JSON.parse(text));
const { groups } = parse(read('provisioning/alerting/request-guard.yaml')) as { groups: [{ rules: Rule[] }] };
const [{ rules }] = groups;
const { datasources } = parse(read('provisioning/datasources/loki.yaml')) as { datasources: [{ uid: string }] };

/** The query as Grafana sends it, with variables that select everything. */
const sent = (expr: string): string => expr.replaceAll(/\$__(?:range|auto)/g, '60s').replaceAll(/\$\w+/g, '.*');

/** Where the parser of Grafana's own editor finds errors. */
function errors(expr: string): string[] {
  const found: string[] = [];
  parser.parse(expr).iterate({
    enter: ({ type, from }) => {
      if (type.isError) found.push(`${expr.slice(0, from)} <-- here`);
    },
  });
  return found;
}

const overlaps = ({ gridPos: one }: Panel, { gridPos: other }: Panel): boolean =>
  one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h;

assert.equal(dashboards.length, 5);

for (const { uid, panels, templating } of dashboards)
  describe(`the dashboard ${uid}`, () => {
    it('has a title, a description, a unit and a query in each panel', () => {
      for (const { title, description, targets, fieldConfig } of panels) {
        assert.ok(title && description && fieldConfig.defaults.unit && targets.length > 0, title);
        assert.match(description, /^[A-Z].*\.$/);
      }
    });
    it('has unique ids and titles, and no panel on another one', () => {
      assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
      assert.equal(new Set(panels.map(({ title }) => title)).size, panels.length);
      for (const [at, one] of panels.entries())
        for (const other of panels.slice(at + 1)) assert.ok(!overlaps(one, other), `${one.title}, ${other.title}`);
    });
    it('has LogQL that can be parsed, and that refers to variables of the dashboard', () => {
      const names = templating.list.map(({ name }) => name);
      assert.deepEqual(names, ['gateway', 'service', 'rule', 'address']);
      for (const { expr } of panels.flatMap(({ targets }) => targets)) {
        assert.deepEqual(errors(sent(expr)), []);
        for (const [, name = ''] of expr.matchAll(/\$(?!__)(\w+)/g)) assert.ok(names.includes(name), expr);
      }
    });
    it('counts over the range where a query is evaluated once, and over the step where it is a chart', () => {
      for (const { targets, type } of panels)
        for (const { expr, queryType } of targets.filter(({ expr }) => expr.includes('unwrap'))) {
          assert.equal(queryType, type === 'timeseries' ? 'range' : 'instant');
          assert.ok(expr.includes(queryType === 'range' ? '[$__auto]' : '[$__range]'), expr);
        }
    });
  });

describe('all dashboards', () => {
  it('link to each other, and to no other one', () => {
    const uids = dashboards.map(({ uid }) => uid);
    for (const { uid, links } of dashboards)
      assert.deepEqual(
        links.map(({ url }) => url.slice('/d/'.length)).sort(),
        uids.filter((one) => one !== uid).sort(),
      );
    for (const [, uid = ''] of texts.join('').matchAll(/"\/d\/([\w-]+)/g)) assert.ok(uids.includes(uid), uid);
  });
  it('use the provisioned data source', () => {
    const used = [...texts.join('').matchAll(/"type": "loki",\s+"uid": "([^"]+)"/g)].map(([, uid]) => uid);
    assert.deepEqual([...new Set(used)], [datasources[0].uid]);
  });
});

describe('the alert rules', () => {
  it('have a summary, a runbook, and a panel that shows the events', () => {
    for (const { title, annotations, dashboardUid, panelId } of rules) {
      assert.ok(annotations.summary && annotations.runbook?.startsWith('1. '), title);
      const panel = dashboards.find(({ uid }) => uid === dashboardUid)?.panels.find(({ id }) => id === panelId);
      assert.ok(panel, title);
      assert.equal(annotations.__dashboardUid__, dashboardUid);
      assert.equal(annotations.__panelId__, String(panelId));
    }
  });
  it('have LogQL that can be parsed', () => {
    for (const { data } of rules) {
      assert.deepEqual(errors(data[0].model.expr), []);
      assert.equal(data[0].datasourceUid, datasources[0].uid);
    }
  });
});
