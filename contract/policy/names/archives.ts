import type { Shape } from './shape.ts';
import { applicationFolders } from './words.ts';

const archiveExtensions = '(?:tar\\.(?:gz|bz2|xz)|tag\\.gz|tgz|tar|zip|rar|7z|gz|bz2|xz)';

export const archiveNames: readonly Shape[] = [
  {
    id: 'archive-word',
    category: 'backup',
    why: 'An archive at the root that is named after a folder or program of web sites: a copy of the whole folder, with its settings.',
    patterns: [
      `^/_?(?:about|backups?|configuration|conf\\.d|internal|old|site|site_?backup|source|trash|www|(?:[0-9]{1,3}\\.){3}[0-9]{1,3}|adm|administrator|apps?data|assets|backend|bbs|beta|cache|cfg|config|copy|core|crm|css|csv|current|debug|default|desktop|directory|doc|docker|documents?|domains?|download|etc|example|export|files?|flash|forum|framework|frontend|full_?site|hosting|images?|img|import|includes?|install|intranet|inventory|invoices|java|js|jsp|lib|libs|library|orders?|payments|accounts|employees|emails|work|jobs?|bdb|apache|nginx|mysql|mongodb|redis|git|linux|log_?files|mail|manager|mdb|mirror|mobile|modules?|my_?site|new_?folder|old_?files|original|panel|personal|platform|prv|publish|python|reports|resources|ruby|save|scripts?|sites|snapshot|software|source_?code|sql_?dumps|static|storage|svn|sysbackup|system|tar|target|templates?|tests?|testing|themes?|trunk|update|user|util|vpn|vue|wap|war|web-?inf|web_?data|web_?logs|web_?master|well-?known|web_?root|web_?server|work_?space|wp_?backup|zip|(?:fc|k)keditor|ckeditor|kcfinder|opencart|php_?my_?admin|phpliteadmin|t3lib|typo3(?:conf|_src)?|whmcs|wp-content/(?:uploads|plugins|themes))(?:[._-]?[0-9]{1,8})?\\.(?:tar\\.gz|tgz|tar|zip|rar|7z|gz|bz2)$`,
    ],
    matches: [
      '/images.zip',
      '/core.zip',
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
    id: 'archive-mark',
    category: 'backup',
    why: 'An archive with a mark of a copy, the name of the folder of a site, or a word for a database.',
    patterns: [
      `${applicationFolders(1)}(?:[a-z0-9-]*[._-](?:old|bkp?|bkup|bak|back|backup|orig|original|copy)[._-]?[0-9]*|[a-z0-9_.-]*(?:wwwroot|public_html|htdocs|httpdocs|web_?root)[a-z0-9_.-]*|(?:[a-z]*sql|db|database|www|web|site|dump)[0-9]{0,8}|(?:db|users?|members|customers|dump|[a-z]*sql|passwords?)\\.(?:txt|csv|json|dat)|[a-z0-9]*(?:backup|bkup)[a-z0-9_-]*|(?:errors?|debug|syslog|access|localhost)(?:[_-]logs?)?|phpmyadmin-[0-9.]+(?:-[a-z-]+)?)\\.${archiveExtensions}$`,
      '^/(?:te?mp|data|db|sql)/[^/@]+\\.rar$',
    ],
    matches: [
      '/admin_old.tgz',
      '/admin.bkp.7z',
      '/mybackup12Aug.zip',
      '/x-wwwroot.zip',
      '/data/msql.rar',
      '/error.zip',
      '/users.txt.gz',
      '/phpMyAdmin-4.0.10-all-languages.zip',
    ],
    nearMisses: [
      '/old-maps.zip',
      '/downloads/site_old.zip',
      '/files/backup-guide.zip',
      '/data/images.zip',
      '/threshold.zip',
      '/admin_old.zip.html',
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
];
