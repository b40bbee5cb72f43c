/** The applications of the browser sessions. */
import type { Application } from './application.ts';
import { shaarli } from './bookmarks.ts';
import { phpMyAdmin } from './databases.ts';
import { tinyTinyRss } from './feeds.ts';
import { jupyter } from './notebooks.ts';
import { prometheus, syncthing } from './services.ts';
import { dokuWiki, mediaWiki, wordpress } from './sites.ts';
import { postfixadmin, redmine, roundcube } from './tools.ts';

export const applications: readonly Application[] = [
  ...[phpMyAdmin, wordpress, mediaWiki, dokuWiki, redmine, roundcube, postfixadmin],
  ...[shaarli, tinyTinyRss, prometheus, syncthing, jupyter],
];
