import type { Shape } from './shape.ts';
import { applicationFolders, folders, netServices, programs, settingWords, stage, stages, tools } from './words.ts';

const tail = `(?:[._-](?:${stages}|inc))?[0-9]*`;
/** A date of 2000 to 2029 with a time has 12 digits too, as in names of exports and site maps. */
const macWithoutDate = '(?:[013-9a-f][0-9a-f]{11}|2[1-9a-f][0-9a-f]{10}|20[3-9a-f][0-9a-f]{9})';

export const serviceNames: readonly Shape[] = [
  {
    id: 'cfg-service',
    category: 'config',
    why: 'Settings or credentials of a service on the net: its name, a word for settings, an extension of data or code.',
    patterns: [
      `${folders(2)}(?:(?:${stages}|my|app|web|site)[._-])?(?:${netServices})[._-]?${settingWords}${tail}\\.(?:json5?|xml|csv|ini|inc|py|rb|env|dat|enc)$`,
    ],
    matches: [
      '/ai_config.json',
      '/smtp-settings.json',
      '/app/firebase_config.py',
      '/mail-config.inc',
      '/a/b/stripe.keys.json',
      '/my-aws-auth.xml',
    ],
    nearMisses: [
      '/docs/slack-config',
      '/mail/config',
      '/stripe.html',
      '/a/b/c/aws_config.json',
      '/aws-regions.json',
      '/xsmtp_config.json',
    ],
  },
  {
    id: 'cfg-program',
    category: 'config',
    why: 'Settings or credentials of a server or program: its name, a word for settings, an extension of data or code.',
    patterns: [
      `${folders(2)}(?:(?:${stages}|my|app|web|site)[._-])?(?:${programs})[._-]?${settingWords}${tail}\\.(?:json5?|xml|csv|ini|inc|py|rb|env|dat|enc)$`,
    ],
    matches: [
      '/redis.conf.json',
      '/inc/mysql_connect.inc',
      '/a/b/db-credentials.json',
      '/mongosettings.xml',
      '/jenkins_config.py',
      '/prod-db-config.json',
    ],
    nearMisses: [
      '/docs/redis-config',
      '/db/config',
      '/mysql.html',
      '/a/b/c/db_config.json',
      '/settings.json/x',
      '/xdb_config.json',
    ],
  },
  {
    id: 'cfg-service-php',
    category: 'config',
    why: 'The PHP script with the settings of a service. A copy of it, or a server that does not run it, shows the password.',
    patterns: [
      `${folders(1)}(?:${netServices}|${programs})[._-]?(?:config\\.php|conf\\.php|settings\\.php|credentials\\.php|connect\\.php|connection\\.php|params\\.php|secrets\\.php|tokens\\.php)$`,
    ],
    matches: [
      '/mysql_config.php',
      '/a/db-credentials.php',
      '/mail.config.php',
      '/inc/ldapsettings.php',
      '/redis-conf.php',
      '/dbconnect.php',
    ],
    nearMisses: [
      '/wp-settings.php',
      '/config-guide.php',
      '/mail.php',
      '/settings.php/x',
      '/a/b/c/db_config.php',
      '/mailing-config.php',
    ],
  },
  {
    id: 'cfg-service-script',
    category: 'config',
    why: 'A script that is called as a service for sending or storing, at the root or in one folder: its key is in the text.',
    patterns: [`${folders(1)}(?:aws|s3|ses|sns|sqs|sendgrid|mailgun|twilio|nexmo|vonage|openai)\\.(?:php|py|rb)$`],
    matches: ['/aws.php', '/s3.rb', '/server/ses.py'],
    nearMisses: ['/paypal.php', '/mail.php', '/icons/a/aws.js', '/aws.html', '/twilio/x.js'],
  },
  {
    id: 'cfg-service-near',
    category: 'config',
    why: 'Settings of a service by its name alone, at the root or in a folder of an application.',
    patterns: [`${applicationFolders(1)}(?:${netServices}|${programs})${stage}\\.(?:json5?|xml|txt|ini|inc|env|key)$`],
    matches: ['/smtp.json', '/sendgrid.json', '/config/redis.ini', '/mcp.json', '/db.inc', '/aws_prod.json'],
    nearMisses: ['/api/slack.json', '/smtp', '/icons/github.json', '/redis.html', '/mysql/x.txt', '/database'],
  },
  {
    id: 'cfg-tool',
    category: 'config',
    why: 'Settings or keys of a tool by its name alone, at the root or in a folder of an application.',
    patterns: [`${applicationFolders(1)}(?:${tools})${stage}\\.(?:json5?|xml|txt|ini|env|key)$`],
    matches: [
      '/phinx.json',
      '/deploy.json',
      '/config/minio.json',
      '/cypress.json',
      '/keyfile.txt',
      '/packer-variables.json',
    ],
    nearMisses: [
      '/api/deploy.json',
      '/lambda',
      '/news/postman.json',
      '/deploy.html',
      '/x/y/phinx.xml',
      '/icons/pusher.json',
    ],
  },
  {
    id: 'cfg-connection',
    category: 'config',
    why: 'The script that connects to a database. A copy of it, or a server that does not run it, shows the password.',
    patterns: [
      `${folders(3)}(?:[a-z0-9]*[._-])?(?:db|database|sql|mysqli?|pdo|pgsql|mssql)?[._-]?(?:conn(?:ect(?:ion|db|ar)?)?|conexion|conexao|connexion|koneksi|baglan(?:ti)?|dbopen|dbconfig|dbconn|conectar)(?:[._-](?:db|database|inc|local|mysql|class|string)s?)*\\.(?:php[0-9]?|inc|asp|py|txt|xml)$`,
    ],
    matches: [
      '/conexion.php',
      '/koneksi.php',
      '/inc/db_connect.inc.php',
      '/dbconn.php',
      '/a/b/mysql-connection.asp',
      '/dbopen.php',
    ],
    nearMisses: ['/connect', '/connection.html', '/connections.php', '/a/reconnect.php', '/connect.json', '/conexion/'],
  },
  {
    id: 'dev-phone',
    category: 'config',
    why: 'Provisioning of a phone or router: a file named after its hardware address or model, with passwords of accounts.',
    patterns: [
      `${folders(3)}(?:[a-z]{1,8}[_-]?)?(?:${macWithoutDate}|[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5})(?:[._-][a-z0-9_-]*)?\\.(?:cfg|xml|boot|txt|conf|cnf|ini|tuz|enc)$`,
      `${folders(1)}(?:gigaset|snom|linksys|spa|gxp|gxv|polycom|aastra|yealink|fanvil|htek)(?:[_-]?[a-z]?[0-9]{2,4})?\\.(?:xml|cfg)$|^/(?:snom/)?snom[0-9]{3}[a-z]?\\.html?$|^/[0-9]{2}[0-9a-z]{1,4}upgrade\\.txt$|^/(?:mikrotik|router(?:os)?|backup|config|export)\\.(?:rsc|data)$`,
    ],
    matches: [
      '/y000000000000.cfg',
      '/SEP001122AABBCC.cnf.xml',
      '/cfg001565aabbcc.xml',
      '/provision/00-15-65-aa-bb-cc.txt',
      '/000000000000-directory.xml',
      '/gigaset_N510.xml',
      '/46xxupgrade.txt',
      '/mikrotik.rsc',
      '/805ec0123456.cfg',
    ],
    nearMisses: [
      '/dir_61bd9e18b52c497a2e6d3af3a72c0d02.xml',
      '/001565aabbcc',
      '/001565aabbcc.htm',
      '/20240101120000/x.xml',
      '/export/report_202401011230.xml',
      '/sitemap-202401011230.xml',
      '/a1b2c3.cfg.html',
      '/spark.xml',
      '/upgrade.txt',
    ],
  },
];
