package respond

const (
	typeText = "text/plain; charset=utf-8"
	typeHTML = "text/html; charset=utf-8"
	typeJSON = "application/json"
)

// decoy is what a scanner finds at the paths that match.
//
// In its text [[host]], [[address]] and [[path]] are the request's own, escaped for the content type, and
// [[<alphabet>:<length>:<label>]] is a derived value; equal labels are equal values in every decoy.
type decoy struct {
	name, match, contentType, text string
}

// decoys in the order in which they are tried; the last one matches everything.
// Names and addresses in them lead nowhere (RFC 2606, RFC 6761).
var decoys = []decoy{
	{"env", `(?i)(?:^|/)\.env[^/]*$`, typeText, envText},
	{"git-head", `(?i)(?:^|/)\.git/head$`, typeText, "ref: refs/heads/main\n"},
	{"git-ref", `(?i)(?:^|/)\.git/(?:refs/|orig_head$|fetch_head$)`, typeText, "[[hex:40:commit]]\n"},
	{"git-config", `(?i)(?:^|/)\.git/config$`, typeText, gitConfigText},
	{"git-log", `(?i)(?:^|/)\.git/logs/`, typeText, gitLogText},
	{"phpinfo", `(?i)(?:^|/)(?:php)?_?info\.php$|(?:^|/)phpinfo$`, typeHTML, phpinfoText},
	{"wp-login", `(?i)(?:^|/)wp-login\.php$`, typeHTML, wpLoginText},
	{"wp-config", `(?i)(?:^|/)wp-config\.`, typeText, wpConfigText},
	{"actuator-env", `(?i)(?:^|/)actuator/(?:env|configprops)$`, "application/vnd.spring-boot.actuator.v3+json", actuatorEnvText},
	{"actuator-health", `(?i)(?:^|/)actuator/health$`, "application/vnd.spring-boot.actuator.v3+json", `{"status":"UP"}`},
	{"actuator", `(?i)(?:^|/)actuator(?:/|$)`, "application/vnd.spring-boot.actuator.v3+json", actuatorText},
	{"sql", `(?i)\.sql$`, "application/sql", sqlText},
	{"aws-credentials", `(?i)(?:^|/)\.aws/`, typeText, awsText},
	{"htpasswd", `(?i)(?:^|/)\.htpasswd$`, typeText, "admin:$apr1$[[alnum:8:salt]]$[[alnum:22:admin]]\n"},
	{"private-key", `(?i)(?:^|/)id_(?:rsa|dsa|ecdsa|ed25519)$|\.(?:pem|key)$`, "application/x-pem-file", keyText},
	{"json", `(?i)\.json$`, typeJSON, `{"status":"ok"}` + "\n"},
	{"page", ``, typeHTML, pageText},
}

const envText = `APP_NAME=Portal
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
`

const gitConfigText = `[core]
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
`

const gitLogText = "0000000000000000000000000000000000000000 [[hex:40:commit]] deploy <deploy@internal.test> 1767225600 +0000\tclone: from https://git.internal.test/web/portal.git\n"

const wpConfigText = `<?php
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
`

const actuatorText = `{"_links":{"self":{"href":"https://[[host]]/actuator","templated":false},"health":{"href":"https://[[host]]/actuator/health","templated":false},` +
	`"env":{"href":"https://[[host]]/actuator/env","templated":false}}}`

const actuatorEnvText = `{"activeProfiles":["production"],"propertySources":[{"name":"systemEnvironment","properties":{` +
	`"SPRING_DATASOURCE_URL":{"value":"jdbc:mysql://db.internal.test:3306/portal"},"SPRING_DATASOURCE_USERNAME":{"value":"portal"},` +
	`"SPRING_DATASOURCE_PASSWORD":{"value":"[[alnum:24:database]]"},"AWS_ACCESS_KEY_ID":{"value":"AKIA[[upper:16:aws-id]]"},` +
	`"AWS_SECRET_ACCESS_KEY":{"value":"[[base64:40:aws-secret]]"}}}]}`

const sqlText = "-- MySQL dump 10.13  Distrib 8.0.39, for Linux (x86_64)\n--\n-- Host: db.internal.test    Database: portal\n" +
	"-- ------------------------------------------------------\n\nDROP TABLE IF EXISTS `users`;\nCREATE TABLE `users` (\n" +
	"  `id` bigint unsigned NOT NULL AUTO_INCREMENT,\n  `email` varchar(255) NOT NULL,\n  `password` varchar(255) NOT NULL,\n  PRIMARY KEY (`id`)\n) ENGINE=InnoDB;\n\n" +
	"INSERT INTO `users` VALUES (1,'admin@internal.test','$2y$10$[[alnum:53:admin-hash]]'),(2,'editor@internal.test','$2y$10$[[alnum:53:editor-hash]]');\n\n" +
	"-- Dump completed\n"

const awsText = `[default]
aws_access_key_id = AKIA[[upper:16:aws-id]]
aws_secret_access_key = [[base64:40:aws-secret]]
region = eu-central-1
`

const keyText = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA[[base64:48:key-0]]\n" +
	"[[base64:64:key-1]]\n[[base64:64:key-2]]\n[[base64:64:key-3]]\n[[base64:64:key-4]]\n[[base64:64:key-5]]\n[[base64:64:key-6]]\n" +
	"[[base64:64:key-7]]\n[[base64:64:key-8]]\n[[base64:64:key-9]]\n[[base64:64:key-10]]\n[[base64:64:key-11]]\n[[base64:64:key-12]]\n" +
	"[[base64:64:key-13]]\n[[base64:64:key-14]]\n[[base64:64:key-15]]\n[[base64:64:key-16]]\n[[base64:64:key-17]]\n[[base64:64:key-18]]\n" +
	"[[base64:64:key-19]]\n[[base64:64:key-20]]\n[[base64:64:key-21]]\n[[base64:64:key-22]]\n[[base64:64:key-23]]\n[[base64:64:key-24]]\n" +
	"-----END RSA PRIVATE KEY-----\n"

const phpinfoText = `<!DOCTYPE html>
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
`

const wpLoginText = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Log In &lsaquo; [[host]]</title></head>
<body class="login"><h1>[[host]]</h1>
<form name="loginform" id="loginform" action="/wp-login.php" method="post">
<p><label for="user_login">Username or Email Address</label> <input type="text" name="log" id="user_login" autocomplete="username"></p>
<p><label for="user_pass">Password</label> <input type="password" name="pwd" id="user_pass" autocomplete="current-password"></p>
<p><input type="submit" name="wp-submit" id="wp-submit" value="Log In"><input type="hidden" name="testcookie" value="[[hex:16:cookie]]"></p>
</form></body></html>
`

const pageText = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>It works!</title></head>
<body><h1>It works!</h1></body></html>
`
