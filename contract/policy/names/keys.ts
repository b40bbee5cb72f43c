/** Names of keys, tokens and passwords by a word or extension for them. */
import type { Shape } from './shape.ts';
import { dataExtensions, folders, owners, prefix, proofs, rooms, stages } from './words.ts';

export const keys: readonly Shape[] = [
  {
    id: 'key-word',
    category: 'keys',
    why: 'A file with a word for secrets in its name and an extension of data: keys, tokens, passwords.',
    patterns: [
      `${folders(2)}(?:[^/@]*[._-])?(?:(?:${owners})[._-]?${proofs}|secrets?|credentials|creds|passwds?|pwds?|htpasswd|unseal|privkey)[^/@]*\\.(?:${dataExtensions})$`,
    ],
    matches: [
      '/fcm-key.json',
      '/a/serviceAccountCredentials.json',
      '/x/y/my_api_key.json',
      '/unseal_keys.dat',
      '/user.secrets.xml',
    ],
    nearMisses: [
      '/secret',
      '/forgot-password',
      '/reset_password.json',
      '/v1/Accounts/x/SigningKeys.json',
      '/blog/secrets.html',
      '/keyboard.json',
    ],
  },
  {
    id: 'key-extension',
    category: 'keys',
    why: 'A store of keys or passwords, or the profile of a connection, by its extension.',
    patterns: [
      `/[^/]+\\.(?:1pif|1pux|publishsettings|setparameters\\.xml|bks|creds|enpassdb|keychain-db|keytab|kubeconfig|macaroon|mobaconf|mxtsessions|nmconnection|opvault|pk8|pkcs12|pkcs8|pubxml|pubxml\\.user|pvk|remmina|session-journal|snk|pem\\.enc|agekey|tableplusconnection)$`,
      `${rooms(1)}(?:(?:aws|ec2|ubuntu|centos|debian|bastion|jenkins|instance|lightsail|azure|gcp|vps)(?:[_-][a-z0-9]+)*\\.pem|(?:api|root-?ca|root|putty|ssh|client|admin|user|host|domain|site|cert|wildcard)\\.key|[^/@]+\\.csr|(?:full)?chain[0-9]*\\.pem|(?:push|apns?|voip|mdm|passkit|ios|client|signing|saml|sp|idp)[_-]?certs?\\.pem|(?:server|apiserver|cert|certificate|client|site|host|domain|wildcard|ssl|localhost)(?:[_-][a-z0-9]+)*\\.crt)$`,
    ],
    matches: [
      '/vault.1pux',
      '/a/krb5.keytab',
      '/login.keychain-db',
      '/x/prod.kubeconfig',
      '/site.publishsettings',
      '/server.pem.enc',
      '/ec2.pem',
      '/rootCA.key',
      '/server.csr',
      '/cert.crt',
      '/pushcert.pem',
    ],
    nearMisses: [
      '/keytab',
      '/docs/macaroon.html',
      '/v2/clusters/x/kubeconfig',
      '/creds/list',
      '/x.pubxml.html',
      '/opvault/',
      '/cacert.pem',
    ],
  },
  {
    id: 'key-near',
    category: 'keys',
    why: 'Keys, tokens or passwords by a word that pages use too, at the root or in a folder of an application.',
    patterns: [
      `${rooms(2)}${prefix}(?:(?:${owners})?${proofs}|seed[._-]?phrase|mnemonic|wallet|oauth2?|auth|webhooks?|shadow|totp|otp|(?:recovery|backup)[._-]?codes)(?:[_-][a-z0-9_-]*|\\.(?:${stages}))?\\.(?:${dataExtensions}|txt|py|rb|list)$`,
    ],
    matches: [
      '/ssl_key.txt',
      '/token.json',
      '/credentials/config/keys.xml',
      '/passwords.txt',
      '/app/auth.json',
      '/wallet.dat',
    ],
    nearMisses: [
      '/token',
      '/api/v1/token.json',
      '/articles/passwords.txt',
      '/keys.html',
      '/monkeys.json',
      '/git-doc/git-token.txt',
    ],
  },
  {
    id: 'key-file',
    category: 'keys',
    why: 'A key, password or history of commands in a file without an extension.',
    patterns: [
      `${rooms(1)}[._]?(?:[a-z0-9]+[_-])*(?:secret_key_base|cookie_secret|[a-z]+_secret|[a-z0-9]+[_-]passwd|htpasswd|passphrase|privkey|private[_-]key|deploy[_-]key|(?:github|gitlab|deploy|server|travis|backup)[_-]rsa|rsa[_-]key|ssh[_-]key|vault[_-]pass(?:word)?|root[_-]password|(?:bash|zsh|sh|ash|ksh|fish|python|node_repl|irb|pry|sqlite|php|mysql|psql|mongosh_repl|dbshell|rediscli|cqlsh)[_-]history|secret_?key|passlist|(?:pro|pure)?ftpd?passwd|(?:admin|root|user|web|db|mail|master|site|auth|server)passwd|passwd\\.(?:adjunct|nis|master)|htgroups?|htusers?|ftpusers|ftpaccess)$`,
    ],
    matches: [
      '/jupyterhub_cookie_secret',
      '/bash_history',
      '/conf/github_rsa',
      '/deploy_key',
      '/keys/github_rsa',
      '/mysql_root_password',
      '/secret_key',
      '/ftpusers',
      '/adminpasswd',
      '/htgroup',
    ],
    nearMisses: [
      '/wiki/Private_key',
      '/client-secret',
      '/order_history',
      '/forgot_password',
      '/arc',
      '/v1/apps/x/client_secret',
      '/reset-password',
    ],
  },
];
