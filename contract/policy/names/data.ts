/** Names of backups, archives, exports, databases and texts with secrets. */
import type { Shape } from './shape.ts';
import { folders, rooms, stores } from './words.ts';

export const data: readonly Shape[] = [
  {
    id: 'bak-room',
    category: 'backup',
    why: 'A file of data in a folder of backups or dumps.',
    patterns: [
      `${stores(3)}(?:[^/@]*[_-])?(?:backups?|bkups?|dumps?)(?:[_-][^/@]*)?/(?:[^/@]+\\.(?:zip|t?gz|tar|bz2|7z|rar|sql|xml|json|csv|conf|ini|db|bak|wpress|daf|log|sh)|[a-z0-9_-]*(?:config|settings)[a-z0-9_-]*(?:\\.[a-z0-9]+)*)$`,
    ],
    matches: [
      '/backup/config.xml',
      '/site/db_backups/2024.sql',
      '/old-backup/data.zip',
      '/data/dumps/x.json',
      '/backup_2020/x.tar',
    ],
    nearMisses: [
      '/docs/backup/guide.zip',
      '/backup/guide.html',
      '/backups/backup-id',
      '/blog/backup.html',
      '/backup/api.rst.txt',
      '/backups/42',
    ],
  },
  {
    id: 'archive-word',
    category: 'backup',
    why: 'An archive at the root that is named after a folder or program of web sites: a copy of the whole folder, with its settings.',
    patterns: [
      `^/_?(?:about|backups?|configuration|conf\\.d|internal|old|site|site_?backup|source|trash|www|(?:[0-9]{1,3}\\.){3}[0-9]{1,3}|adm|administrator|apps?data|assets|backend|bbs|beta|cache|cfg|config|copy|crm|css|csv|current|debug|default|desktop|directory|doc|docker|documents?|domains?|download|etc|example|export|files?|flash|forum|framework|frontend|full_?site|hosting|images?|img|import|includes?|install|intranet|inventory|invoices|java|js|jsp|lib|libs|library|orders?|payments|accounts|employees|emails|work|jobs?|bdb|apache|nginx|mysql|mongodb|redis|git|linux|log_?files|mail|manager|mdb|mirror|mobile|modules?|my_?site|new_?folder|old_?files|original|panel|personal|platform|prv|publish|python|reports|resources|ruby|save|scripts?|sites|snapshot|software|source_?code|sql_?dumps|static|storage|svn|sysbackup|system|tar|target|templates?|tests?|testing|themes?|trunk|update|user|util|vpn|vue|wap|war|web-?inf|web_?data|web_?logs|web_?master|web_?root|web_?server|work_?space|wp_?backup|zip|(?:fc|k)keditor|ckeditor|kcfinder|opencart|php_?my_?admin|phpliteadmin|t3lib|typo3(?:conf|_src)?|whmcs|wp-content/(?:uploads|plugins|themes))(?:[._-]?[0-9]{1,8})?\\.(?:tar\\.gz|tgz|tar|zip|rar|7z|gz|bz2)$`,
    ],
    matches: [
      '/images.zip',
      '/backend.tar.gz',
      '/phpMyAdmin.zip',
      '/sites.tar.gz',
      '/typo3conf.zip',
      '/config_2.zip',
      '/_backup.zip',
      '/orders.zip',
      '/127.0.0.1.zip',
    ],
    nearMisses: [
      '/latest.zip',
      '/downloads/images.zip',
      '/tool-1.2.tar.gz',
      '/report-2024.zip',
      '/images.zip.html',
      '/wordpress-6.5.zip',
    ],
  },
  {
    id: 'archive-any',
    category: 'backup',
    size: 'extended',
    why: 'Any archive at the root. Sites that offer downloads there must stay with builtinRules standard.',
    patterns: ['^/[^/@]+\\.(?:tar\\.gz|tgz|tar|zip|rar|7z|gz|bz2|xz)$'],
    matches: ['/abc.zip', '/latest.tar.gz', '/site-2024.tgz'],
    nearMisses: ['/downloads/abc.zip', '/zip', '/abc.zip.html'],
  },
  {
    id: 'data-text',
    category: 'dump',
    why: 'A text with secrets, errors, addresses or notes by a word, at the root or in a folder of an application.',
    patterns: [
      `${rooms(1)}(?:[a-z0-9]+[_-])*(?:psk|pgpass|passphrase|passes|pass(?:word)?list|rsa|rsakey|privkeys?|cakey|mnemonics?|seed|2fa|bearer|jwt[_-]private|wifi|user-?data|cloud-init|running-config|startup-config|history|errors?|exceptions?|stdout|stderr|stack-?trace|trace|crash|dump|ipn|crontab|cron|debug|notes?|todo|private|servers?|deploy|accounts|contacts|customers|custdata|usernames|userinfo|members|orders|sales|logins|hosts|domains|pwd?|dump_?env|serverinfo|ip_?log|syslog|passlist|subscribers?|mailing_?list|email_?list|credit_?cards?|access|cfg|site|domlogs?|build|output|nohup|netstat|files?list|(?:local|db|my|sql)_bd(?:_[a-z]+)?|connectionstrings?|env[_-]vars|system[_-]?prompt|prompts?)\\.txt$`,
    ],
    matches: [
      '/passlist.txt',
      '/mysql_error.txt',
      '/notes.txt',
      '/env_vars.txt',
      '/system-prompt.txt',
      '/credit_cards.txt',
      '/app/crash.txt',
    ],
    nearMisses: [
      '/robots.txt',
      '/docs/errors.txt',
      '/license.txt',
      '/humans.txt',
      '/readme.txt',
      '/rfc/trace.txt.html',
    ],
  },
  {
    id: 'data-image',
    category: 'dump',
    why: 'The image of a machine or process, a session or a store of accounts, by a word for it and its extension.',
    patterns: [
      `${rooms(1)}(?:[^/@]*[._-])?(?:backup|bkup|bkp)[^/@.]*\\.(?:wim|gho|tibx?|vbk|bkf|data|xml|gpg|enc|cgi|7z\\.001)$`,
      `${rooms(1)}(?:admin|administrator|users?|accounts?|members?|login|settings|setup)\\.(?:dat|data)$`,
      '^/(?:[a-z0-9_]+-)?(?:php|cgi|httpd|apache2?|nginx|config|server|mysqld?|perl|python|java|node|sshd|ftpd)[0-9]*\\.core$|^/core(?:[._-]dump|\\.[0-9]{1,7})$',
      '^/adm(?:in(?:istrator)?)?/(?:[a-z0-9]+_)*(?:config|access|backup|users?|logs?|logons?)\\.txt$',
      `${rooms(1)}sess_[a-z0-9]*$`,
    ],
    matches: ['/backup.wim', '/admin.dat', '/php-cgi.core', '/core_dump', '/tmp/sess_', '/admin/config.txt'],
    nearMisses: ['/backup', '/packages/Entity.Core', '/core', '/sessions', '/api.core', '/docs/backup.xml', '/score.1'],
  },
  {
    id: 'data-export',
    category: 'dump',
    why: 'An export of people, orders or payments as a table.',
    patterns: [
      `${stores(3)}(?:[^/@]*[._-])?(?:exports?|users?|customers?|clients?|members?|orders?|subscribers?|contacts?|emails?|leads?|employees?|accounts?|payments?|transactions?|invoices?|passwords?|payroll|credit_?cards?|checkouts|staff|sales|submissions|newsletter|records|dump|backup)(?:[_-][^/@]*)?\\.(?:csv|xlsx?|tsv|ods|dat)$`,
    ],
    matches: [
      '/wp-content/uploads/orders-export.csv',
      '/users.xlsx',
      '/export/customers_2024.csv',
      '/newsletter-subscribers.csv',
      '/leads.tsv',
      '/creditcards.csv',
    ],
    nearMisses: ['/export', '/users.json', '/orders/42', '/files/users.csv', '/members.html', '/customers/list'],
  },
  {
    id: 'db-extension',
    category: 'dump',
    why: 'A database, a dump of memory or the disk of a machine, by its extension.',
    patterns: [
      `${folders(2)}[^/@~]+\\.(?:db[0-9]?|rdb|dump|dmp|frm|myd|myi|kdb|hprof|mdmp|vmdk|vhdx?|qcow2|ova|pst|ost|fmp12|fp7|dbf|kirbi|ntds|dit)$`,
    ],
    matches: ['/data/pbootcms.db', '/x.dump', '/a/users.frm', '/disk.vmdk', '/mail.pst', '/crash.dmp'],
    nearMisses: [
      '/core/os/x86_64/core.db',
      '/~tardis.db',
      '/docs/db.html',
      '/x.db/y',
      '/dump',
      '/owner/name/raw/main/x.db',
    ],
  },
];
