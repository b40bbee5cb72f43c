/** Names of log files, by a word in the name or by the folder. */
import type { Shape } from './shape.ts';
import { applicationFolders, folders } from './words.ts';

/** Names in a folder of logs. */
const logName = `(?:[^/@]*[._-])?(?:errors?|debug|sendmail|mail|sql|imap|smtp|sessions?|userlogins|exceptions?|application|system|cron|slow|install|update|console|trace|failed|warn(?:ings?)?|daemon|php|mysql|nginx|apache|catalina|laravel|django|prod|dev|production|development)(?:[._-][a-z0-9]+)*$`;
const requestLogName = `(?:[^/@]*[._-])?(?:access|login|auth|audit|request|server)(?:[._-]?logs?)?(?:[._-](?:[0-9][0-9._-]*|txt|log|old|csv))$`;

export const logNames: readonly Shape[] = [
  {
    id: 'log-folder',
    category: 'log',
    why: 'A log in its folder, without an extension. Logs show addresses, sessions, queries and paths of the server.',
    patterns: [`${folders(3)}_?logs/${logName}`, `${applicationFolders(2)}_?log/${logName}`],
    matches: ['/logs/errors', '/roundcube/logs/sendmail', '/logs/php-error-2024', '/_logs/debug.txt', '/app/logs/prod'],
    nearMisses: [
      '/api/log/client-error',
      '/audit-log',
      '/v1/accounts/x/audit_logs',
      '/login',
      '/catalogs/prod',
      '/logs/search',
      '/blog/errors',
    ],
  },
  {
    id: 'log-access',
    category: 'log',
    why: 'A log of requests or logins in its folder. Routes of interfaces have such words too, but no extension.',
    patterns: [
      `${folders(2)}_?logs/${requestLogName}`,
      `${applicationFolders(1)}_?log/${requestLogName}`,
      `${folders(1)}_?logs/(?:[a-z0-9_-]*log|[0-9]{1,2}|all|bots?|cards?|cc|full(?:z|_?log)?|ips?|results?|test|users?|visitors?|visits?|write)\\.(?:txt|csv|dat|old|out)$`,
    ],
    matches: [
      '/logs/access.txt',
      '/log/login.txt',
      '/admin/logs/login.old',
      '/logs/proxy_access_log.1',
      '/_log/audit-log.csv',
      '/logs/nlog.txt',
      '/assets/logs/visitors.txt',
    ],
    nearMisses: [
      '/logs/audit',
      '/accounts/x/logs/access_requests',
      '/login.txt',
      '/log/access',
      '/blogs/access.html',
      '/logs/server.html',
      '/logs/2020-01-01.txt',
    ],
  },
  {
    id: 'log-room',
    category: 'log',
    why: 'A log by its extension in a folder of an application, its data, errors or cache, where no page links one.',
    patterns: [
      '^/(?:app(?:lication)?|backend|server|src|private|data|storage|var|files|errors?|bundles?|cache|logui|bitrix|owncloud|nextcloud|wp-content)/(?:[^/@]+/){0,3}[^/@]+\\.log$',
      '^/(?:librar(?:y|ies)|plugins?|modules?|components?|adm|admin(?:istrator)?s?|cgi-bin|bin|blog|forum|shop|wiki|cms|includes?|lib|scripts?|install(?:er)?|setup|cron|reports?|oa_html|web|www|site|system|vendor|core|conf(?:ig)?)/(?:[^/@]+/){0,3}[^/@]+\\.log$',
      '^/(?:secure|orders?|cart|shop(?:ping)?|checkout|payments?|ccbill|pdg_cart|accounts?|members?|users?|dev|stag(?:e|ing)|prod|old|te?mp|assets|static|uploads?|media|public|html|htdocs|wp-admin|wp-includes|joomla|magento|drupal|laravel|prestashop|moodle|typo3(?:temp|conf)?|roundcube|webmail|zabbix|cacti|nagios|(?:[a-z]+)?stats?|statistics|home|root|opt|srv|runtime|outputs?|results?)/(?:[^/@]+/){0,3}[^/@]+\\.log$',
    ],
    matches: [
      '/errors/creation.log',
      '/data/owncloud.log',
      '/bitrix/site_checker.log',
      '/wp-content/object-cache.log',
      '/plugins/x/y.log',
      '/secure/ccbill.log',
    ],
    nearMisses: ['/builds/42/x.log', '/docs/x.log.html', '/data/catalog', '/files/x.log/view', '/npm/data@1/x.log'],
  },
  {
    id: 'log-rotated',
    category: 'log',
    why: 'A log that was rotated, packed or copied, or a text that is called a log.',
    patterns: [
      `${folders(3)}[a-z0-9_.-]*(?:error|access|debug|exception|php|system|server|mail|cron|sql|audit|security|query|install|payment)[._-]?logs?[._-](?:[0-9][0-9._-]*|txt|log|gz|zip|old|bak|csv|out|json)$`,
      `${folders(3)}(?:[^/@]*[^/@a-z])?(?:access|admin|api|app|backup|bug|cart|chat|checkout|cron|db|deploy|download|error|event|export|ftp|import|ipn|job|keys?|login|mail|member|mysqli?|order|payment|paypal|php|queue|sales|server|sms|sql|status|stock|sync|sys|transaction|transfer|upload|user|visitor|web|worker)s?[._-]?(?:logs?|errors?)(?:_?v?[0-9]+)?\\.(?:txt|dat|csv|out)$|${folders(2)}[a-z0-9]*(?:api|dav|ftp|mail|php|server|sql)_?logs?\\.txt$|${folders(2)}(?:[0-9]{4,8}[_-]logs?|logs?[_-][0-9]{4,8})\\.(?:txt|csv|out|dat)$`,
    ],
    matches: [
      '/access_log.1',
      '/x/error-log.txt',
      '/php_errorlog-2024',
      '/mail_log.gz',
      '/payment-logs.csv',
      '/debuglog.old',
      '/orders/order_log_v12.dat',
      '/buglog.txt',
      '/myftplog.txt',
      '/20240131_log.csv',
    ],
    nearMisses: [
      '/audit-log',
      '/catalog.txt',
      '/blog.1',
      '/error-log',
      '/logs/1',
      '/systemlog.html',
      '/change_log.txt',
      '/weblogic.txt',
    ],
  },
  {
    id: 'log-system',
    category: 'log',
    why: 'A log of a server or system by its fixed name, without an extension.',
    patterns: [
      `${folders(3)}(?:php|nginx|apache2?|httpd|exim|modsec|mysqld?|php-fpm)[._-](?:errors?|access|audit|rejectlog|mainlog|paniclog|slow)$`,
      '^/(?:var/)?(?:log/)?(?:faillog|lastlog|syslog|xferlog|wtmp|btmp|maillog)$|^/(?:var/)?log/(?:auth|messages|secure)$|^/(?:logs?|access|errors?|debug|syslog|messages|maillog|secure|xferlog)\\.[0-9]{1,3}$|^/(?:logfile|log_file)$|^/(?:orders?|payments?|transactions?|sales|customers?|logins?)_logs?$',
      `${folders(3)}(?:(?:script|exception|transfer|server|system|php|sql|mail|cron)_logs?|(?:access|error)-log)$`,
      `${folders(3)}[^/@]+\\.(?:err|stderr|stdout|trace|traceout)$`,
    ],
    matches: [
      '/nginx-error',
      '/php_errors',
      '/syslog',
      '/access-log',
      '/x/exim_rejectlog',
      '/mail.err',
      '/log.0',
      '/order_log',
    ],
    nearMisses: [
      '/log',
      '/messages',
      '/tags/php',
      '/audit-logs',
      '/admin/access-logs',
      '/update-log',
      '/stderr',
      '/log.html',
    ],
  },
];
