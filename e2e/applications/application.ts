/** An application that people host themselves, and how a person uses it. */
import type { Page } from 'playwright-core';

/** What an application needs to start. All of it is stopped and removed after the test. */
export interface Host {
  /** A folder that every user may enter. */
  readonly folder: string;
  /** Port of the application, for those that listen on one. */
  readonly port: number;
  /** The origin that the browser opens, such as `http://localhost:8080`. */
  readonly origin: string;
  /** Writes a file in the folder. Every user can read it. Returns its path. */
  readonly write: (name: string, content: string) => string;
  /** Runs a program to its end. @throws when it fails */
  readonly run: (program: string, ...args: readonly string[]) => Promise<void>;
  /** Starts a server that runs until the test ends. `user`: as this user of the system. */
  readonly start: (command: readonly [program: string, ...args: string[]], env?: NodeJS.ProcessEnv) => void;
  /** Starts PHP, unless it runs. Returns the path of its socket. */
  readonly php: () => string;
  /** Starts MariaDB, unless it runs, and runs SQL in it. Its socket is the one that Debian's programs expect. */
  readonly sql: (statements: string) => Promise<void>;
}

export interface Application {
  readonly name: string;
  /** A file of its package. */
  readonly installed: string;
  /** Prepares and starts it. Returns directives of a Caddyfile that serve it. */
  readonly serve: (host: Host) => Promise<string> | string;
  /** The path that responds with a status below 400 once the application is ready. */
  readonly ready: string;
  /** Logs in, creates, uploads, searches, edits settings and logs out, with at least 100 distinct requests. */
  readonly use: (page: Page, folder: string) => Promise<void>;
}

export const user = 'admin';
export const password = 'Correct-Horse-7';

/** Directives that serve a folder of PHP programs. */
export const phpSite = (socket: string, root: string): string =>
  `root * ${root}\nphp_fastcgi unix/${socket} {\n\tresolve_root_symlink\n}\nfile_server`;

export const proxySite = (port: number): string => `reverse_proxy 127.0.0.1:${port}`;
