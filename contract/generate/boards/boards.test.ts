/** Checks that Grafana, Loki and `dashboard watch` can show the files in observability/grafana. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parser } from '@grafana/lezer-logql';
import { parse } from 'yaml';
import { packageRoot } from '../../../platform/assets.ts';

interface Color {
  readonly mode: string;
  readonly fixedColor?: string;
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string; readonly queryType: string; readonly legendFormat?: string }[];
  readonly transformations?: readonly { readonly options: object }[];
  readonly fieldConfig: {
    readonly defaults: {
      readonly unit?: string;
      readonly decimals?: number;
      readonly noValue?: string;
      readonly color?: Color;
      readonly thresholds?: { readonly steps: readonly { readonly value: number | null; readonly color: string }[] };
    };
    readonly overrides: readonly {
      readonly matcher: { readonly options: string };
      readonly properties: readonly { readonly value: Color }[];
    }[];
  };
  readonly options: Readonly<Record<string, unknown>>;
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
const { groups } = parse(read('provisioning/alerting/request-guard.yaml')) as {
  groups: [{ rules: Rule[]; folder: string }];
};
const [{ rules, folder }] = groups;
const { datasources } = parse(read('provisioning/datasources/loki.yaml')) as { datasources: [{ uid: string }] };

/** Returns the query as Grafana sends it. */
const sent = (expr: string): string => expr.replaceAll(/\$__(?:range|auto)/g, '60s').replaceAll(/\$\w+/g, '.*');

/** Returns the texts that the parser of Grafana's editor refuses. */
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
      const [first, ...others] = uid === 'guard-address' ? ['address', 'gateway'] : ['gateway', 'address'];
      assert.equal(names[0], first);
      assert.deepEqual(names.toSorted(), [first, ...others, 'rule', 'service'].toSorted());
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

/**
 * Widths in a window of 1440 pixels with the menu open: a grid column, a character of a panel title, the icons beside a
 * title.
 */
const [columnPixels, characterPixels, iconPixels] = [50, 7.5, 110];

const panels = dashboards.flatMap((dashboard) => dashboard.panels);
const ofType = (wanted: string): readonly Panel[] => {
  const found = panels.filter(({ type }) => type === wanted);
  assert.ok(found.length > 0, wanted);
  return found;
};

describe('the panels', () => {
  it('have titles that fit at 1440 pixels, and at 900 without the icons of the mouse', () => {
    for (const { title, gridPos } of panels) {
      assert.ok(title.length * characterPixels + iconPixels <= gridPos.w * columnPixels, title);
      assert.ok(title.length * characterPixels + 48 <= (gridPos.w * (900 - 32)) / 24, title);
    }
  });
  it('show exact numbers, and words where there is nothing', () => {
    for (const { title, type, fieldConfig } of panels) {
      const { unit, decimals, noValue } = fieldConfig.defaults;
      // Grafana would also write the text of a chart beside its axis.
      assert.match(noValue ?? '', type === 'timeseries' ? /^$/ : /^no [a-z ]+$/, title);
      assert.ok(unit === 'dateTimeFromNow' || (unit === 'locale' && decimals === 0), title);
    }
  });
  it('show no number that is not the answer of the one query', () => {
    for (const { title, targets, fieldConfig } of ofType('stat')) {
      const { unit, thresholds, color } = fieldConfig.defaults;
      assert.deepEqual([targets.length, targets[0]?.expr.includes('vector(')], [1, false], title);
      if (unit === 'dateTimeFromNow') continue;
      assert.equal(color?.mode, 'thresholds', title);
      assert.deepEqual([thresholds?.steps[0], thresholds?.steps[1]?.value], [{ value: null, color: 'text' }, 1]);
    }
  });
  it('show the count in the second column of a table', () => {
    for (const { title, transformations } of ofType('table')) {
      const options = transformations?.[0]?.options as { readonly indexByName: Readonly<Record<string, number>> };
      assert.equal(options.indexByName['Value #A'], 1, title);
    }
  });
  it('have different colors for the series of a chart', () => {
    for (const { fieldConfig, targets } of ofType('timeseries')) {
      // `palette-classic-by-name` would give all series one color, because the field of each is named Value.
      assert.equal(fieldConfig.defaults.color?.mode, 'palette-classic');
      const colorOf = (name: string) =>
        fieldConfig.overrides.find(({ matcher }) => matcher.options === name)?.properties[0]?.value.fixedColor;
      const legend = targets[0]?.legendFormat;
      if (legend === '{{action}}') assert.deepEqual(['blocked', 'allowed'].map(colorOf), ['red', 'green']);
      if (legend !== '{{gateway}} {{action}}') continue;
      const gateways = ['caddy', 'traefik', 'nginx', 'tcp-guard'].map((name) => colorOf(`${name} blocked`));
      assert.equal(new Set(gateways).size, gateways.length);
      assert.ok(gateways.every(Boolean));
    }
  });
});

describe('the lists and the map', () => {
  it('have bars in the color of what they count', () => {
    const colorOf = (wanted: string) =>
      ofType('bargauge').find(({ title }) => title === wanted)?.fieldConfig.defaults.color?.fixedColor;
    const titles = ['Rules', 'Addresses with failed logins', 'User agents'];
    assert.deepEqual(titles.map(colorOf), ['red', 'yellow', 'blue']);
  });
  it('draw bars of the height of a line, also a single one', () => {
    for (const { options } of ofType('bargauge')) {
      const { sizing, minVizHeight, maxVizHeight } = options;
      assert.deepEqual([sizing, Number(minVizHeight) < Number(maxVizHeight)], ['manual', true]);
      assert.ok(Number(maxVizHeight) < 40);
    }
  });
  it('have room for ten names above their bars, or for names of two letters beside them', () => {
    for (const { title, options, gridPos } of ofType('bargauge')) {
      const { namePlacement, minVizHeight, text } = options;
      const { titleSize } = text as Readonly<Record<string, number>>;
      // A row of the grid has 38 pixels with its margin, a panel 56 around its content, a bar 10 below it.
      const [inner, lines] = [gridPos.h * 38 - 8 - 56, title === 'Countries' && gridPos.h > 11 ? 20 : 10];
      assert.ok(lines * (Number(minVizHeight) + 10) <= inner, title);
      assert.equal(namePlacement, title === 'Countries' ? 'left' : 'top', title);
      // Grafana measures names with 12 pixels, and a line has one and a half times its letters.
      assert.ok(
        Number(titleSize) <= 12 && Number(titleSize) * 1.5 < Number(namePlacement === 'top' ? minVizHeight : 19),
      );
    }
  });
  it('draw levels from the outcome, not from the words of a line', () => {
    for (const { targets } of ofType('logs')) assert.match(targets[0]?.expr ?? '', /\| label_format level=`/);
  });
  it('show no sums below a chart, whose first step begins before the range', () => {
    for (const { options } of ofType('timeseries'))
      assert.deepEqual((options.legend as { readonly calcs: readonly string[] }).calcs, []);
  });
  it('format events as lines', () => {
    for (const { title, targets } of ofType('logs'))
      assert.equal(targets[0]?.expr.includes('| line_format `'), title !== 'Unparsed lines', title);
  });
  it('show one world', () => {
    for (const { options } of ofType('geomap')) {
      const { id, zoom, noRepeat } = options.view as Readonly<Record<string, unknown>>;
      assert.deepEqual([id, noRepeat], ['coords', true]);
      // A world has 256 pixels at zoom 0, and doubles with each zoom. The panel has two thirds of 1440 pixels.
      assert.ok(256 * 2 ** Number(zoom) >= 950);
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
  it('link to a value with each special character, and keep the other filters', () => {
    const urls = texts.flatMap((text) =>
      [...text.matchAll(/"url": ("\/d\/[^"]*\?[^"]*")/g)].map(([, url = '']) => JSON.parse(url) as string),
    );
    const found = new Set<string>();
    for (const url of urls) {
      const [, variable = '', value = ''] = /&var-(\w+)=(.*?)&/.exec(url) ?? [];
      const kept = [...url.matchAll(/\$\{(\w+):queryparam\}/g)].map(([, name]) => name);
      assert.deepEqual([...kept, variable].toSorted(), ['address', 'gateway', 'rule', 'service'], url);
      found.add(variable);
      if (variable === 'service') continue;
      for (const id of ['block[0]', 'a.b', 'a+b', 'a/b', '2001:db8::1', 'a&b=c#d']) {
        const filled = value.replace(/\$\{__data\.fields\.\w+:percentencode\}/, encodeURIComponent(id));
        assert.equal(new URLSearchParams(`v=${filled}`).get('v'), `\\Q${id}\\E`);
      }
    }
    assert.deepEqual([...found].toSorted(), ['address', 'rule', 'service']);
  });
  it('read only events of the programs that set their field', () => {
    const matchers = {
      path: 'gateway!="tcp-guard"',
      user_agent: 'gateway!="tcp-guard"',
      country: 'gateway="tcp-guard"',
    };
    const exprs = dashboards.flatMap(({ panels }) => panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)));
    for (const [field, matcher] of Object.entries(matchers)) {
      const found = exprs.filter((expr) => expr.includes(`| ${field}!=""`));
      assert.ok(found.length > 0, field);
      for (const expr of found) assert.ok(expr.includes(`, ${matcher},`), expr);
    }
  });
  it('use the provisioned data source', () => {
    const used = [...texts.join('').matchAll(/"type": "loki",\s+"uid": "([^"]+)"/g)].map(([, uid]) => uid);
    assert.deepEqual([...new Set(used)], [datasources[0].uid]);
  });
});

describe('the alert rules', () => {
  it('are in another folder than the dashboards, because each would create a folder of the same name', () => {
    const { providers } = parse(read('provisioning/dashboards/request-guard.yaml'));
    assert.notEqual(providers[0].folder, folder);
  });
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
