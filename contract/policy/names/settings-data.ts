import type { Shape } from './shape.ts';
import { applicationFolders, folders, stages } from './words.ts';

export const settingsData: readonly Shape[] = [
  {
    id: 'cfg-json-word',
    category: 'config',
    why: 'JSON with a word for settings, a stage or credentials after its subject. Front ends load names such as app-config.json: those pass.',
    patterns: [
      `${applicationFolders(1)}(?:(?:[a-z0-9]+_)+config|[a-z0-9_-]+[._-]settings|settings[._-](?:${stages}|private|secret)|[a-z0-9_-]+[._-]env|(?:[a-z0-9_-]+[._-])?(?:connections|data-?sources?|credentials|service[_-]?accounts?|admin-?sdk|adminsdk|key-?pair|key-?file|environment)|[a-z0-9_.]+\\.(?:lock|deps|runtimeconfig)|client_id|oauth2?client)\\.json$`,
      `^/(?:[^/@]+/)?(?:(?:api|app|auth|aws|babel|backend|commitlint|cypress|db|database|deploy|dev|env|firebase|jest|karma|prod|release|server|service|site|web|webpack)\\.config|(?:backend|build|cd|ci|cluster|codedeploy|cron|db|database|deploy|logger|logging|pipeline|queue|server|worker)-config)\\.json$`,
    ],
    matches: [
      '/app_config.json',
      '/settings.prod.json',
      '/http-client.env.json',
      '/config/datasources.json',
      '/jest.config.json',
      '/x-firebase-adminsdk.json',
      '/mcp_server_config.json',
      '/pipeline-config.json',
    ],
    nearMisses: [
      '/app-config.json',
      '/settings.json',
      '/api/settings.json',
      '/env.json',
      '/cart.config.json',
      '/data/x.json',
      '/environment',
    ],
  },
  {
    id: 'cfg-cloud',
    category: 'config',
    why: 'JSON of a cloud or an interface by a fixed name: deployments, accounts of services, requests with their tokens, and copies.',
    patterns: [
      `${applicationFolders(1)}(?:azuredeploy|createuidefinition|(?:arm|cfn|cloudformation|deploy|main|sam)[._-]?template|cloudformation|(?:bigquery|firebase|gcloud|gcp|gcr|gke|google)[._-]sa|(?:[a-z0-9 _-]+[._-])?postman[._-](?:collection|environment)|[a-z0-9_.-]+[._-](?:bak|bkp|backup))(?:[._-](?:${stages}|parameters|v?[0-9]{1,4}))*\\.json$`,
    ],
    matches: [
      '/azuredeploy.json',
      '/gcp-sa.json',
      '/postman_collection.json',
      '/shop.postman_environment.json',
      '/ng-cli-backup.json',
      '/config/cloudformation-template.json',
    ],
    nearMisses: [
      '/docs/postman_collection.json',
      '/owner/name/main/azuredeploy.json',
      '/template.json',
      '/usa.json',
      '/azuredeploy.html',
      '/backup.json/x',
    ],
  },
  {
    id: 'cfg-xml-word',
    category: 'config',
    why: 'XML with a word for settings or connections after its subject, as servers in Java, .NET and Hadoop name it.',
    patterns: [
      `${applicationFolders(1)}(?:(?:[a-z0-9]+[._-]|[a-z]{2,12})?(?:context|beans|servlet|data-?sources?|connections?|security|migrations|changelog-master|log4j2?|deploy|unattend|answers?|standalone|domain|pfsense|opnsense|parameters|vars|servers|jboss)|[a-z0-9]+[._-](?:config|settings|ds|users|roles|groups)|(?:core|hdfs|yarn|mapred|hbase|hive|tez|oozie|sqoop|httpfs|kms|zeppelin)-site)(?:[._-](?:${stages}|full|ha))?\\.xml$`,
      `${folders(2)}(?:jetty|ibm|jboss|glassfish|payara|sun|resin|jrun|lucee|railo|neo|tomcat|weblogic|hibernate|struts|log4j2?|spring|jenkins|hudson|org\\.jenkins[a-z]*|clickhouse|filezilla|bamboo|confluence|crowd)[._ -][a-z0-9_. -]+\\.xml$`,
    ],
    matches: [
      '/root-context.xml',
      '/dataSources.xml',
      '/gpo-groups.xml',
      '/jetty-env.xml',
      '/hdfs-site.xml',
      '/app/hibernate-main.cfg.xml',
      '/hudson.tasks.Mailer.xml',
      '/config-pfsense.xml',
    ],
    nearMisses: [
      '/sitemap-users.xml.gz',
      '/feed.xml',
      '/browserconfig.xml',
      '/docs/x/context.xml',
      '/users.xml',
      '/sitemap_index.xml',
      '/api/users.xml',
    ],
  },
  {
    id: 'cfg-xml-site',
    category: 'config',
    why: 'XML with the accounts, tasks or servers of a site or domain, by a word for them.',
    patterns: [
      `${applicationFolders(1)}(?:sites?|common|cell|serverindex|configuration|(?:[a-z]{2,10}[._-]?)?(?:tasks|printers|status)|(?:[a-z]{2,10}[._-]|[a-z]{2,6}|[a-z]{1,9}[a-qs-z])?config|(?:[a-z]{2,10}[._-])?actions)\\.xml$`,
      '^/(?:debug|old|bak|backup|test|dev|core|private|admin|system|install)/(?:[^/@]+/){0,2}config(?:uration)?\\.xml$|^/(?:[^/@]+/)?(?:[a-z0-9_-]*(?:gatedesc|rootdesc|igddesc)|tr064dev|simplecfg|configd|js_error)\\.xml$',
    ],
    matches: ['/sites.xml', '/NmTasks.xml', '/serverindex.xml', '/debug/config.xml', '/gatedesc.xml'],
    nearMisses: [
      '/feed.xml',
      '/docs/x/sites.xml',
      '/groups.xml',
      '/website-map.xml',
      '/sites.xml.html',
      '/reactions.xml',
      '/browserconfig.xml',
    ],
  },
];
