/** The dashboards in a real Grafana at GRAFANA_URL. GRAFANA_PASSWORD is the password of its user admin. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { boards } from '../../contract/generate/boards/index.ts';
import { packageRoot } from '../../platform/assets.ts';
import { sharedBrowser } from '../support/browser-process.ts';

const { GRAFANA_URL: address, GRAFANA_PASSWORD: password = '' } = process.env;
const skip = address === undefined && 'the images here have no Grafana, and GRAFANA_URL is not set';
const screenshots = join(packageRoot, '.cache/dashboards');
const timeout = 120_000;

describe('dashboards in Grafana', { skip, timeout }, () => {
  for (const { uid, rows } of boards)
    it(`${uid} shows every panel without an error`, async (t) => {
      const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
      const page = await (await sharedBrowser()).newPage({
        ...(password !== '' && { extraHTTPHeaders: { authorization } }),
        viewport: { width: 1600, height: 2600 },
      });
      t.after(() => page.close());
      await page.goto(`${address}/d/${uid}?kiosk&from=now-24h&to=now`);
      for (const { title } of rows.flatMap(({ panels }) => panels))
        await page.getByTestId(`data-testid Panel header ${title}`).first().waitFor();
      await page.waitForLoadState('networkidle');
      mkdirSync(screenshots, { recursive: true });
      await page.screenshot({ path: join(screenshots, `${uid}.png`), fullPage: true });
      assert.equal(await page.getByTestId('data-testid Panel status error').count(), 0);
      assert.equal(await page.getByText('Panel plugin not found').count(), 0);
    });
});
