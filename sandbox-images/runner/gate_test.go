package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"testing"
)

// Ports outside of the ranges of other tests and of the kernel. A port in these ranges could be taken before the server
// listens.
const lowestPort, ports = 10_000, 6000

// nextPort gives each address a different port.
var nextPort = rand.IntN(ports)

// freeAddress returns an address for a server that cannot choose one.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range ports {
		nextPort = (nextPort + 1) % ports
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", lowestPort+nextPort))
		if err == nil {
			defer listener.Close()
			return listener.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

// throughGate returns a client's connection to a gate. serve is the server behind the gate.
func throughGate(t *testing.T, serve func(*net.TCPConn)) *net.TCPConn {
	t.Helper()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		if conn, err := server.Accept(); err == nil {
			serve(conn.(*net.TCPConn))
		}
	}()
	address := freeAddress(t)
	if err := openGate([]Forward{{Listen: address, To: server.Addr().String()}}); err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn.(*net.TCPConn)
}

func TestGateKeepsHalfClosedConnections(t *testing.T) {
	conn := throughGate(t, func(server *net.TCPConn) {
		request, _ := io.ReadAll(server) // ends only when the client closes its side
		_, _ = server.Write(append(request, "!"...))
		server.Close()
	})
	_, _ = io.WriteString(conn, "hello")
	_ = conn.CloseWrite()
	if answer, err := io.ReadAll(conn); string(answer) != "hello!" || err != nil {
		t.Fatalf("got %q, %v", answer, err)
	}
}

func TestGateForwardsACloseWithoutBytes(t *testing.T) {
	conn := throughGate(t, func(server *net.TCPConn) {
		_, _ = server.Read(make([]byte, 5))
		server.Close()
	})
	_, _ = io.WriteString(conn, "hello")
	if answer, err := io.ReadAll(conn); len(answer) > 0 || err != nil {
		t.Fatalf("got %q, %v", answer, err)
	}
}

func TestGateReportsThatItCannotListen(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if err := openGate([]Forward{{Listen: listener.Addr().String(), To: "127.0.0.1:1"}}); err == nil {
		t.Fatal("no error for an address in use")
	}
}
