/** Names that scanners request and that some honest sites serve. All rules have `size: extended`. */
import type { Shape } from './shape.ts';

const documentWords =
  'readme|changelog|changes|change|history|release[._-]?notes?|upgrad(?:e|ing)|install(?:ation)?|licen[cs]e|copying|copyright|authors|credits|' +
  'contribut(?:ing|ors)|maintainers|security|todo|news|version|eula|hacking|building';

/**
 * The start of a path with at most `most` folders. Without the character classes, the slash would become a literal of
 * the rule, and every path contains a slash.
 */
const openFolders = (most: number): string => `^[/\\\\](?:[^/\\\\@_][^/\\\\@]*/){0,${most}}`;

export const servedNames: readonly Shape[] = [
  {
    id: 'served-data',
    category: 'dump',
    size: 'extended',
    why: 'Data at the root as JSON, XML, text or a table. Sites that serve more than feeds and manifests must stay with builtinRules standard.',
    patterns: [
      `${openFolders(0)}[^/\\\\@]+\\.(?:json|xml|txt|csv|tsv|dat)$`,
      `${openFolders(3)}[^/\\\\@]+\\.log$`,
      '^[/\\\\](?:static/|assets/|public/)?(?:data|json|xml|config|admin|private|files|search|auth)/(?:config/|json/)?[^/\\\\@]+\\.json$',
    ],
    matches: ['/jsapi_ticket.json', '/RushSite.xml', '/hint.txt', '/data.tsv', '/data/users.json'],
    nearMisses: ['/x.json.html', '/blog/x.json', '/json', '/npm/pkg@1/x.json', '/blog/feed.xml'],
  },
  {
    id: 'served-source',
    category: 'develop',
    size: 'extended',
    why: 'A source, template or checksum at the root. Sites that publish sources must stay with builtinRules standard.',
    patterns: [
      '^[/\\\\]_?(?:ts|babel|eslint|prettier|stylelint|swc|nyc|mocha)rc$',
      `${openFolders(0)}[^/\\\\@]+\\.(?:py|rb|lua|go|tsx?|java|c|cpp|vb|kt|scala|rs|swift|tpl|twig|ejs|hbs|ftl|vm|mako|j2|plist|rdf|md5|sha1|sha256|phar|tmpl|ctp)$`,
    ],
    matches: ['/debug.py', '/index.ts', '/page.tpl', '/files.md5', '/Info.plist'],
    nearMisses: ['/src/main.ts', '/debug.py.html', '/py', '/npm/pkg@1/x.ts', '/wiki/Node.go/x'],
  },
  {
    id: 'served-document',
    category: 'develop',
    size: 'extended',
    why: 'A document that comes with a program and names its version. Code hosts and documentation serve such documents.',
    patterns: [
      `${openFolders(1)}(?:${documentWords})(?:[._-][a-z0-9]{2,10})?\\.(?:md|txt|rst|adoc|markdown|json)$`,
      `${openFolders(1)}readme(?:\\.html?)?$`,
    ],
    matches: ['/README.md', '/CHANGELOG.txt', '/forum/INSTALL.mysql.txt', '/readme.html'],
    nearMisses: [
      '/history.html',
      '/a/b/readme.md',
      '/readme/x',
      '/npm/pkg@1/README.md',
      '/news',
      '/blog/readme-first.html',
    ],
  },
  {
    id: 'served-wordpress',
    category: 'admin',
    size: 'extended',
    why: 'Accounts, versions and the remote interface of WordPress. Sites whose programs use them must stay with builtinRules standard.',
    patterns: [
      '/wp-content/(?:plugins|themes)/[^/]+/(?:readme|changelog|license)\\.(?:txt|md)$',
      '/(?:wlwmanifest\\.xml|xmlrpc\\.php|wp-json/wp/v2/users(?:/[0-9]+)?)/?$',
    ],
    matches: [
      '/wp-content/plugins/x/readme.txt',
      '/blog/wp-includes/wlwmanifest.xml',
      '/xmlrpc.php',
      '/wp-json/wp/v2/users',
    ],
    nearMisses: ['/wp-json/wp/v2/posts', '/wp-content/themes/x/style.css', '/docs/xmlrpc', '/wp-content/readme.html'],
  },
  {
    id: 'served-interface',
    category: 'develop',
    size: 'extended',
    why: 'The description of an interface with all of its routes. Sites that publish one must stay with builtinRules standard.',
    patterns: [
      `${openFolders(3)}(?:swagger-(?:ui|resources|config)|api-docs?|apidocs?|graphiql|redoc|rapidoc|application\\.wadl)(?:\\.(?:json|html?))?/?$`,
      `${openFolders(3)}(?:swagger|openapi)(?:[._-]?v?[0-9]{1,2})?\\.(?:json|html?|php)$`,
      `${openFolders(3)}swagger(?:-?ui)?/(?:index|swagger-ui|swagger)\\.(?:html?|json)$|${openFolders(3)}graphql/(?:console|schema|explorer|playground)$`,
      `${openFolders(2)}(?:[^/\\\\@]+[._-])?postman(?:_collection)?\\.json$`,
    ],
    matches: [
      '/swagger.json',
      '/v2/api-docs',
      '/api/swagger-ui.html',
      '/swagger/index.html',
      '/graphql/schema',
      '/postman_collection.json',
    ],
    nearMisses: ['/docs/graphql', '/swagger/x', '/api-docs/users', '/swagger-ui/app.css', '/apidocument', '/openapi'],
  },
  {
    id: 'served-status',
    category: 'admin',
    size: 'extended',
    why: 'State of a server, cluster or registry for its operators. Sites whose monitors ask through the guard must stay with builtinRules standard.',
    patterns: [
      `${openFolders(1)}(?:healthz|readyz|livez|threaddump|configprops|autoconfig|httptrace|php-?info|actuator(?:/(?:health|info|metrics|prometheus))?)/?$`,
      '^[/\\\\](?:[^/\\\\@]+/)?(?:i|t|test[0-9]?|temp|infos?)\\.php$',
      '^[/\\\\](?:[^/\\\\@]+/)?(?:webalizer|awstats)(?:/(?:awstats\\.pl)?)?$',
      '^[/\\\\]v2/(?:_catalog|keys)/?$|^[/\\\\](?:metrics|health|pods|runningpods|trace|dump|beans|loggers|mappings|version)/?$|^[/\\\\]ws/v1/cluster(?:/apps(?:/new-application)?)?$|^[/\\\\]hazelcast/rest/cluster/?$|^[/\\\\]_(?:search|users|all_docs|aliases|mapping|stats|status|config)/?$',
    ],
    matches: [
      '/metrics',
      '/hazelcast/rest/cluster',
      '/app/healthz',
      '/v2/_catalog',
      '/i.php',
      '/actuator/prometheus',
      '/_search',
    ],
    nearMisses: ['/docs/metrics.html', '/health/article', '/version/2', '/api/v1/users', '/_search.html', '/status'],
  },
  {
    id: 'served-gateway',
    category: 'admin',
    size: 'extended',
    why: 'The interface of Docker or Elasticsearch, mails of development, or the login of a VPN. Sites that publish one must stay with builtinRules standard.',
    patterns: [
      '^[/\\\\](?:v1\\.[0-9]{2}/)?(?:containers/json|images/json|version)$|^[/\\\\]v1\\.[0-9]{2}/(?:containers|images|exec)/|/letter_opener/|^[/\\\\]_(?:cat|cluster|nodes)(?:/|$)',
      '^[/\\\\](?:dana-na/auth/|dana-na/$|dana/(?:home|fb|js|meeting)(?:/|$)|remote/log(?:in|incheck)$|logon/logonpoint/|nf/auth/|global-protect/|\\+cscoe\\+/logon)',
      '^[/\\\\]api/v1/(?:pods|nodes|secrets|configmaps|namespaces(?:/(?:default|kube-system)/(?:secrets|configmaps|pods))?)/?$|^[/\\\\]redfish/v1/|^[/\\\\]v1/(?:kv|agent|catalog/(?:services|nodes))/?$',
    ],
    matches: [
      '/containers/json',
      '/v1.41/images/json',
      '/_cat/indices',
      '/letter_opener/',
      '/api/v1/namespaces/default/secrets',
      '/dana-na/auth/url_default/welcome.cgi',
    ],
    nearMisses: [
      '/containers',
      '/images/json-logo.png',
      '/_catalog',
      '/letter_opener',
      '/remote/login/help',
      '/dana/photos',
    ],
  },
];
