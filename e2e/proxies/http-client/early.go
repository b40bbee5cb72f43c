package main

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"slices"
	"sync"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/quicvarint"
)

// dialEarly resumes a session. The first request on the returned connection is sent as early data. Its response arrives
// before the server has validated the address of the client.
func dialEarly(address string) (connection, error) {
	ctx, cancel := context.WithTimeout(context.Background(), exchangeTimeout)
	defer cancel()
	cache := &tickets{ClientSessionCache: tls.NewLRUClientSessionCache(1), arrived: make(chan bool, 1)}
	config := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h3"}, ClientSessionCache: cache}
	first, err := quic.DialAddr(ctx, address, config, &quic.Config{})
	if err != nil {
		return nil, err
	}
	defer first.CloseWithError(noError, "")
	select {
	case allowsEarly := <-cache.arrived:
		if !allowsEarly {
			return nil, errors.New("the server refuses early data")
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	udp, err := net.ListenUDP("udp", nil)
	if err != nil {
		return nil, err
	}
	server, err := net.ResolveUDPAddr("udp", address)
	if err != nil {
		return nil, err
	}
	socket := &earlySocket{PacketConn: udp, sent: make(chan struct{})}
	transport := &quic.Transport{Conn: socket}
	conn, err := transport.DialEarly(ctx, server, config, &quic.Config{})
	if err != nil {
		socket.open()
		return nil, err
	}
	return &earlyConnection{http3Connection{conn}, socket, transport}, nil
}

// tickets stores session tickets, and reports whether the first one allows early data.
type tickets struct {
	tls.ClientSessionCache
	arrived chan bool
}

func (c *tickets) Put(key string, session *tls.ClientSessionState) {
	c.ClientSessionCache.Put(key, session)
	if session == nil {
		return
	}
	_, state, err := session.ResumptionState()
	select {
	case c.arrived <- err == nil && state.EarlyData:
	default:
	}
}

// earlyConnection holds packets back until the first exchange ends: with a response, or because the server refuses early data.
type earlyConnection struct {
	http3Connection
	socket    *earlySocket
	transport *quic.Transport
}

func (c *earlyConnection) exchange(q *request) (*reply, error) {
	c.socket.request()
	answer, err := c.http3Connection.exchange(q)
	c.socket.open()
	if err == nil {
		<-c.conn.HandshakeComplete()
	}
	return answer, err
}

func (c *earlyConnection) close() {
	c.socket.open()
	c.http3Connection.close()
	_ = c.transport.Close()
	_ = c.socket.PacketConn.Close()
}

// earlySocket sends only packets that need no reply, until open is called. It reads nothing before the request is sent.
type earlySocket struct {
	net.PacketConn
	mutex       sync.Mutex
	isOpen      bool
	isRequested bool
	withheld    []datagram
	sent        chan struct{} // closes when the first packet with the request is about to be sent, or when open no longer waits for it
	once        sync.Once
}

type datagram struct {
	bytes []byte
	to    net.Addr
}

// request marks that the next packets can contain the request.
func (s *earlySocket) request() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.isRequested = true
}

// open sends the packets that were held back.
func (s *earlySocket) open() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.isOpen = true
	s.once.Do(func() { close(s.sent) })
	for _, one := range s.withheld {
		_, _ = s.PacketConn.WriteTo(one.bytes, one.to)
	}
	s.withheld = nil
}

func (s *earlySocket) WriteTo(bytes []byte, to net.Addr) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	types := packetTypes(bytes)
	if !s.isOpen && (slices.Contains(types, handshakePacket) || slices.Contains(types, shortPacket)) {
		s.withheld = append(s.withheld, datagram{slices.Clone(bytes), to})
		return len(bytes), nil
	}
	if s.isRequested && slices.Contains(types, earlyPacket) {
		s.once.Do(func() { close(s.sent) })
	}
	return s.PacketConn.WriteTo(bytes, to)
}

func (s *earlySocket) ReadFrom(bytes []byte) (int, net.Addr, error) {
	<-s.sent
	return s.PacketConn.ReadFrom(bytes)
}

// Types of QUIC packets. All but the last are the numbers in a long header (RFC 9000 17.2).
const (
	initialPacket = iota
	earlyPacket
	handshakePacket
	retryPacket
	shortPacket
)

const (
	longHeader     = 0x80
	connectionIDAt = 5 // after the first byte and the version
)

func packetTypes(bytes []byte) (types []byte) {
	for len(bytes) > 0 {
		if bytes[0]&longHeader == 0 {
			return append(types, shortPacket)
		}
		kind := bytes[0] >> 4 & 3
		types = append(types, kind)
		rest := bytes[connectionIDAt:]
		for range 2 {
			rest = rest[1+int(rest[0]):]
		}
		if kind == initialPacket {
			token, size, _ := quicvarint.Parse(rest)
			rest = rest[size+int(token):]
		}
		length, size, _ := quicvarint.Parse(rest)
		bytes = rest[size+int(length):]
	}
	return types
}
