/** Applications that read feeds. */
import type { Page } from 'playwright-core';
import { type Application, password, phpSite, user } from './application.ts';
import { fill, press, visit } from './steps.ts';

const articles: Readonly<Record<string, string>> = {
  'Tea & biscuits': 'https://example.org/tea',
  'Select a name from the list': 'https://example.org/names?order=name',
  'The file php.ini': 'http://localhost:8080/docs/ini.html',
};

const subscriptions = `<?xml version="1.0" encoding="utf-8"?>
<opml version="1.0"><head><title>Feeds</title></head><body>
<outline text="News"><outline type="rss" text="Tea" xmlUrl="https://example.org/tea/feed.xml" htmlUrl="https://example.org/tea"/>
<outline type="rss" text="Ships &amp; harbours" xmlUrl="https://example.net/rss.php?type=atom&amp;limit=10" htmlUrl=""/></outline>
</body></opml>
`;

async function openAction(page: Page, name: string): Promise<void> {
  await page.locator('.action-chooser .dijitDropDownButton, .action-chooser .action-button').first().click();
  await page.locator('.dijitMenuItemLabel', { hasText: name }).first().click();
}

async function search(page: Page, text: string): Promise<void> {
  await openAction(page, 'Search...');
  await page.locator('#search_query').fill(text);
  await page.keyboard.press('Enter');
  await page.waitForLoadState('networkidle');
}

async function editPreferences(page: Page): Promise<void> {
  await visit(page, '/prefs.php');
  await page.locator('.dijitButtonText', { hasText: 'Save configuration' }).first().click();
  for (const tab of ['Feeds', 'Filters', 'Labels', 'Users', 'System', 'Preferences', 'Feeds']) {
    await page.locator('#pref-tabs_tablist .tabLabel', { hasText: tab }).first().click();
    await page.waitForLoadState('networkidle');
  }
  await page.locator('.dijitAccordionText', { hasText: 'OPML' }).click();
  await page
    .locator('#opml_file')
    .setInputFiles({ name: 'feeds.opml', mimeType: 'text/x-opml', buffer: Buffer.from(subscriptions) });
  await page.locator('.dijitButtonText', { hasText: 'Import OPML' }).click();
  await page.waitForLoadState('networkidle');
}

async function useTinyTinyRss(page: Page): Promise<void> {
  await visit(page, '/');
  await fill(page, { '#login': user, '[name=password]': password });
  const opened = page.waitForEvent('load');
  await page.keyboard.press('Enter');
  await opened;
  for (const [title, url] of Object.entries(articles)) {
    await visit(page, `/public.php?op=sharepopup&title=${encodeURIComponent(title)}&url=${encodeURIComponent(url)}`);
    await fill(page, { '[name=content]': `About ${title}: see <b>config</b>` });
    await press(page, '.dijitButtonNode [type=submit], .dijitButtonText');
  }
  await editPreferences(page);
  await visit(page, '/index.php#f=-2&c=0');
  await page.locator('.marked-pic').first().click();
  await page.waitForLoadState('networkidle');
  await search(page, 'tea');
  await openAction(page, 'Logout');
  await page.locator('#login').waitFor();
}

const database = `<?php
$dbtype = 'mysql'; $dbserver = 'localhost'; $dbport = ''; $dbname = 'ttrss'; $dbuser = '${user}'; $dbpass = '${password}';
`;

export const tinyTinyRss: Application = {
  name: 'tt-rss',
  installed: '/usr/share/tt-rss/www/index.php',
  serve: async ({ php, sql, run, write, origin }) => {
    await sql(
      `CREATE DATABASE ttrss; CREATE USER '${user}'@'localhost' IDENTIFIED BY '${password}'; GRANT ALL ON ttrss.* TO '${user}'@'localhost';`,
    );
    await run(
      'sh',
      '-ec',
      `install -m 644 ${write('database.php', database)} /etc/tt-rss/database.php
sed -i "s#'SELF_URL_PATH', '.*'#'SELF_URL_PATH', '${origin}/'#" /etc/tt-rss/config.php
mariadb ttrss </usr/share/tt-rss/schema/ttrss_schema_mysql.sql`,
    );
    await sql(`UPDATE ttrss.ttrss_users SET pwd_hash = CONCAT('SHA1:', SHA1('${password}')) WHERE login = '${user}'`);
    return phpSite(php(), '/usr/share/tt-rss/www');
  },
  ready: '/index.php',
  use: useTinyTinyRss,
};
