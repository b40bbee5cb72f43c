/** Names of backups, exports, databases and texts with secrets. */
import type { Shape } from './shape.ts';
import { applicationFolders, contentFolders, folders } from './words.ts';

export const dataNames: readonly Shape[] = [
  {
    id: 'bak-room',
    category: 'backup',
    why: 'A file of data in a folder of backups or dumps.',
    patterns: [
      `${contentFolders(3)}(?:[^/@]*[_-])?(?:backups?|bkups?|dumps?)(?:[_-][^/@]*)?/(?:[^/@]+\\.(?:zip|t?gz|tar|bz2|7z|rar|sql|xml|json|csv|conf|ini|db|bak|wpress|daf|log|sh)|[a-z0-9_-]*(?:config|settings)[a-z0-9_-]*(?:\\.[a-z0-9]+)*)$`,
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
    id: 'data-text',
    category: 'dump',
    why: 'A text with secrets, errors, addresses or notes by a word, at the root or in a folder of an application.',
    patterns: [
      `${applicationFolders(1)}(?:[a-z0-9]+[_-])*(?:psk|pgpass|passphrase|passes|pass(?:word)?list|rsa|rsakey|privkeys?|cakey|mnemonics?|seed|2fa|bearer|jwt[_-]private|wifi|user-?data|cloud-init|running-config|startup-config|history|errors?|exceptions?|stdout|stderr|stack-?trace|trace|crash|dump|ipn|crontab|cron|debug|notes?|todo|private|servers?|deploy|accounts|contacts|customers|custdata|usernames|userinfo|members|orders|sales|logins|hosts|domains|pwd?|dump_?env|serverinfo|ip_?log|syslog|passlist|subscribers?|mailing_?list|email_?list|credit_?cards?|access|cfg|site|domlogs?|build|output|nohup|netstat|files?list|(?:local|db|my|sql)_bd(?:_[a-z]+)?|connectionstrings?|env[_-]vars|system[_-]?prompt|prompts?|pws|cookie|conf|userdb|cidrs?|ip_?(?:list|ranges?)|(?:user|visitor)_?counts?|hints?|(?:allow|white|black|block)_?lists?)\\.txt$`,
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
    id: 'data-loot',
    category: 'dump',
    why: 'A text with mail addresses, cards, logins or orders, which a shop, an intruder or a page of phishing left.',
    patterns: [
      `${applicationFolders(1)}(?:(?:files|sites|logs)/)?(?:(?:valid[_-]?|okay[_-]?|bank|cc|master|visa|key|proto|voice|o365)?(?:e?mails?|mailbot|user(?:name)?s?|logins?|logs?|cards?|carders|combos?|fullz|prox(?:y|ies)|dump(?:s|ed|z)?|wallets?|seed(?:s|words|ed)?|backups?|sessions?|accounts?|acc(?:ount)?z|mnemonics?|cvvs?|ssn|logged))(?:_?(?:valid|deduped|submit|notify|activate))?[0-9]{0,4}\\.(?:txt|dat)$|${folders(2)}(?:[a-z0-9-]*ftp|[a-z0-9-]*(?:password|passwd|passw)s?|!?pwds?|(?:dede_)?admin(?:s|istrador|istrator)?|cc|checks|auth_user_file|ipn)\\.txt$`,
      `${folders(3)}orders?/[^/@]+\\.(?:txt|dat|tsv|xlsx?)$|/_private/[^/@]+\\.(?:txt|csv|dat|xlsx?|log|inc)$`,
    ],
    matches: [
      '/emails2024.txt',
      '/files/wallets.dat',
      '/user/myftp.txt',
      '/orders/checks.txt',
      '/_private/register.txt',
    ],
    nearMisses: ['/email.txt.html', '/docs/x/logs.txt', '/orders/42', '/bypass.txt', '/orders.html', '/seedling.txt'],
  },
  {
    id: 'data-short',
    category: 'dump',
    why: 'A text by one letter or a number at the root: the trace of an intrusion or a test, which scanners try in bulk.',
    patterns: ['^[/\\\\](?:[a-z0-9]|[0-9]{2,4})\\.(?:txt|log|out|sh|bin|dat|csv)$'],
    matches: ['/1.txt', '/x.txt', '/123.txt', '/7.dat'],
    nearMisses: ['/a/1.txt', '/ab.txt', '/12345.txt', '/1.html', '/x.txt.html'],
  },
  {
    id: 'data-state',
    category: 'develop',
    why: 'A cache, flag or other state that a program left in its folder, by its extension.',
    patterns: [
      `${folders(3)}[^/@]+\\.(?:cache|flag[0-9]?|autosave)$`,
      '^[/\\\\](?:te?mp/)?[^/\\\\@]+\\.(?:pid|sess|session|pkl|pickle|lnk|fcgi|caches|tmp|temp|stackdump|lck|out|ex|wl|nvram|crash)$',
    ],
    matches: ['/maintenance.flag', '/server.pid', '/a.out', '/csdp.cache', '/printenv.tmp', '/app/bootstrap.php.cache'],
    nearMisses: ['/cache', '/x.out.html', '/tmp/x', '/game.data', '/flag'],
  },
  {
    id: 'data-image',
    category: 'dump',
    why: 'The image of a machine or process, a session or a store of accounts, by a word for it and its extension.',
    patterns: [
      `${applicationFolders(1)}(?:[^/@]*[._-])?(?:backup|bkup|bkp)[^/@.]*\\.(?:wim|gho|tibx?|vbk|bkf|data|xml|gpg|enc|cgi|7z\\.001)$`,
      `${applicationFolders(1)}(?:admin|administrator|users?|accounts?|members?|login|settings|setup)\\.(?:dat|data)$`,
      '^/(?:[a-z0-9_]+-)?(?:php|cgi|httpd|apache2?|nginx|config|server|mysqld?|perl|python|java|node|sshd|ftpd)[0-9]*\\.core$|^/core(?:[._-]dump|\\.[0-9]{1,7})$',
      '^/adm(?:in(?:istrator)?)?/(?:[a-z0-9]+_)*(?:config|access|backup|users?|logs?|logons?)\\.txt$|^/adm(?:in(?:istrator)?s?)?/(?:[^/@]+/)?[^/@]+\\.(?:txt|dat|csv|tpl|inc)$',
      `${applicationFolders(1)}sess_[a-z0-9]*$`,
    ],
    matches: ['/backup.wim', '/admin.dat', '/php-cgi.core', '/core_dump', '/tmp/sess_', '/admin/config.txt'],
    nearMisses: ['/backup', '/packages/Entity.Core', '/core', '/sessions', '/api.core', '/docs/backup.xml', '/score.1'],
  },
  {
    id: 'data-export',
    category: 'dump',
    why: 'An export of people, orders or payments as a table.',
    patterns: [
      `${contentFolders(3)}(?:[^/@]*[._-])?(?:exports?|users?|customers?|clients?|members?|orders?|subscribers?|contacts?|emails?|leads?|employees?|accounts?|payments?|transactions?|invoices?|passwords?|payroll|credit_?cards?|checkouts|staff|sales|submissions|newsletter|records|dump|backup|finances?|budgets?|salar(?:y|ies))(?:[_-][^/@]*)?\\.(?:csv|xlsx?|tsv|ods|dat)$`,
      `${folders(2)}(?:users?|customers?|orders?|members?|accounts?|clients?|emails?|admins?|passwords?|logins?|payments?)\\.txt$`,
      '^[/\\\\]downloads?/(?:users?|customers?|clients?|members?|orders?|accounts?|payments?|passwords?|employees?)\\.(?:csv|xlsx?|tsv|txt)$',
    ],
    matches: [
      '/wp-content/uploads/orders-export.csv',
      '/users.xlsx',
      '/export/customers_2024.csv',
      '/newsletter-subscribers.csv',
      '/leads.tsv',
      '/creditcards.csv',
      '/download/users.csv',
      '/finances.xls',
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
