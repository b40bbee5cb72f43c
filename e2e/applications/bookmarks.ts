/** Applications that keep links. */
import type { Page } from 'playwright-core';
import { type Application, password, phpSite, user } from './application.ts';
import { fill, press, visit, wander } from './steps.ts';

interface Bookmark {
  readonly url: string;
  readonly title: string;
  readonly description: string;
  readonly tags: string;
}

const bookmarks: readonly Bookmark[] = [
  { url: 'https://example.org/tea', title: 'Tea & biscuits', description: '* green\n* black', tags: 'tea drink' },
  { url: 'https://example.org/ships?from=harbour', title: 'Ships', description: 'Select one', tags: 'ships c++' },
  {
    ...{ url: 'http://localhost:8080/docs/#config', title: 'Settings of the server', tags: 'php .net' },
    description: 'Set `display_errors` in php.ini, or <b>ini_set</b>("display_errors", 0)',
  },
  { url: '', title: 'Notes', description: 'See /etc/hosts, and ../notes', tags: 'notes tea' },
];

/** A file that browsers export. */
const exported = `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE><H1>Bookmarks</H1>
<DL><p>
<DT><A HREF="https://example.org/backup" ADD_DATE="1600000000" TAGS="backup,server">Backups of a server</A>
<DT><A HREF="https://example.org/admin/login.php?next=/" ADD_DATE="1600000001" TAGS="php">Login & more</A>
</DL><p>
`;

async function addBookmark(page: Page, { url, title, description, tags }: Bookmark): Promise<void> {
  await visit(page, '/admin/add-shaare');
  await fill(page, { '#shaare': url });
  await press(page, '.addform [type=submit]');
  await fill(page, { '#lf_title': title, '#lf_description': description, '#lf_tags': tags });
  await press(page, '#button-save-edit');
}

async function useShaarli(page: Page): Promise<void> {
  await visit(page, '/install');
  await fill(page, { '#username': user, '#password': password, '#title': 'Links' });
  await press(page, '[name=Save]');
  await visit(page, '/login');
  await fill(page, { '#login-form [name=login]': user, '#login-form [name=password]': password });
  await press(page, '#login-form [type=submit]');
  for (const bookmark of bookmarks) await addBookmark(page, bookmark);
  await visit(page, '/admin/import');
  await page
    .locator('[name=filetoupload]')
    .setInputFiles({ name: 'bookmarks.html', mimeType: 'text/html', buffer: Buffer.from(exported) });
  await press(page, '[name=import_file]');
  await visit(page, '/?searchterm=tea&searchtags=');
  await visit(page, '/?searchterm=-ships+%22php.ini%22&searchtags=php');
  await visit(page, '/admin/configure');
  await fill(page, { '#title': 'Links of Ada', '#titleLink': '/?searchtags=tea' });
  await press(page, '#configform [name=save]');
  await visit(page, '/admin/tags');
  await fill(page, { '[name=fromtag]': 'drink', '[name=totag]': 'drinks' });
  await press(page, '[name=renametag]');
  await visit(page, '/admin/plugins');
  await press(page, '#pluginform [name=save]');
  await wander(page, {
    pages: 60,
    avoid: /delete|clear-cache|thumbnails/,
    from: ['/', '/admin/tools', '/tags/cloud', '/daily', '/picture-wall', '/admin/server'],
  });
  await visit(page, '/admin/logout');
}

export const shaarli: Application = {
  name: 'shaarli',
  installed: '/usr/share/shaarli/index.php',
  serve: async ({ php, run }) => {
    // Its installer answers only while it has no data.
    await run('find', '/var/lib/shaarli/data', '/var/cache/shaarli/cache', '-type', 'f', '-delete');
    return phpSite(php(), '/usr/share/shaarli');
  },
  ready: '/install',
  use: useShaarli,
};
