/** Stages of a deployment, and kinds of template, in names such as `web.config.staging` and `settings_prod.py`. */
export const stages =
  'prod(?:uction)?|dev(?:el|elopment)?|stag(?:e|ing)|test(?:ing)?|local|live|qa|uat|default|custom|docker|master|main|sample|example|dist|template|tpl|tmpl';

export const stage = `(?:[._-](?:${stages}))?`;

export const wordPrefix = '(?:[a-z0-9]+[._-])*';

const copyWords = `bac?k?|bck|bkp?|bkup|backup|good|bad|old|org|orig(?:inal)?|save?|sw[nop]|tmp|temp|copy|new|disabled|ver|rev|inc|enc|install|tag|(?:release|versions)backup|${stages}`;

const archiveWords = 'zip|t?gz|tar|t?bz|t?xz|7z|rar|zst';

/**
 * One or more suffixes of copies: `.org`, `-2`, `.tar.gz`, `_old2`, `~`. Each begins with a separator, so the
 * repetition is not ambiguous.
 */
const suffixes = (words: string): string => `(?:~[0-9]*|[._-][0-9]*(?:${words})[0-9]*|[._-][0-9]+)+`;
export const copySuffix = suffixes(`${copyWords}|${archiveWords}`);
/** Suffixes of copies without archives: `.xml.gz`, `.json.gz` and `.csv.zip` are ordinary downloads. */
export const unpackedCopySuffix = suffixes(copyWords);

/**
 * The start of a path with at most `most` folders. Honest sites have other paths: pages of code hosts have more
 * folders, packages of content delivery networks have an `@`, and generated documentation begins with `_`.
 */
export const folders = (most: number): string => `^/(?:[^/@_][^/@]*/){0,${most}}`;

/** Folders that contain applications or their files. Articles and routes of APIs have other names. */
const applicationFolder =
  'app(?:lication)?s?|backend|server|src|web|site|www|public(?:_html)?|htdocs|html|root|home|core|private|conf(?:igs?|iguration)?|settings?|etc|' +
  'data(?:base)?|db|sql|env|secrets?|keys?|certs?|ssl|credentials?|auth|security|old|new|bak|backups?|dev|test|stag(?:ing|e)|' +
  'prod(?:uction)?|te?mp|var|storage|resources|deploy(?:ment)?|docker|build|ci|tools?|scripts?|includes?|inc|lib|vendor|laravel|' +
  'wordpress|wp|blog|shop|cms|portal|local|xml';
export const applicationFolders = (most: number): string => `^/(?:(?:${applicationFolder})/){0,${most}}`;
export const contentFolders = (most: number): string =>
  `^/(?:(?:${applicationFolder}|uploads?|exports?|wp-content|media|administrator|sites|default|modules|plugins|users?)/){0,${most}}`;

/**
 * Folders in which a site keeps files. Package indexes and code hosts have other folders in front of names with a dot:
 * `/simple/oslo.db/`, `/packages/Microsoft.Data.Sqlite`, `/sqlalchemy/dogpile.cache`.
 */
export const siteFolders = (most: number): string =>
  `^/(?:(?:${applicationFolder}|uploads?|exports?|imports?|wp-(?:content|admin|includes)|media|adm(?:in(?:istrator)?s?)?|sites|default|modules|plugins|themes|users?|cgi-bin|bin|assets|static|files?|images?|img|css|js|components?|templates?|forum|wiki|web-inf|classes|logs?|cache|errors?|panel|system|php[0-9]?|roundcube|owncloud|nextcloud|webmail)/){0,${most}}`;

/** Folders of programs from which no page loads files. */
export const closedFolder =
  'backend|server|private|etc|storage|secrets?|credentials?|bak|backups?|docker|deploy(?:ment)?|var|lib|vendor|inc|includes?|data(?:base)?|db|sql|conf|src|core';

export const credentialWords = '(?:key|token|secret|cred(?:ential)?|pass(?:word|wd)?|pwd)s?';

export const credentialOwners =
  'api|access|auth|secret|private|master|encrypt(?:ion)?|service|(?:service[._-]?)?account|license|ssh|ssl|root|admin|app|client|jwt|ftp|db|database|smtp|mail|' +
  'aws|gcp|s3|bot|user|vault|recovery|host|server|oauth2?|firebase|fcm|stripe|github|google|azure|slack|openai';

/**
 * Services and programs that require a password or key. They are two lists, because one pattern with all of them would
 * have too many states.
 */
export const netServices =
  'smtp|imap|mail(?:er|gun|jet|chimp|trap)?|sendgrid|postmark|ses|sns|sqs|twilio|nexmo|vonage|plivo|slack|discord|telegram|whatsapp|stripe|' +
  'paypal|braintree|adyen|razorpay|mollie|plaid|coinbase|binance|aws|s3|azure|gcp|gcloud|google|firebase|fcm|apns?|digitalocean|linode|' +
  'vultr|heroku|cloudflare|netlify|vercel|supabase|aliyun|oss|cos|auth0|okta|keycloak|ldap|saml|oidc|oauth2?|sso|jwt|kerberos|facebook|' +
  'twitter|linkedin|instagram|github|gitlab|bitbucket|jira|sentry|datadog|newrelic|algolia|openai|anthropic|gemini|claude|chatgpt|gpt|llm|' +
  'ai|mcp|agent|groq|mistral|ollama';
export const programs =
  'ftps?|sftp|ssh|ssl|tls|vpn|wireguard|openvpn|rdp|vnc|snmp|db|database|sql|mysqli?|mariadb|pgsql|' +
  'postgres(?:ql)?|mssql|oracle|sqlite|mongo(?:db|ose)?|redis|memcached?|couchdb|cassandra|elastic(?:search)?|neo4j|influx(?:db)?|' +
  'rabbitmq|amqp|kafka|mqtt|nats|celery|zookeeper|consul|vault|etcd|nomad|docker|k8s|kube(?:rnetes)?|helm|terraform|ansible|jenkins|nginx|' +
  'apache|caddy|traefik|haproxy|proxy|wordpress|drupal|joomla|magento|shopify|laravel|django|flask|rails|symfony|spring|backend|server|' +
  'bot|env';

/** Tools that keep their settings in a file with the name of the tool. */
export const tools =
  'acme|aliyun|amazon|alipay|appsignal|appspec|bitwarden|bruno|bugsnag|caddy|cdk.context|chef|cloudflared|couchbase|cypress|datadog-ci|database.rules|dbgate|ddns|deploy(?:ment)?|' +
  'doppler|ecosystem|envoy|ftp-?deploy|ftp-?kr|gcs|gdrive|gmail|hazelcast|homestead|infisical|insomnia|ionic|jsconfig|junit|kaggle|keepass|keystore|keyfile|key-?pair|knex|' +
  'krakend|lambda|langgraph|launchSettings|mandrill|manticore|mcp[_-]servers?|metabase|minio|mup|nodemailer|ocelot|onesignal|ormconfig|nessus|packer(?:[_-]variables)?|phinx|phpunit|pm2|' +
  'postman(?:[_-]environment)?|pulumi|pusher|qiniu|qcloud|railway|recaptcha|robo3t|robomongo|rollbar|sanity|semaphore|sendinblue|sequelize|' +
  'serilog|serverless|shadowsocks|snyk|solr|sparkpost|sqlite|sqltools|sst|statsd|svc[_-]account|task-?def(?:inition)?|tencentcloud|termius|' +
  'thunderclient|trojan|truffle|uwsgi|v2ray|wxpay|xmrig|xray|zappa';

/** Words for the settings of a service: `smtp_config.json`, `redis-auth.ini`. */
export const settingWords = `(?:config(?:uration)?|conf|cfg|setting|cred(?:ential)?|auth|account|pass(?:word|wd)?|conn(?:ect(?:ion)?)?|param(?:eter)?|secret|key|token)s?`;

/** Extensions of data files of applications that no page links to. */
export const dataExtensions =
  'json5?|jsn|xml|csv|ya?ml|ini|conf|cfg|toml|properties|inc|env|dat|enc|b64|xlsx?|lst|bin|db|out|log|pem|key';
