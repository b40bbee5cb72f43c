/** Applications in PHP that publish pages. */
import type { Page } from 'playwright-core';
import { type Application, password, phpSite, user } from './application.ts';
import { fill, press, visit, wander } from './steps.ts';

/** A picture of one pixel. */
export const picture = {
  name: 'pixel.png',
  mimeType: 'image/png',
  buffer: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
};

const wordpressConfig = `<?php
define('DB_NAME', 'wordpress');
define('DB_USER', '${user}');
define('DB_PASSWORD', '${password}');
define('DB_HOST', 'localhost');
define('WP_CONTENT_DIR', '/usr/share/wordpress/wp-content');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
`;

async function useWordPress(page: Page): Promise<void> {
  await visit(page, '/wp-admin/install.php');
  await fill(page, { '#weblog_title': 'A shop', '#user_login': user, '#admin_email': 'admin@example.org' });
  await page.locator('#pass1').fill(password);
  await press(page, '#submit');
  await visit(page, '/wp-login.php');
  await fill(page, { '#user_login': user, '#user_pass': password });
  await press(page, '#wp-submit');
  await visit(page, '/wp-admin/media-new.php?browser-uploader');
  await page.locator('#async-upload').setInputFiles(picture);
  await press(page, '#html-upload');
  await visit(page, '/wp-admin/post-new.php');
  await page.locator('.editor-post-publish-button__button, .edit-post-header').first().waitFor();
  await visit(page, '/wp-admin/edit.php');
  await visit(page, '/wp-admin/user-new.php');
  await fill(page, { '#user_login': 'editor', '#email': 'editor@example.org', '#pass1': `${password}x` });
  await press(page, '#createusersub');
  await visit(page, '/wp-admin/options-general.php');
  await fill(page, { '#blogdescription': 'Tea & ships' });
  await press(page, '#submit');
  await visit(page, '/wp-admin/options-permalink.php');
  await press(page, '#submit');
  await visit(page, '/?s=hello');
  await wander(page, { pages: 18, avoid: /action=|plugin-install|update-core|export\.php/, from: ['/wp-admin/', '/'] });
  await visit(page, '/wp-login.php?action=logout');
  await press(page, 'a[href*="action=logout"]');
}

export const wordpress: Application = {
  name: 'wordpress',
  installed: '/usr/share/wordpress/wp-login.php',
  serve: async ({ php, sql, run, write }) => {
    await sql(
      `CREATE DATABASE wordpress; CREATE USER '${user}'@'localhost' IDENTIFIED BY '${password}'; GRANT ALL ON wordpress.* TO '${user}'@'localhost';`,
    );
    await run('install', '-m', '644', write('config.php', wordpressConfig), '/etc/wordpress/config-localhost.php');
    await run('install', '-d', '-o', 'www-data', '/usr/share/wordpress/wp-content/uploads');
    return phpSite(php(), '/usr/share/wordpress');
  },
  ready: '/wp-admin/install.php',
  use: useWordPress,
};

async function useMediaWiki(page: Page): Promise<void> {
  await visit(page, '/index.php?title=Special:UserLogin');
  await fill(page, { '#wpName1': user, '#wpPassword1': password });
  await press(page, '#wpLoginAttempt');
  for (const title of ['Tea', 'Ships_&_harbours', 'Installing/Files', 'Template:Box', 'Configuration']) {
    await visit(page, `/index.php?title=${encodeURIComponent(title)}&action=edit`);
    await fill(page, {
      '#wpTextbox1': `'''${title}''' is a page. See [[Tea]], <code>config.php</code> and {{Box|a=1}}. <!-- draft -->`,
    });
    await press(page, '#wpSave');
  }
  await visit(page, '/index.php?title=Special:Upload');
  await page.locator('#wpUploadFile').setInputFiles(picture);
  await fill(page, { '#wpUploadDescription': 'A pixel' });
  await press(page, '[name=wpUpload]');
  await visit(page, '/index.php?search=tea&title=Special:Search&fulltext=1');
  await visit(page, '/index.php?title=Special:Preferences');
  await page.waitForLoadState('networkidle');
  await page.locator('#mw-input-wprealname input, input#mw-input-wprealname').first().pressSequentially('Ada');
  await press(page, '#prefcontrol button[type=submit]');
  await wander(page, { pages: 18, from: ['/index.php/Main_Page', '/index.php?title=Special:SpecialPages'] });
  await visit(page, '/index.php?title=Special:UserLogout');
  await press(page, '#mw-content-text button[type=submit]');
}

export const mediaWiki: Application = {
  name: 'mediawiki',
  installed: '/usr/share/mediawiki/index.php',
  serve: async ({ php, run, folder, origin }) => {
    const root = '/var/lib/mediawiki';
    await run('rm', '-f', `${root}/LocalSettings.php`, '/etc/mediawiki/LocalSettings.php');
    const database = ['--dbtype', 'sqlite', '--dbpath', folder, '--dbname', 'wiki'];
    const site = ['--server', origin, '--scriptpath', '', '--confpath', folder, '--pass', password];
    await run('php', '/usr/share/mediawiki/maintenance/install.php', ...database, ...site, 'Wiki', user);
    await run(
      'sh',
      '-c',
      `printf '%s\\n' '$wgEnableUploads = true; $wgJobRunRate = 0;' >>${folder}/LocalSettings.php && ln -sf ${folder}/LocalSettings.php ${root}/LocalSettings.php && chmod -R a+rwX ${folder} && chown -R www-data ${folder}/*.sqlite ${root}/images`,
    );
    return phpSite(php(), root);
  },
  ready: '/index.php/Main_Page',
  use: useMediaWiki,
};

async function useDokuWiki(page: Page): Promise<void> {
  await visit(page, '/doku.php?id=start&do=login');
  await fill(page, { '#dw__login [name=u]': user, '#dw__login [name=p]': password });
  await press(page, '#dw__login button[type=submit]');
  for (const id of ['tea', 'ships:harbours', 'wiki:configuration', 'notes:env']) {
    await visit(page, `/doku.php?id=${id}&do=edit`);
    await fill(page, {
      '#wiki__text': `====== ${id} ======\nSee [[tea]], //harbours// and <code php>\n<?php echo 1; ?>\n</code>`,
    });
    await press(page, '#edbtn__save');
  }
  await visit(page, '/doku.php?id=start&do=media');
  await visit(page, '/lib/exe/mediamanager.php?ns=');
  await visit(page, '/doku.php?id=start&do=search&q=tea');
  await visit(page, '/doku.php?id=start&do=profile');
  await fill(page, { '[name=fullname]': 'Ada Lovelace', '[name=oldpass]': password });
  await press(page, '#dw__register button[type=submit]');
  await wander(page, {
    pages: 40,
    avoid: /do=export|rev=/,
    from: ['/doku.php?id=start', '/doku.php?id=start&do=admin', '/doku.php?id=tea&do=media'],
  });
  await visit(page, '/doku.php?id=start&do=logout');
}

export const dokuWiki: Application = {
  name: 'dokuwiki',
  installed: '/usr/share/dokuwiki/doku.php',
  serve: async ({ php, run, write }) => {
    const local =
      "<?php\n$conf['title'] = 'Wiki';\n$conf['useacl'] = 1;\n$conf['superuser'] = '@admin';\n$conf['updatecheck'] = 0;\n";
    const script = `
printf '${user}:%s:Admin:admin@example.org:admin,user\\n' "$(php -r 'echo password_hash($argv[1], PASSWORD_BCRYPT);' '${password}')" >/var/lib/dokuwiki/acl/users.auth.php
printf '* @ALL 1\\n* @user 8\\n' >/var/lib/dokuwiki/acl/acl.auth.php
cp '${write('local.php', local)}' /etc/dokuwiki/local.php
chown -R www-data /var/lib/dokuwiki /etc/dokuwiki`;
    await run('sh', '-ec', script);
    return phpSite(php(), '/usr/share/dokuwiki');
  },
  ready: '/doku.php',
  use: useDokuWiki,
};
