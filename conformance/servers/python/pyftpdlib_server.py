"""FTP of pyftpdlib. Usage: pyftpdlib_server.py PORT FOLDER USER PASSWORD"""
import sys

from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import FTPHandler
from pyftpdlib.servers import FTPServer

port, folder, user, password = sys.argv[1:]
authorizer = DummyAuthorizer()
authorizer.add_user(user, password, folder)


class Handler(FTPHandler):
    pass


Handler.authorizer = authorizer
Handler.auth_failed_timeout = 0  # slowing down who guesses is the work of tcp-guard here
FTPServer(("127.0.0.1", int(port)), Handler).serve_forever()
