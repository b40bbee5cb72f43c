/** File servers that return `/name` for `/name/`, or that end a target at white space. */
import { join } from 'node:path';
import { packageRoot } from '../../platform/assets.ts';
import type { Command } from './server.ts';

export interface FileServer {
  /** Serves a folder as the root of a site. */
  readonly serve: (folder: string, port: number) => Command;
  /** Spellings of a path for which the server returns the file. */
  readonly spellings: readonly ((path: string) => string)[];
}

const python = (source: string): FileServer['serve'] => {
  return (folder, port) => ({ program: '/usr/bin/python3', args: ['-c', source, folder, `${port}`] });
};

const slashes: FileServer['spellings'] = [(path) => `${path}/`, (path) => `${path}//`, (path) => `${path}/.`];
const encodedSlash = (path: string): string => `${path}%2f`;

export const fileServers: Readonly<Record<string, FileServer>> = {
  flask: {
    serve: python(`
import flask, sys
app = flask.Flask("files", static_folder=sys.argv[1], static_url_path="")
app.run("127.0.0.1", int(sys.argv[2]), threaded=True)`),
    // http.server splits the request line at white space of Latin-1.
    spellings: [...slashes, encodedSlash, (path) => `${path}\xa0`, (path) => `${path}\x85`],
  },
  starlette: {
    serve: python(`
import sys, uvicorn
from starlette.staticfiles import StaticFiles
uvicorn.run(StaticFiles(directory=sys.argv[1]), host="127.0.0.1", port=int(sys.argv[2]), log_level="error")`),
    spellings: [...slashes, encodedSlash],
  },
  bottle: {
    serve: python(`
import bottle, sys
bottle.route("/<name:path>")(lambda name: bottle.static_file(name, root=sys.argv[1]))
bottle.run(host="127.0.0.1", port=int(sys.argv[2]), quiet=True)`),
    spellings: [...slashes, encodedSlash],
  },
  tornado: {
    serve: python(`
import sys, tornado.ioloop, tornado.web
app = tornado.web.Application([(r"/(.*)", tornado.web.StaticFileHandler, {"path": sys.argv[1]})])
app.listen(int(sys.argv[2]), "127.0.0.1")
tornado.ioloop.IOLoop.current().start()`),
    spellings: [...slashes, encodedSlash],
  },
  'http-server': {
    serve: (folder, port) => ({
      program: process.execPath,
      args: [
        join(packageRoot, 'node_modules/http-server/bin/http-server'),
        folder,
        '-a',
        '127.0.0.1',
        '-p',
        `${port}`,
        '-s',
      ],
    }),
    spellings: [...slashes, encodedSlash],
  },
};
