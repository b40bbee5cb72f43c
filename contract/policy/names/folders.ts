/** Rules for folders with files that an application stores and that no page links to. */
import type { Shape } from './shape.ts';
import { applicationFolders } from './words.ts';

/** Names of folders for stored files. */
const storedFolderWords = 'back-?ups?|bkp|bkups?|dumps?|sql_?dumps?|db_?dumps?|logs?|cache|te?mp|debug';

/** Scripts at the root of WordPress since its first version, and those that its older plugins put there. */
const wordPressScripts = [
  ...['login', 'load', 'links-opml', 'cron', 'comments-post', 'commentsrss2', 'config', 'signup', 'settings', 'stats'],
  ...['activate', 'app', 'api', 'atom', 'trackback', 'mail', 'blog-header', 'register', 'rss', 'rdf', 'pass', 'print'],
  ...['postviews', 'postratings', 'feed', 'email', 'images', 'useronline', 'ajax', 'subscription-manager', 'newblog'],
  'gallery2',
];

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Returns a pattern for words that begin with other two letters than these words. */
function otherWords(words: readonly string[]): string {
  const first = new Set(words.map((word) => word.charAt(0)));
  const except = (taken: ReadonlySet<string>): string =>
    `[${[...letters].filter((x) => !taken.has(x)).join('')}_-][a-z0-9_-]*`;
  const begun = [...first].map((letter) => {
    const second = new Set(words.filter((word) => word.startsWith(letter)).map((word) => word.charAt(1)));
    return `${letter}(?:${except(second)})?`;
  });
  return `(?:${[except(first), ...begun].join('|')})`;
}

export const storedFolders: readonly Shape[] = [
  {
    id: 'dir-marked',
    category: 'backup',
    why: 'A folder at the root with a mark before a word for copies, databases, settings or logs: an operator put it aside.',
    patterns: [
      '^/_(?:[a-z0-9]+[_-])?(?:backups?|bak|bkp|db|databases?|dumps?|mysql|sql|conf(?:ig(?:uration)?s?)?|logs?|errors?|private|passwords?|passwd|secrets?|credentials|keys|src)(?:[_-](?:backups?|dumps?|files|old))?/?$',
      '^/~(?:[a-z0-9]+[_-])?(?:backups?|bak|bkp|databases?|dumps?|mysql|sql|private|passwords?|logs?|config)/?$',
    ],
    matches: ['/_db_backups/', '/_sql', '/~backup', '/_old-conf', '/_private/', '/_passwords'],
    nearMisses: ['/_next/static', '/_sources/', '/~db/', '/_data/x', '/backup', '/_src/app.js', '/_logout'],
  },
  {
    id: 'dir-stored',
    category: 'backup',
    why: 'A folder of backups, dumps, logs or caches in a folder of data: a server that lists it hands out all of them.',
    patterns: [
      `^/(?:data|media|db|application|files|site)/(?:${storedFolderWords})/$`,
      '^/data/sessions?/$|^/var/(?:lib|cache|logs?|spool|te?mp|backups?|run|sessions?|mail)/$|^/backups?/(?:sql_?dumps?|db_?dumps?|dumps?)/$|^/adm/(?:backups?|dumps?|logs?)/$|^/admin/(?:dumper|dumps?|sql_?dumps?|db_?backups?)/$|^/iis(?:help|admin|samples)/logs?/$',
      '^/conf/(?:catalina|conf\\.d|sites-(?:enabled|available)|vhosts?|ssl|certs?)/?$',
      '^/(?:(?:db|sql|mysql|logs?|site|web|data|full|old|www|home)_(?:backups?|dumps?)[0-9]{0,4}|[0-9]{1,4}[_-]backups?|back-up|bkp|msql|backup_migrate|tmp)/$|^/(?:dumpenv|conf\\.d)/?$',
      '^/(?:[^/@]+/)?wp-content/(?:blogs\\.dir|(?:plugins|uploads)/(?:[^/@]+/){0,4}(?:[^/@]*[_-])?(?:backups?|dumps?|logs?|exports?|uploads?|file-?manager|wpforms|forms|cache)|(?:[^/@]+/){0,3}(?:[^/@]*[_-])?(?:backups?|dumps?)(?:[_-][^/@]*)?(?:/backups?)?)/$',
    ],
    matches: [
      '/data/logs/',
      '/media/backup/',
      '/var/cache/',
      '/conf/Catalina',
      '/tmp/',
      '/wp-content/uploads/wpforms/',
      '/wp-content/backup-migration/backups/',
    ],
    nearMisses: [
      '/docs/backup/',
      '/help/backups/',
      '/admin/backups/',
      '/data/backups',
      '/dbase/',
      '/media/cache/x.jpg',
      '/wp-content/uploads/2024/',
    ],
  },
  {
    id: 'wp-probe',
    category: 'admin',
    why: 'The manifest of Windows Live Writer in a folder that scanners guess for WordPress. No browser loads it.',
    patterns: [
      '^/(?:(?:19|20)[0-9]{2}|wp[0-9]|wordpress[0-9]?|test[0-9]?|demo|dev|staging|beta|old|new|backup|sito|site|website|web|www|main|home|media|news|shop|store|cms|portal|press|temp|tmp)/wp-includes/wlwmanifest\\.xml$',
    ],
    matches: [
      '/2019/wp-includes/wlwmanifest.xml',
      '/sito/wp-includes/wlwmanifest.xml',
      '/wp1/wp-includes/wlwmanifest.xml',
    ],
    nearMisses: ['/wp-includes/wlwmanifest.xml', '/blog/wp-includes/wlwmanifest.xml', '/2019/wp-includes/x.js'],
  },
  {
    id: 'wp-script',
    category: 'exploit',
    why: 'A script that is named like those of WordPress at its root and that no version of it has: an intruder hides a shell there.',
    patterns: [`${applicationFolders(1)}wp-${otherWords(wordPressScripts)}\\.php$`],
    matches: ['/wp-22.php', '/wp-aa.php', '/wp-admin.php', '/blog/wp-info.php'],
    nearMisses: [
      '/wp-login.php',
      '/wp-comments-post.php',
      '/wp-links-opml.php',
      '/blog/wp-trackback.php',
      '/wp-admin/info.php',
      '/articles/wp-info.php',
    ],
  },
  {
    id: 'dir-any',
    category: 'backup',
    size: 'extended',
    why: 'A folder at the root or of an administration by a word for data. Sites with a page or route of that name must stay with builtinRules standard.',
    patterns: [
      '^/(?:[0-9]{1,4}[_-])?(?:back-?ups?|bak|bkp|dumps?|dumper|sql|mysql|msql|dbase|db|conf|conf\\.d|configs?|configuration|cfg|logs?|log_?files?|event-log|te?mp|keys?|secrets?|passwords?|passwd|credentials?|exports?|etc|certs?|certificates|private|ansible|chef|puppet|salt|terraform|inventory|subversion|dumpenv|env|core)/?$',
      `^/(?:adm|admin|administrator|app|system|storage|lib|includes?|config|logs?|iishelp)/(?:${storedFolderWords}|old|db|dumper|exports?|sessions?|storage|development|production|staging)/?$`,
    ],
    matches: ['/logs/', '/credentials', '/admin/backup/', '/app/logs/', '/ansible/', '/config/development/'],
    nearMisses: ['/login', '/docs/backup/', '/logs/search', '/admin/users/', '/keys/public', '/exporters'],
  },
];
