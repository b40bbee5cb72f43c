/** Web interfaces of databases and directories. */
import type { Page } from 'playwright-core';
import { type Application, password, phpSite, user } from './application.ts';
import { fill, press, visit, wander } from './steps.ts';

const shop = [
  'CREATE DATABASE shop; CREATE TABLE shop.customers (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(80), note TEXT);',
  "INSERT INTO shop.customers (name, note) VALUES ('Ada', 'likes tea'), ('Grace', 'likes ships');",
  `CREATE USER '${user}'@'%' IDENTIFIED BY '${password}'; GRANT ALL ON *.* TO '${user}'@'%' WITH GRANT OPTION;`,
].join('\n');

const dump = `-- A dump of a table
CREATE TABLE orders (id INT PRIMARY KEY, customer INT, total DECIMAL(9, 2));
INSERT INTO orders VALUES (1, 1, 9.95), (2, 2, 120.00);
`;

async function usePhpMyAdmin(page: Page): Promise<void> {
  const open = (route: string) => visit(page, `/index.php?route=${route}`);
  await visit(page, '/');
  await fill(page, { '#input_username': user, '#input_password': password });
  await press(page, '#input_go');
  await open('/server/databases');
  await fill(page, { '#text_create_db': 'library' });
  await page.locator('#buttonGo').click();
  await page.waitForLoadState('networkidle');
  await open('/database/import&db=shop');
  await page
    .locator('#input_import_file')
    .setInputFiles({ name: 'orders.sql', mimeType: 'text/plain', buffer: Buffer.from(dump) });
  await page.locator('#buttonGo').click();
  await page.waitForLoadState('networkidle');
  await open('/database/search&db=shop');
  await fill(page, { '[name=criteriaSearchString]': 'tea' });
  await page.locator('#select_all').click();
  await page.locator('#buttonGo').click();
  await page.waitForLoadState('networkidle');
  await open('/table/change&db=shop&table=customers');
  await fill(page, { '[name="fields[multi_edit][0][b068931cc450442b63f5b3d276ea4297]"]': 'Edsger' });
  await page.locator('#buttonYes').click();
  await open('/preferences/features');
  await page.locator('[name=submit_save]').first().click();
  await open('/sql&db=shop&table=customers');
  await wander(page, {
    pages: 20,
    avoid: /phpinfo|drop|truncate|export/i,
    from: ['/index.php?route=/server/status', '/index.php?route=/database/structure&db=shop', page.url()],
  });
  // A script of the last page can open another one meanwhile. The request has been sent by then.
  await open('/logout').catch(() => undefined);
}

export const phpMyAdmin: Application = {
  name: 'phpmyadmin',
  installed: '/usr/share/phpmyadmin/index.php',
  serve: async ({ php, sql }) => {
    await sql(shop);
    return phpSite(php(), '/usr/share/phpmyadmin');
  },
  ready: '/',
  use: usePhpMyAdmin,
};
