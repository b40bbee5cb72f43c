/** Applications for mail, projects, feeds, calendars and links. */
import type { Page } from 'playwright-core';
import { type Application, password, phpSite, proxySite, user } from './application.ts';
import { fill, press, visit, wander } from './steps.ts';

const article = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Buy tea, and ships\n') };

async function useRedmine(page: Page): Promise<void> {
  await visit(page, '/login');
  await fill(page, { '#username': user, '#password': 'admin' });
  await press(page, '#login-submit');
  if (page.url().includes('password')) {
    await fill(page, { '#password': 'admin', '#new_password': password, '#new_password_confirmation': password });
    await press(page, '#main input[type=submit]');
  }
  await visit(page, '/admin');
  await press(page, 'input[type=submit][value*="default configuration"]').catch(() => {});
  await visit(page, '/projects/new');
  await fill(page, { '#project_name': 'Shop', '#project_identifier': 'shop' });
  await press(page, '[name=commit]');
  for (const subject of ['The basket is empty', 'Move the settings', 'Select a name from the list']) {
    await visit(page, '/projects/shop/issues/new');
    await fill(page, { '#issue_subject': subject, '#issue_description': `${subject}: see config.php` });
    await page.locator('.attachments_form input[type=file]').first().setInputFiles(article);
    await page.locator('.attachments_fields input.filename').first().waitFor();
    await page.waitForLoadState('networkidle');
    await press(page, '[name=commit]');
  }
  await visit(page, '/projects/shop/wiki');
  await fill(page, { '#content_text': 'h1. Wiki\n\nSee the page of the shop' });
  await press(page, '[name=commit]');
  await visit(page, '/search?q=basket');
  await visit(page, '/my/account');
  await fill(page, { '#user_firstname': 'Ada' });
  await press(page, '[name=commit]');
  await wander(page, { pages: 75, avoid: /\.(?:atom|csv|pdf)/, from: ['/projects/shop', '/admin', '/issues'] });
  await visit(page, '/');
  await press(page, 'a.logout');
}

export const redmine: Application = {
  name: 'redmine',
  installed: '/usr/share/redmine/config.ru',
  serve: async ({ run, start, port, folder, write }) => {
    const database = write('database.yml', `production:\n  adapter: sqlite3\n  database: ${folder}/redmine.sqlite\n`);
    const secret = write('secret', '0123456789abcdef'.repeat(8));
    await run(
      'sh',
      '-ec',
      `install -d /etc/redmine/default && cp ${database} /etc/redmine/default/database.yml && printf 'production:\\n  secret_key_base: "%s"\\n' "$(cat ${secret})" >/etc/redmine/default/secrets.yml
cd /usr/share/redmine && X_DEBIAN_SITEID=default RAILS_ENV=production bundle exec rake db:migrate`,
    );
    start(['sh', '-c', `cd /usr/share/redmine && exec puma -e production -b tcp://127.0.0.1:${port} config.ru`], {
      RAILS_ENV: 'production',
      X_DEBIAN_SITEID: 'default',
    });
    return proxySite(port);
  },
  ready: '/login',
  use: useRedmine,
};

async function useRoundcube(page: Page): Promise<void> {
  await visit(page, '/');
  await fill(page, { '#rcmloginuser': user, '#rcmloginpwd': password });
  await press(page, '#rcmloginsubmit');
  for (const subject of ['Tea', 'The file config.php', 'Fwd: a <b> & c']) {
    await visit(page, '/?_task=mail&_action=compose');
    await fill(page, {
      '#_to, [name=_to]': `${user}@localhost`,
      '#compose-subject': subject,
      '#composebody': `About ${subject}: see below`,
    });
    await page.locator('input[type=file]').first().setInputFiles(article);
    await page.locator('#attachment-list li').first().waitFor();
    await page.locator('a.save.draft:visible').first().click();
    await page.waitForLoadState('networkidle');
  }
  await visit(page, '/?_task=mail&_mbox=Drafts&_search=1');
  for (const name of ['Ada', 'Grace', 'Edsger', 'Barbara']) {
    await visit(page, '/?_task=addressbook&_framed=1&_action=show&_source=0');
    await visit(page, '/?_task=addressbook&_framed=1&_action=add&_source=0');
    await page
      .locator('[name=_firstname]')
      .fill(name)
      .catch(() => {});
    await visit(page, `/?_task=mail&_mbox=INBOX&_search=${name}`);
    await visit(page, `/?_task=mail&_action=compose&_to=${name}%40example.org`);
  }
  for (const section of ['general', 'mailbox', 'mailview', 'compose', 'addressbook', 'folders', 'server'])
    await visit(page, `/?_task=settings&_action=edit-prefs&_section=${section}&_framed=1`);
  for (const folder of ['INBOX', 'Drafts', 'Sent', 'Junk', 'Trash', 'Notes', 'Tea & ships'])
    for (const action of ['edit-folder', 'create-folder'])
      await visit(page, `/?_task=settings&_action=${action}&_mbox=${encodeURIComponent(folder)}&_framed=1`);
  for (const folder of ['Sent', 'Junk', 'Trash', 'Drafts', 'INBOX', 'Notes'])
    await visit(page, `/?_task=mail&_mbox=${folder}&_page=1`);
  await visit(page, '/?_task=settings&_action=folders');
  await visit(page, '/?_task=settings&_action=identities');
  await visit(page, '/?_task=settings&_action=responses');
  await visit(page, '/?_task=addressbook');
  await visit(page, '/?_task=settings&_action=preferences');
  await wander(page, { pages: 60, from: ['/?_task=mail', '/?_task=settings', '/?_task=addressbook'] });
  await visit(page, '/?_task=mail');
  await press(page, 'a.button-logout, a.logout');
}

/** Dovecot with one user, whose mail is below the folder. */
const dovecot = (folder: string): string => `protocols = imap
listen = 127.0.0.1
base_dir = ${folder}/dovecot
log_path = ${folder}/dovecot.log
ssl = no
disable_plaintext_auth = no
mail_location = maildir:${folder}/mail
default_internal_user = dovecot
default_login_user = dovenull
first_valid_uid = 1
passdb {
  driver = static
  args = password=${password}
}
userdb {
  driver = static
  args = uid=www-data gid=www-data home=${folder}/mail
}
service imap-login {
  inet_listener imap {
    port = 1143
  }
  inet_listener imaps {
    port = 0
  }
}
`;

export const roundcube: Application = {
  name: 'roundcube',
  installed: '/var/lib/roundcube/index.php',
  serve: async ({ php, run, write, start, folder }) => {
    await run('install', '-d', '-o', 'www-data', `${folder}/mail`);
    const config = write(
      'config.inc.php',
      `<?php
$config = ['db_dsnw' => 'sqlite:///${folder}/roundcube.sqlite?mode=0666', 'imap_host' => 'localhost:1143', 'smtp_host' => 'localhost:25',
  'des_key' => '0123456789abcdef01234567', 'plugins' => ['archive', 'zipdownload'], 'skin' => 'elastic', 'drafts_mbox' => 'Drafts', 'create_default_folders' => true,
  'log_dir' => '${folder}', 'temp_dir' => '${folder}', 'language' => 'en_US', 'username_domain' => 'localhost'];
`,
    );
    await run('cp', config, '/etc/roundcube/config.inc.php');
    await run(
      'sh',
      '-c',
      `sqlite3 ${folder}/roundcube.sqlite </usr/share/roundcube/SQL/sqlite.initial.sql || php -r '$db = new SQLite3("${folder}/roundcube.sqlite"); $db->exec(file_get_contents("/usr/share/roundcube/SQL/sqlite.initial.sql"));'; chmod 666 ${folder}/roundcube.sqlite`,
    );
    start(['dovecot', '-F', '-c', write('dovecot.conf', dovecot(folder))]);
    return phpSite(php(), '/var/lib/roundcube');
  },
  ready: '/',
  use: useRoundcube,
};

const mailboxes = [
  'ada',
  'grace',
  'edsger',
  'backup',
  'contact',
  'env',
  'root',
  'tea',
  'ships',
  'sales',
  'support',
  'web',
];

async function usePostfixadmin(page: Page): Promise<void> {
  await visit(page, '/login.php');
  await fill(page, { '[name=fUsername]': 'admin@example.org', '[name=fPassword]': `${password}1` });
  await press(page, '[type=submit]');
  for (const domain of ['example.org', 'sub.example.org', 'example.net']) {
    await visit(page, '/edit.php?table=domain');
    await fill(page, { '[name="value[domain]"]': domain, '[name="value[description]"]': `Mail of ${domain}` });
    await press(page, '[type=submit]');
  }
  for (const name of mailboxes) {
    await visit(page, '/edit.php?table=mailbox&domain=example.org');
    await fill(page, { '[name="value[local_part]"]': name, '[name="value[password]"]': `${password}x1` });
    await fill(page, { '[name="value[password2]"]': `${password}x1`, '[name="value[name]"]': `${name} & co` });
    await press(page, '[type=submit]');
    await visit(page, '/edit.php?table=alias&domain=example.org');
    await fill(page, { '[name="value[localpart]"]': `${name}-alias`, '[name="value[goto]"]': `${name}@example.org` });
    await press(page, '[type=submit]');
  }
  await visit(page, '/list-virtual.php?domain=example.org');
  await fill(page, { '[name="search[_]"]': 'ada' });
  const found = page.waitForEvent('load');
  await page.keyboard.press('Enter');
  await found;
  await wander(page, { pages: 60, avoid: /backup\.php|delete\.php|export/, from: ['/main.php', '/list-virtual.php'] });
  await visit(page, '/logout.php');
}

export const postfixadmin: Application = {
  name: 'postfixadmin',
  installed: '/usr/share/postfixadmin/public/login.php',
  serve: async ({ php, run, write, folder }) => {
    const database = `$CONF['database_type'] = 'sqlite'; $CONF['database_name'] = '${folder}/postfixadmin.sqlite';`;
    const local = write(
      'config.local.php',
      `<?php $CONF['configured'] = true; ${database}\n$CONF['encrypt'] = 'php_crypt:SHA512'; $CONF['emailcheck_resolve_domain'] = 'NO';\n`,
    );
    await run('cp', local, '/etc/postfixadmin/config.local.php');
    await run(
      'cp',
      write('dbconfig.inc.php', "<?php $dbtype = 'sqlite'; $dbuser = $dbpass = $dbserver = $dbname = '';\n"),
      '/etc/postfixadmin/dbconfig.inc.php',
    );
    const add = `admin add admin@example.org --superadmin 1 --active 1 --password '${password}1' --password2 '${password}1'`;
    await run(
      'sh',
      '-ec',
      `touch ${folder}/postfixadmin.sqlite; chmod 666 ${folder}/postfixadmin.sqlite
php /usr/share/postfixadmin/public/upgrade.php; bash /usr/share/postfixadmin/scripts/postfixadmin-cli ${add}
install -d -o www-data /var/cache/postfixadmin/templates_c`,
    );
    return phpSite(php(), '/usr/share/postfixadmin/public');
  },
  ready: '/login.php',
  use: usePostfixadmin,
};
