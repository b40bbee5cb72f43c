import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { validateNginx } from './validate.ts';

/**
 * Servers as projects and distributions describe them. None changes an allowed path into a blocked one, so none has a
 * problem. Those that take a path apart have a warning.
 */
const honestServers: Readonly<Record<string, string>> = {
  debian: `
    listen 80 default_server; root /var/www/html; index index.html index.nginx-debian.html; server_name _;
    location / { try_files $uri $uri/ =404; }
    location ~ \\.php$ { include snippets/fastcgi-php.conf; fastcgi_pass unix:/run/php/php-fpm.sock; }
    location ~ /\\.ht { deny all; }`,
  php: `
    root /var/www/html;
    location ~ \\.php$ {
      fastcgi_split_path_info ^(.+?\\.php)(/.*)$;
      try_files $fastcgi_script_name =404;
      set $path_info $fastcgi_path_info;
      fastcgi_param PATH_INFO $path_info;
      fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
      fastcgi_pass 127.0.0.1:9000;
    }`,
  wordpress: `
    root /var/www/wordpress; index index.php;
    location = /favicon.ico { log_not_found off; }
    location ~* /(?:uploads|files)/.*\\.php$ { deny all; }
    location / { try_files $uri $uri/ /index.php?$args; }
    rewrite /wp-admin$ $scheme://$host$request_uri/ permanent;
    location ~ [^/]\\.php(/|$) { fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name; fastcgi_pass php; }
    location ~* \\.(js|css|png|jpg|jpeg|gif|ico)$ { expires max; }`,
  'wordpress-network': `
    root /var/www/wordpress;
    if (!-e $request_filename) {
      rewrite /wp-admin$ $scheme://$host$request_uri/ permanent;
      rewrite ^(/[^/]+)?(/wp-.*) $2 last;
      rewrite ^(/[^/]+)?(/.*\\.php) $2 last;
    }
    location / { try_files $uri $uri/ /index.php?$args; }`,
  laravel: `
    root /srv/example.com/public; index index.php;
    location / { try_files $uri $uri/ /index.php?$query_string; }
    error_page 404 /index.php;
    location ~ ^/index\\.php(/|$) { fastcgi_param SCRIPT_FILENAME $realpath_root$fastcgi_script_name; fastcgi_pass php; }
    location ~ /\\.(?!well-known).* { deny all; }`,
  symfony: `
    root /srv/app/public;
    location / { try_files $uri /index.php$is_args$args; }
    location ~ ^/index\\.php(/|$) {
      fastcgi_split_path_info ^(.+\\.php)(/.*)$;
      fastcgi_param SCRIPT_FILENAME $realpath_root$fastcgi_script_name;
      internal;
    }`,
  nextcloud: `
    root /var/www/nextcloud;
    location = / { if ( $http_user_agent ~ ^DavClnt ) { return 302 /remote.php/webdav/$is_args$args; } }
    location ^~ /.well-known {
      location = /.well-known/carddav { return 301 /remote.php/dav/; }
      location /.well-known/acme-challenge { try_files $uri $uri/ =404; }
      return 301 /index.php$request_uri;
    }
    location ~ ^/(?:build|tests|config|lib|3rdparty|templates|data)(?:$|/) { return 404; }
    location ~ \\.php(?:$|/) {
      rewrite ^/(?!index|remote|public|cron|core\\/ajax\\/update|status|ocs\\/v[12]|updater\\/.+|.+\\/richdocumentscode\\/proxy) /index.php$request_uri;
      fastcgi_split_path_info ^(.+?\\.php)(/.*)$;
      set $path_info $fastcgi_path_info;
      try_files $fastcgi_script_name =404;
      fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
    }
    location ~ \\.(?:css|js|mjs|svg|gif|ico|jpg|png|webp|wasm|tflite|map|ogg|flac)$ { try_files $uri /index.php$request_uri; }
    location /remote { return 301 /remote.php$request_uri; }
    location / { try_files $uri $uri/ /index.php$request_uri; }`,
  drupal: `
    root /var/www/drupal;
    location / { try_files $uri /index.php?$query_string; }
    location @rewrite { rewrite ^ /index.php; }
    location ~ ^/sites/.*/files/styles/ { try_files $uri @rewrite; }
    location ~ ^(/[a-z\\-]+)?/system/files/ { try_files $uri /index.php?$query_string; }`,
  phpmyadmin: `
    location /phpmyadmin/ { alias /usr/share/phpmyadmin/; }
    location ~ ^/phpmyadmin/(.+\\.php)$ { alias /usr/share/phpmyadmin/$1; fastcgi_param SCRIPT_FILENAME $request_filename; }
    location = /phpmyadmin { return 301 /phpmyadmin/; }`,
  application: `
    location /static/ { alias /srv/app/static/; }
    location = /favicon.ico { alias /srv/app/static/favicon.ico; }
    location /socket.io { proxy_pass http://app; proxy_http_version 1.1; }
    location / { proxy_pass http://app; proxy_set_header Host $host; }`,
  'single-page': 'root /srv/app; location / { try_files $uri $uri.html $uri/index.html /index.html; }',
  'path-prefix': `
    location /grafana/ { rewrite ^/grafana/(.*) /$1 break; proxy_pass http://127.0.0.1:3000; }
    location /kibana/ { rewrite ^/kibana/?(.*)$ /$1 break; proxy_pass http://kibana; }
    location /api/ { proxy_pass http://127.0.0.1:8080/; }
    location /old { rewrite ^/old/(.*)$ /new/$1 last; }
    location ~ ^/v1/(.*)$ { rewrite ^/v1/(.*)$ /$1 break; proxy_pass http://api; }`,
  assets: `
    root /srv/app;
    location ~* (.+)\\.(?:\\w+)\\.(avifs?|css|js|png|webp)$ { try_files $uri $1.$2; }
    rewrite ^/assets/v[0-9]+/(.*)$ /assets/$1 last;`,
  resolver: `
    resolver 127.0.0.53; set $backend http://app.internal:8080;
    location / { proxy_pass $backend; }
    location /api/ { set $api api.internal; proxy_pass http://$api:8080$request_uri; }
    location /user/ { location ~ ^/user/([0-9]+)$ { proxy_pass http://users/show/$1; } }`,
  sites: `
    server_name ~^(?<site>[\\w-]+)\\.example\\.com$; root /srv/sites/$site/public;
    location / { try_files $uri $uri/ =404; }
    location /media/ { root /srv/media/$host; }`,
  download: `
    location /protected/ { internal; alias /srv/files/; }
    location /files/ { proxy_pass http://app; }
    location ~ ^/~(\\w+)/(.*)$ { alias /home/$1/public_html/$2; }`,
  images:
    'location ~ ^/thumb/(\\d+)x(\\d+)/(.+)$ { proxy_pass http://resizer/unsafe; rewrite ^/thumb/(\\d+)x(\\d+)/(.+)$ /$1x$2/$3 break; }',
};

const head = `
rewrite_by_lua_no_postpone on; lua_regex_match_limit 100000; large_client_header_buffers 4 32k;
init_by_lua_block { require("guard").init({}) }
rewrite_by_lua_block { require("guard").check() }
upstream app { server 127.0.0.1:8080; }
map $http_upgrade $connection_upgrade { default upgrade; '' close; }`;

function findings(server: string) {
  const { problems, warnings } = validateNginx(`http {\n${head}\nserver {\n${server}\n}\n}`);
  return [...problems, ...warnings].filter(({ kind }) => kind.startsWith('path_'));
}

describe('honest servers', () => {
  for (const [name, server] of Object.entries(honestServers))
    it(`have no problem: ${name}`, () => {
      const kinds = new Set(findings(server).map(({ kind }) => kind));
      assert.deepEqual(kinds.difference(new Set(['path_rewritten'])), new Set());
    });

  it('have no warning unless a path is made of a part of the request', () => {
    const warned = Object.entries(honestServers).filter(([, server]) => findings(server).length > 0);
    assert.deepEqual(
      warned.map(([name]) => name),
      ['wordpress-network', 'nextcloud', 'phpmyadmin', 'path-prefix', 'assets', 'resolver', 'download', 'images'],
    );
  });
});

/**
 * The message and the hint of the first finding in a server. e2e/nginx/paths.test.ts compares the kinds of findings
 * with the real nginx.
 */
const described: readonly (readonly [server: string, message: string, hint: string])[] = [
  [
    'location /x { alias /srv/; }',
    'alias makes /.git/config of /x.git/config, which the guard does not block',
    'end the prefix of the location in a slash, too',
  ],
  [
    'location ^~ /x { proxy_pass http://app/v2/; }',
    'proxy_pass makes /.git/config of /x.git/config, which the guard does not block',
    'end the prefix of the location in a slash, too',
  ],
  [
    'rewrite ^/(.*)\\.html$ /$1 last;',
    'rewrite makes a path of a part of the request, and the guard saw the whole one',
    'check what the pattern matches: "Where nginx changes a path" in docs/nginx.md',
  ],
  [
    'location / { set $app app; proxy_pass http://$app$uri$is_args$args; }',
    'proxy_pass sends a decoded path: %20 and %0a in a request end its target there, and begin new headers',
    'use proxy_pass without a path, or with $request_uri',
  ],
  [
    'location / { root /srv/$cookie_theme; }',
    'root takes a path from $cookie_theme, which the guard does not read as a path',
    'take the path from $uri, or list the allowed values in a map',
  ],
];

describe('a path that nginx changes', () => {
  for (const [server, message, hint] of described)
    it(`is named with its line and a fix: ${server}`, () => {
      const [first] = findings(`\n\n${server}`);
      assert.deepEqual([first?.message, first?.hint, first?.line], [message, hint, 11]);
    });

  it('is not looked for in an internal location', () => {
    assert.deepEqual(findings('location /x { internal; alias /srv/; }'), []);
  });

  it('is looked for in many locations within seconds', () => {
    const many = 'location /x/ { alias /srv/; }\nlocation /y { proxy_pass http://app/; }\n'.repeat(20_000);
    assert.equal(findings(many).length, 100);
  });
});
