/**
 * The responses of mode fake_success, one for each kind of path. `[[host]]`, `[[address]]` and `[[path]]` are values of
 * the request, escaped in HTML. `[[<alphabet>:<length>:<label>]]` is derived from the secret and the client's address;
 * equal labels give equal values. Names and addresses are reserved (RFC 2606, RFC 6761).
 */
export interface Decoy {
  readonly name: string;
  /** Pattern for the path, in the syntax that RE2 and PCRE share. Empty: matches every path. */
  readonly match: string;
  readonly contentType: string;
  readonly text: string;
}

/** Alphabets of derived values. */
export const alphabets = {
  hex: '0123456789abcdef',
  digits: '0123456789',
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  alnum: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  base64: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
} as const;

const textType = 'text/plain; charset=utf-8';
const htmlType = 'text/html; charset=utf-8';
const actuatorJson = 'application/vnd.spring-boot.actuator.v3+json';

const envFile = `APP_NAME=Portal
APP_ENV=production
APP_KEY=base64:[[base64:43:app]]=
APP_DEBUG=false
APP_URL=https://[[host]]

LOG_CHANNEL=stack
LOG_LEVEL=error

DB_CONNECTION=mysql
DB_HOST=db.internal.test
DB_PORT=3306
DB_DATABASE=portal
DB_USERNAME=portal
DB_PASSWORD=[[alnum:24:database]]

REDIS_HOST=cache.internal.test
REDIS_PASSWORD=[[alnum:24:cache]]
REDIS_PORT=6379

MAIL_MAILER=smtp
MAIL_HOST=mail.internal.test
MAIL_USERNAME=portal
MAIL_PASSWORD=[[alnum:20:mail]]

AWS_ACCESS_KEY_ID=AKIA[[upper:16:aws-id]]
AWS_SECRET_ACCESS_KEY=[[base64:40:aws-secret]]
AWS_DEFAULT_REGION=eu-central-1

JWT_SECRET=[[hex:64:jwt]]
`;

const gitConfig = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
[remote "origin"]
	url = https://deploy:[[alnum:36:git]]@git.internal.test/web/portal.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
	merge = refs/heads/main
`;

const gitLog = `0000000000000000000000000000000000000000 [[hex:40:commit]] deploy <deploy@internal.test> 1767225600 +0000	clone: from https://git.internal.test/web/portal.git
`;

const phpinfo = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>PHP 8.2.18 - phpinfo()</title><meta name="ROBOTS" content="NOINDEX,NOFOLLOW,NOARCHIVE"></head>
<body><h1>PHP Version 8.2.18</h1>
<table>
<tr><th scope="row">System</th><td>Linux web-[[hex:6:node]] 6.1.0-21-amd64 x86_64</td></tr>
<tr><th scope="row">Server API</th><td>FPM/FastCGI</td></tr>
<tr><th scope="row">Loaded Configuration File</th><td>/etc/php/8.2/fpm/php.ini</td></tr>
<tr><th scope="row">$_SERVER['HTTP_HOST']</th><td>[[host]]</td></tr>
<tr><th scope="row">$_SERVER['REQUEST_URI']</th><td>[[path]]</td></tr>
<tr><th scope="row">$_SERVER['REMOTE_ADDR']</th><td>[[address]]</td></tr>
<tr><th scope="row">$_ENV['DB_HOST']</th><td>db.internal.test</td></tr>
<tr><th scope="row">$_ENV['DB_PASSWORD']</th><td>[[alnum:24:database]]</td></tr>
</table></body></html>
`;

const wpLogin = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Log In &lsaquo; [[host]]</title></head>
<body class="login"><h1>[[host]]</h1>
<form name="loginform" id="loginform" action="/wp-login.php" method="post">
<p><label for="user_login">Username or Email Address</label> <input type="text" name="log" id="user_login" autocomplete="username"></p>
<p><label for="user_pass">Password</label> <input type="password" name="pwd" id="user_pass" autocomplete="current-password"></p>
<p><input type="submit" name="wp-submit" id="wp-submit" value="Log In"><input type="hidden" name="testcookie" value="[[hex:16:cookie]]"></p>
</form></body></html>
`;

const wpConfig = `<?php
define( 'DB_NAME', 'portal' );
define( 'DB_USER', 'portal' );
define( 'DB_PASSWORD', '[[alnum:24:database]]' );
define( 'DB_HOST', 'db.internal.test' );
define( 'DB_CHARSET', 'utf8mb4' );
define( 'AUTH_KEY', '[[alnum:64:auth]]' );
define( 'SECURE_AUTH_KEY', '[[alnum:64:secure-auth]]' );
define( 'LOGGED_IN_KEY', '[[alnum:64:logged-in]]' );
define( 'NONCE_KEY', '[[alnum:64:nonce]]' );
$table_prefix = 'wp_';
require_once ABSPATH . 'wp-settings.php';
`;

const actuatorEnv = JSON.stringify({
  activeProfiles: ['production'],
  propertySources: [
    {
      name: 'systemEnvironment',
      properties: {
        SPRING_DATASOURCE_URL: { value: 'jdbc:mysql://db.internal.test:3306/portal' },
        SPRING_DATASOURCE_USERNAME: { value: 'portal' },
        SPRING_DATASOURCE_PASSWORD: { value: '[[alnum:24:database]]' },
        AWS_ACCESS_KEY_ID: { value: 'AKIA[[upper:16:aws-id]]' },
        AWS_SECRET_ACCESS_KEY: { value: '[[base64:40:aws-secret]]' },
      },
    },
  ],
});

const actuatorIndex = JSON.stringify({
  _links: {
    self: { href: 'https://[[host]]/actuator', templated: false },
    health: { href: 'https://[[host]]/actuator/health', templated: false },
    env: { href: 'https://[[host]]/actuator/env', templated: false },
  },
});

const sqlDump = `-- MySQL dump 10.13  Distrib 8.0.39, for Linux (x86_64)
--
-- Host: db.internal.test    Database: portal
-- ------------------------------------------------------

DROP TABLE IF EXISTS \`users\`;
CREATE TABLE \`users\` (
  \`id\` bigint unsigned NOT NULL AUTO_INCREMENT,
  \`email\` varchar(255) NOT NULL,
  \`password\` varchar(255) NOT NULL,
  PRIMARY KEY (\`id\`)
) ENGINE=InnoDB;

INSERT INTO \`users\` VALUES (1,'admin@internal.test','$2y$10$[[alnum:53:admin-hash]]'),(2,'editor@internal.test','$2y$10$[[alnum:53:editor-hash]]');

-- Dump completed
`;

const awsCredentials = `[default]
aws_access_key_id = AKIA[[upper:16:aws-id]]
aws_secret_access_key = [[base64:40:aws-secret]]
region = eu-central-1
`;

// Many RSA keys of 2,048 bits start like this in this format.
const privateKey = `-----BEGIN RSA PRIVATE KEY-----
MIIEpAIBAAKCAQEA[[base64:48:key-0]]
${Array.from({ length: 24 }, (_, line) => `[[base64:64:key-${line + 1}]]\n`).join('')}-----END RSA PRIVATE KEY-----
`;

const welcomePage = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>It works!</title></head>
<body><h1>It works!</h1></body></html>
`;

/** Decoys in the order of matching. The last one matches every path. */
export const decoys: readonly Decoy[] = [
  { name: 'env', match: String.raw`(?i)(?:^|/)\.env[^/]*$`, contentType: textType, text: envFile },
  {
    name: 'git-head',
    match: String.raw`(?i)(?:^|/)\.git/head$`,
    contentType: textType,
    text: 'ref: refs/heads/main\n',
  },
  {
    name: 'git-ref',
    match: String.raw`(?i)(?:^|/)\.git/(?:refs/|orig_head$|fetch_head$)`,
    contentType: textType,
    text: '[[hex:40:commit]]\n',
  },
  { name: 'git-config', match: String.raw`(?i)(?:^|/)\.git/config$`, contentType: textType, text: gitConfig },
  { name: 'git-log', match: String.raw`(?i)(?:^|/)\.git/logs/`, contentType: textType, text: gitLog },
  {
    name: 'phpinfo',
    match: String.raw`(?i)(?:^|/)(?:php)?_?info\.php$|(?:^|/)phpinfo$`,
    contentType: htmlType,
    text: phpinfo,
  },
  { name: 'wp-login', match: String.raw`(?i)(?:^|/)wp-login\.php$`, contentType: htmlType, text: wpLogin },
  { name: 'wp-config', match: String.raw`(?i)(?:^|/)wp-config\.`, contentType: textType, text: wpConfig },
  {
    name: 'actuator-env',
    match: '(?i)(?:^|/)actuator/(?:env|configprops)$',
    contentType: actuatorJson,
    text: actuatorEnv,
  },
  {
    name: 'actuator-health',
    match: '(?i)(?:^|/)actuator/health$',
    contentType: actuatorJson,
    text: '{"status":"UP"}',
  },
  { name: 'actuator', match: '(?i)(?:^|/)actuator(?:/|$)', contentType: actuatorJson, text: actuatorIndex },
  { name: 'sql', match: String.raw`(?i)\.sql$`, contentType: 'application/sql', text: sqlDump },
  { name: 'aws-credentials', match: String.raw`(?i)(?:^|/)\.aws/`, contentType: textType, text: awsCredentials },
  {
    name: 'htpasswd',
    match: String.raw`(?i)(?:^|/)\.htpasswd$`,
    contentType: textType,
    text: 'admin:$apr1$[[alnum:8:salt]]$[[alnum:22:admin]]\n',
  },
  {
    name: 'private-key',
    match: String.raw`(?i)(?:^|/)id_(?:rsa|dsa|ecdsa|ed25519)$|\.(?:pem|key)$`,
    contentType: 'application/x-pem-file',
    text: privateKey,
  },
  { name: 'json', match: '(?i)\\.json$', contentType: 'application/json', text: '{"status":"ok"}\n' },
  { name: 'page', match: '', contentType: htmlType, text: welcomePage },
];
