import type { Shape } from './shape.ts';
import { applicationFolders, closedFolder, folders, siteFolders, stage, stages, wordPrefix } from './words.ts';

/** Matches a file for one stage or subject in a folder of settings, without the extension of the file. */
const stageFile = `(?:config|conf|settings|environments?)/(?:env/)?(?:${stages}|database|db|auth|keys|secrets?|credentials|mail|app|application|global|common|base)${stage}`;

const configTail = `(?:[._-](?:${stages}|inc|db|database|global|common|app|site|[0-9]+))*`;

/** A word except `api`: /api_config.php is an endpoint from which pages load their settings. */
const notApi = '(?:[b-z0-9][a-z0-9]*|a(?:[a-oq-z0-9][a-z0-9]*)?|ap(?:[a-hj-z0-9][a-z0-9]*)?|api[a-z0-9]+)';

export const settingsNames: readonly Shape[] = [
  {
    id: 'cfg-extension',
    category: 'config',
    why: 'Settings by an extension that only settings have. They hold passwords, keys and inner addresses, and no page needs them.',
    patterns: [
      `${siteFolders(3)}(?:[^/@]+\\.(?:conf|config|cfg|cf|toml|ya?ml|neon|hcl|tf|tfvars|properties|props|ora|reg|ign|edn|vcl|rdg|rdp|vmx|vmss|vmem|passwd|password|secrets?|shadow|htpass|jmx|ste|mbox|private|wci|jsa|lst|phps|jsdbx|lic|codekit[0-9]?|prop|epf)|[^/@-]+\\.cnf)$`,
    ],
    matches: [
      '/phinx.yml',
      '/app/sphinx.conf',
      '/app/deploy/cloud-config.yml',
      '/tnsnames.ora',
      '/users.passwd',
      '/x.toml',
      '/test.jmx',
    ],
    nearMisses: [
      '/owner/name/blob/main/x.yml',
      '/npm/pkg@1/x.yml',
      '/_static/x.conf',
      '/conf',
      '/x.config-guide',
      '/yml/x.html',
    ],
  },
  {
    id: 'cfg-word',
    category: 'config',
    why: 'A file that is called config or settings, at the root or in a folder of an application.',
    patterns: [
      `${applicationFolders(2)}${wordPrefix}config${configTail}\\.(?:inc|pyc?|rb|pl|asa|asp|lua|rake|tcl|xml|ini)$`,
      `^/(?:[^/@]+/)?[a-z]{2,4}config\\.(?:php|inc)$`,
      `${applicationFolders(1)}(?:${closedFolder})/(?:config(?:uration)?|settings|options|parameters|env|environment|conf)(?:[._-][a-z0-9]+)*\\.(?:json5?|xml|txt|py|rb|[cm]?js)$`,
      `^/(?:[^/@]+/)?(?:astro|babel|capacitor|commitlint|craco|cypress|docusaurus|drizzle|ecosystem|esbuild|eslint|gatsby|hardhat|jest|karma|knex|medusa|metro|mikro-orm|next|next-i18next|nuxt|payload|playwright|postcss|prettier|protractor|quasar|remix|rollup|sequelize|snowpack|sst|stylelint|svelte|tailwind|truffle|tsup|uno|vite|vitest|vue|wdio|webpack)\\.conf(?:ig)?\\.[cm]?[jt]sx?$|^/(?:[^/@]+/)?(?:gatsby|brunch|ember|gridsome|vue|nuxt|next|site|db|database)-(?:config|node)\\.(?:[cm]?[jt]s|coffee)$`,
    ],
    matches: [
      '/private/config.json',
      '/gsconfig.php',
      '/next.config.js',
      '/server/settings.prod.py',
      '/backup/config.xml',
      '/config.lua',
    ],
    nearMisses: [
      '/config.json',
      '/assets/config.json',
      '/wp-admin/setup-config.php',
      '/admin/config.php',
      '/docs/config.html',
      '/api/config.json',
    ],
  },
  {
    id: 'cfg-script',
    category: 'config',
    why: 'A script of settings by its name. A copy of it, or a server that does not run it, shows the password.',
    patterns: [
      '^[/\\\\](?:[^/\\\\@]+/)?(?:cfg|params|config[0-9]{1,2})\\.(?:php|inc)$|^[/\\\\]conf\\.php$',
      `${applicationFolders(2)}(?:${notApi}[._-])*config${configTail}\\.php$`,
    ],
    matches: ['/config_db.php', '/cfg.php', '/config1.php', '/inc/params.php', '/conf.php'],
    nearMisses: ['/configure.php', '/docs/conf.php', '/api_config.php', '/config123.php', '/params', '/a/b/cfg.php'],
  },
  {
    id: 'cfg-stage',
    category: 'config',
    why: 'Settings for one stage or subject, in a folder of settings.',
    patterns: [
      `${folders(2)}${stageFile}\\.(?:php|py|rb|xml)$`,
      `^/(?:(?:app|src|server|api|backend|web)/)?${stageFile}\\.(?:[cm]?js|ts|json5?)$`,
      `${folders(1)}(?:config(?:uration)?|conf|settings)/(?:${stages})/[a-z0-9_-]+\\.(?:json5?|[cm]?js|ts)$|^/(?:app|application|src|server|backend)/(?:config|conf|settings)/[a-z0-9_.-]+\\.json$`,
    ],
    matches: [
      '/settings/prod.py',
      '/config/env/production.js',
      '/api/config/main-local.php',
      '/a/b/conf/database.php',
      '/config/auth.js',
      '/config/production/config.json',
    ],
    nearMisses: [
      '/config/',
      '/settings/profile',
      '/config/production',
      '/docs/settings/app.html',
      '/a/b/c/conf/db.php',
      '/config/x.js',
    ],
  },
  {
    id: 'cfg-folder-file',
    category: 'config',
    why: 'Code or data in a folder of settings. Pages that configure something have no extension of a script there.',
    patterns: [
      `${folders(1)}(?:configs?|conf)/(?:[a-z0-9_-]+/){0,4}[a-z0-9_.-]+\\.(?:php|inc|xml|ini|py|rb|txt|key|csv)$`,
      `${folders(3)}config/(?:cable|configuration|deploy|routing|secrets|sidekiq|storage)\\.ya?ml(?:\\.[a-z0-9]+)?$`,
    ],
    matches: [
      '/application/config/x.php',
      '/conf/users.auth.php',
      '/config/system/settings.php',
      '/configs/list.txt',
      '/a/config/x.xml',
      '/app/config/packages/prod/routing.xml',
      '/redmine/config/configuration.yml',
    ],
    nearMisses: [
      '/config/',
      '/config/x',
      '/config/x.html',
      '/config/x.js',
      '/w/includes/config/Config.php',
      '/conf/talk.pdf',
    ],
  },
  {
    id: 'cfg-program-folder',
    category: 'config',
    why: 'A file of settings or data in a folder at the root that is named after a server or program.',
    patterns: [
      '^[/\\\\](?:nginx|apache2?|httpd|traefik|caddy|haproxy|redis|mysql|mariadb|postgres|pgsql|mongodb?|grafana|prometheus|jenkins|gitlab|ansible|terraform|docker|k8s|kubernetes|helm)/(?:[^/@]+\\.(?:json|xml|txt|ini|log|env|key|dat|db)|inventory|hosts)$',
    ],
    matches: ['/traefik/acme.json', '/jenkins/config.xml', '/ansible/inventory'],
    nearMisses: ['/docs/nginx/x.txt', '/nginx/intro.html', '/docker/', '/redis/commands', '/helm/index.yaml'],
  },
  {
    id: 'cfg-rc',
    category: 'config',
    why: 'Settings of a program from the folder of a user, without their dot. Some hold tokens and passwords.',
    patterns: [
      `^/_?(?:npm|yarn|pypi|conda|psql|bash|zsh|csh|gem|hg|vim|screen|mutt|esmtp|msmtp|fetchmail|wget|curl|cqlsh|ldap|mycli|net|sentrycli|goaccess|monit|samhain|splunk|terraform|fabric|firebase|odoo|openerp_server|sequelize|keystone|admin|stack|overcloud|drush)rc$`,
    ],
    matches: ['/npmrc', '/_netrc', '/pypirc', '/terraformrc', '/bashrc'],
    nearMisses: ['/arc', '/src', '/docs/npmrc', '/npmrc/x', '/search', '/marc'],
  },
  {
    id: 'cfg-front',
    category: 'config',
    size: 'extended',
    why: 'Settings that front ends load, by their usual names. Sites whose pages load one of them must stay with builtinRules standard.',
    patterns: [
      `${folders(3)}(?:_{0,2}env(?:[_-]config)?|environments?|config(?:uration)?|settings|constants|app[._-]?(?:config|constants|settings)|runtime-config|site-config|firebase-?config|aws-?(?:exports|config)|credentials)(?:/index)?\\.(?:[cm]?js|json)$`,
      '^/(?:config|settings)/(?:config|index|settings)\\.(?:[cm]?js|json)$',
    ],
    matches: ['/config.json', '/env.js', '/assets/config.json', '/app-config.js', '/src/aws-exports.js', '/__env.js'],
    nearMisses: ['/config', '/npm/pkg@1/config.json', '/a/b/c/d/config.json', '/config.html', '/environment'],
  },
];
