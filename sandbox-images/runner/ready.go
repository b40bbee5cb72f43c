package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// waitReady waits until every public address accepts a connection and plan.Ready returns 200. It needs the 200, because
// Traefik accepts connections before its routers are loaded.
func waitReady(ctx context.Context, plan *Plan) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	tick := time.NewTicker(readyInterval)
	defer tick.Stop()
	for {
		err := probe(ctx, plan)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-tick.C:
		}
	}
}

func probe(ctx context.Context, plan *Plan) error {
	if err := getOK(ctx, plan.Ready); err != nil {
		return err
	}
	for _, address := range plan.Listen {
		conn, err := dial(ctx, address)
		if err != nil {
			return err
		}
		conn.Close()
	}
	return nil
}

// getOK writes one request directly, because an http.Client would add pools and redirects.
func getOK(ctx context.Context, place string) error {
	address, path, _ := strings.Cut(place, "/")
	conn, err := dial(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(dialTimeout))
	if _, err := fmt.Fprintf(conn, "GET /%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", path, address); err != nil {
		return err
	}
	status, err := bufio.NewReader(io.LimitReader(conn, headBytes)).ReadString('\n')
	if err != nil {
		return err
	}
	if !strings.HasPrefix(status, fmt.Sprintf("HTTP/1.1 %d ", http.StatusOK)) {
		return fmt.Errorf("%s answered %q", address, strings.TrimSpace(status))
	}
	return nil
}

func dial(ctx context.Context, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: dialTimeout}
	return dialer.DialContext(ctx, "tcp", address)
}
