/** Applications that are servers themselves. */
import type { Page } from 'playwright-core';
import { type Application, proxySite } from './application.ts';
import { fill, visit, wander } from './steps.ts';

const queries = [
  'up',
  'rate(prometheus_http_requests_total{handler!~"/static/.*"}[5m])',
  'histogram_quantile(0.9, sum by (le) (rate(prometheus_http_request_duration_seconds_bucket[5m])))',
  'process_resident_memory_bytes / 1024 / 1024',
  'node_filesystem_avail_bytes{mountpoint="/"}',
  'probe_success{instance="http://localhost/"} == 0',
  'sum(go_goroutines) by (instance) > 10',
  'count({__name__=~".+"}) by (__name__)',
  'label_replace(up, "file", "$1", "instance", "(.*):.*")',
  'topk(3, scrape_samples_scraped)',
  'absent(up{job="backup"})',
  'prometheus_build_info{version="2.42.0"}',
];

async function usePrometheus(page: Page): Promise<void> {
  await visit(page, '/graph');
  for (const query of queries) {
    await visit(page, `/graph?g0.expr=${encodeURIComponent(query)}&g0.tab=1&g0.range_input=1h`);
    await page.waitForLoadState('networkidle');
    await visit(page, `/graph?g0.expr=${encodeURIComponent(query)}&g0.tab=0&g0.range_input=30m`);
    await page.waitForLoadState('networkidle');
  }
  await wander(page, { pages: 40, from: ['/', '/status', '/classic/graph', '/targets'] });
  for (const name of [
    'labels',
    'metadata',
    'rules',
    'alerts',
    'targets',
    'status/tsdb',
    'status/config',
    'status/flags',
  ])
    await visit(page, `/api/v1/${name}`);
}

export const prometheus: Application = {
  name: 'prometheus',
  installed: '/usr/bin/prometheus',
  serve: ({ start, port, folder, write }) => {
    const config = `scrape_configs:\n  - job_name: prometheus\n    scrape_interval: 1s\n    static_configs:\n      - targets: ['127.0.0.1:${port}']\n`;
    const file = write('prometheus.yml', config);
    start([
      'prometheus',
      `--config.file=${file}`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--web.enable-admin-api',
    ]);
    return proxySite(port);
  },
  ready: '/-/ready',
  use: usePrometheus,
};

/** A device that the documentation of Syncthing names. */
const otherDevice = 'MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD';

/** Fills a dialog of Syncthing and saves it. */
async function saveDialog(page: Page, dialog: string, fields: Readonly<Record<string, string>>): Promise<void> {
  await fill(page, fields);
  await page.locator(`${dialog} button[ng-click^="save"]`).click();
  await page.locator(dialog).waitFor({ state: 'hidden' });
}

/** Clicks what calls a function of Syncthing's page, also in a panel, which closes when the page reads new settings. */
const call = (page: Page, name: string): Promise<void> =>
  page.locator(`[ng-click^="${name}("]`).first().dispatchEvent('click');

/** Calls a function of the page, and waits until the server has changed something. */
async function change(page: Page, name: string, path: string): Promise<void> {
  const changed = page.waitForResponse(
    (response) => response.request().method() !== 'GET' && response.url().includes(path),
  );
  await call(page, name);
  await changed;
}

async function changeFolder(page: Page): Promise<void> {
  await call(page, 'addFolder');
  await saveDialog(page, '#editFolder', { '#folderLabel': 'Notes & tea', '#folderPath': '/srv/notes' });
  await change(page, 'rescanFolder', '/rest/db/scan');
  await change(page, 'setFolderPause', '/rest/config');
}

async function useSyncthing(page: Page): Promise<void> {
  await visit(page, '/');
  await changeFolder(page);
  await call(page, 'addDevice');
  await saveDialog(page, '#editDevice', { '#deviceID': otherDevice, '#name': 'Laptop of Ada' });
  await call(page, 'showSettings');
  await saveDialog(page, '#settings', { '#DeviceName': 'Server & tea' });
  for (const path of [
    'system/log',
    'system/connections',
    'system/discovery',
    'config/folders',
    'config/devices',
    'config/options',
    'config/gui',
    'cluster/pending/devices',
    'system/status',
    'system/version',
    'system/error',
    'system/debug',
    'svc/report',
    'config',
    'stats/device',
    'events?since=0&limit=1&timeout=1',
  ])
    await visit(page, `/rest/${path}`);
  await visit(page, '/');
  await change(page, 'restart', '/rest/system/restart');
}

export const syncthing: Application = {
  name: 'syncthing',
  installed: '/usr/bin/syncthing',
  serve: ({ start, port, folder }) => {
    const home = `${folder}/syncthing`;
    // The page would ask about reports of usage at any time, over its other dialogs.
    const prepare = [
      `syncthing generate --no-default-folder --home=${home}`,
      `sed -i 's/<urAccepted>0/<urAccepted>-1/' ${home}/config.xml`,
      `exec syncthing serve --no-browser --no-default-folder --home=${home} --gui-address=127.0.0.1:${port}`,
    ];
    start(['sh', '-c', prepare.join(' && ')]);
    return `reverse_proxy 127.0.0.1:${port} {\n\theader_up Host localhost:${port}\n}`;
  },
  ready: '/',
  use: useSyncthing,
};
