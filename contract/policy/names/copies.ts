import type { Shape } from './shape.ts';
import { copySuffix, siteFolders, unpackedCopySuffix } from './words.ts';

export const copyNames: readonly Shape[] = [
  // A pattern has at most 16 extensions. With four separators they make 64 literals, few enough to keep them uncut.
  {
    id: 'bak-suffix-code',
    category: 'backup',
    why: 'A copy of a file of code, by any suffix that no server runs. The server sends its text, with the passwords in it.',
    patterns: [
      `/[^/]*\\.(?:php|phtml|inc|aspx?|ashx|asmx|asax|jspx?|cfm|cgi)(?:${copySuffix}(?:\\.txt)?|[_-][a-z0-9]{1,12})$`,
    ],
    matches: [
      '/config.php.tar.gz',
      '/a/b/index.php_old2',
      '/x.jsp.bak.1',
      '/login.aspx.2',
      '/db.inc-staging',
      '/index.php.org',
      '/config.php-eb',
      '/config.inc.php-backup.txt',
    ],
    nearMisses: ['/index.php', '/index.php.html', '/docs/php.old/x', '/x.php/old', '/x.php.', '/x.phpold'],
  },
  {
    id: 'bak-suffix-settings',
    category: 'backup',
    why: 'A copy of a file of settings, by any suffix of copies.',
    patterns: [
      `/[^/]*\\.(?:conf|cnf|config|cfg|cf|ini|properties|props|neon|hcl|tf|env|ora|reg)(?:${copySuffix}(?:\\.txt)?|\\.(?:cfm|ashx|aspx?|jsp|dat|data))$`,
    ],
    matches: [
      '/web.config.org',
      '/web.config.staging',
      '/x.ini-copy',
      '/a/app.properties.zip',
      '/nginx.conf.1',
      '/my.cnf~2',
      '/config/settings.ini.cfm',
      '/web.config.save.txt',
    ],
    nearMisses: [
      '/next.config.js',
      '/a/web.config',
      '/gitweb.conf.txt',
      '/x.conf/old',
      '/x.config.html',
      '/conf.old/x',
    ],
  },
  {
    id: 'bak-web-config',
    category: 'backup',
    why: 'A copy of web.config under any name: the server sends its text, with connections to databases and keys.',
    patterns: [
      // No suffix that begins with an h, because web.config.html is a page, and no second dot: the pages of Orion load
      // web.config.i18n.ashx.
      `${siteFolders(2)}[._]?web\\.config(?:[_~!=][^/@]*|\\.[a-gi-z0-9_~-][^/@.]*| *-(?:[a-z0-9]{0,2}| *copy|good|work(?:ing)?|prod|dev|test|live|final|last|bck|ok)|[a-z]|[0-9]{1,8}|bak|bck|copy|good|new|ok|old|orig(?:inal)?|save|te?mp)$`,
    ],
    matches: [
      '/web.config_good',
      '/web.config1',
      '/web.configbak',
      '/web.config.azure',
      '/web.config-work',
      '/.web.config_1',
      '/site/web.config=',
      '/web.config__',
      '/web.config - Copy',
    ],
    nearMisses: [
      '/web.config.html',
      '/web.config.i18n.ashx',
      '/tags/web.config_1',
      '/web.configuration',
      '/web.config-transforms',
      '/webXconfig1',
      '/questions/42/web.config_copy',
    ],
  },
  {
    id: 'bak-suffix-data',
    category: 'backup',
    why: 'A copy of a file of data, by any suffix of copies but those of downloads.',
    patterns: [`/[^/]*\\.(?:xml|json5?|ya?ml|toml|txt|csv|xlsx?|sql|dat|bin|lst)${unpackedCopySuffix}$`],
    matches: [
      '/app/etc/local.xml.0',
      '/data.json.old',
      '/dump.sql.2',
      '/x.yml.org',
      '/users.csv-bak',
      '/config.xml-dist',
    ],
    nearMisses: ['/sitemap.xml.gz', '/data.csv.zip', '/x.json', '/feed.xml.html', '/x.json.map', '/v1.25.yaml.gz'],
  },
  {
    id: 'bak-suffix-script',
    category: 'backup',
    why: 'A copy of a script, key, log or database, by any suffix of copies but those of downloads.',
    patterns: [`/[^/]*\\.(?:sh|bat|cmd|ps1|py|rb|key|pem|crt|db|log|lock|enc|gpg|asc)${unpackedCopySuffix}$`],
    matches: [
      '/x.py~',
      '/server.key.bak',
      '/deploy.sh.1',
      '/app/data.db_old',
      '/composer.lock.orig',
      '/error.log-2024',
    ],
    nearMisses: ['/a.py.html', '/x.py', '/setup.sh/old', '/x.py.txt', '/a.log.gz', '/keys.old'],
  },
];
