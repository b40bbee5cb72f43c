"""A server of Twisted. Usage: twisted_server.py ftp|pop3|imap|smtp PORT FOLDER USER PASSWORD"""
import sys

from twisted.cred import checkers, credentials, error, portal
from twisted.internet import defer, protocol, reactor
from twisted.mail import imap4, pop3, smtp
from twisted.protocols import ftp
from twisted.python.filepath import FilePath
from zope.interface import implementer

kind, port, folder, user, password = sys.argv[1:]


@implementer(checkers.ICredentialsChecker)
class Checker:
    """Some protocols of Twisted give names and passwords as text, others as bytes."""

    credentialInterfaces = (credentials.IUsernamePassword, credentials.IUsernameHashedPassword)

    def requestAvatarId(self, given):
        isText = isinstance(given.username, str)
        name, secret = (user, password) if isText else (user.encode(), password.encode())
        if given.username == name and given.checkPassword(secret):
            return defer.succeed(name)
        return defer.fail(error.UnauthorizedLogin())



@implementer(smtp.IMessage)
class Message:
    def lineReceived(self, line):
        pass

    def eomReceived(self):
        return defer.succeed(None)

    def connectionLost(self):
        pass


@implementer(smtp.IMessageDelivery)
class Delivery:
    def receivedHeader(self, helo, origin, recipients):
        return b"Received: by a test"

    def validateFrom(self, helo, origin):
        return origin

    def validateTo(self, recipient):
        return Message


avatars = {
    "ftp": lambda: ftp.FTPShell(FilePath(folder)),
    "pop3": pop3.Mailbox,
    "imap": lambda: imap4.MemoryAccount(user),
    "smtp": Delivery,
}


@implementer(portal.IRealm)
class Realm:
    def requestAvatar(self, name, mind, *interfaces):
        return interfaces[0], avatars[kind](), lambda: None


logins = portal.Portal(Realm(), [Checker()])
mechanisms = {b"LOGIN": imap4.LOGINCredentials, b"PLAIN": imap4.PLAINCredentials}


def open_imap():
    server = imap4.IMAP4Server()
    server.challengers = mechanisms
    return server


class Pop3(pop3.POP3):
    def generateMagic(self):
        return b"ready"  # no APOP, which Twisted 22 always refuses: it compares text to bytes


protocols = {"pop3": Pop3, "imap": open_imap, "smtp": lambda: smtp.ESMTP(mechanisms)}


class Servers(protocol.ServerFactory):
    domain = "localhost"  # of SMTP
    timeout = None

    def buildProtocol(self, address):
        server = protocols[kind]()
        server.portal = logins
        server.factory = self
        return server


def open_ftp():
    servers = ftp.FTPFactory(logins)
    servers.allowAnonymous = False
    return servers


reactor.listenTCP(int(port), open_ftp() if kind == "ftp" else Servers(), interface="127.0.0.1")
reactor.run()
