/** For tests: servers like those that projects and distributions describe. None of them changes a path past the guard. */
export const honestServers: Readonly<Record<string, string>> = {
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
