package main

import (
	"errors"
	"net"
	"sync"
)

// connection sends one request at a time, and none after an error.
type connection interface {
	exchange(q *request) (*reply, error)
	close()
}

var dialers = map[string]func(address string) (connection, error){
	"h2c":      func(address string) (connection, error) { return dialHTTP2(address, false) },
	"h2":       func(address string) (connection, error) { return dialHTTP2(address, true) },
	"h3":       dialHTTP3,
	"h3-early": dialEarly,
}

// pool stores idle connections, so that requests also run on used ones.
type pool struct {
	mutex sync.Mutex
	idle  map[string][]connection
}

func newPool() *pool { return &pool{idle: map[string][]connection{}} }

func (p *pool) acquire(key string) connection {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	list := p.idle[key]
	if len(list) == 0 {
		return nil
	}
	p.idle[key] = list[:len(list)-1]
	return list[len(list)-1]
}

func (p *pool) release(key string, one connection) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.idle[key] = append(p.idle[key], one)
}

func (p *pool) exchange(q *request) *reply {
	key := q.Version + " " + q.Address
	kept := p.acquire(key)
	answer, err := p.once(key, q, kept)
	if err != nil && kept != nil && answer.End == "closed" && !isReset(err) {
		answer, _ = p.once(key, q, nil) // retry, because the server may have closed the idle connection
	}
	return answer
}

func (p *pool) once(key string, q *request, one connection) (*reply, error) {
	if one == nil {
		opened, err := dialers[q.Version](q.Address)
		if err != nil {
			return failed(&reply{}, err), err
		}
		one = opened
	}
	answer, err := one.exchange(q)
	if err != nil {
		one.close()
		return failed(answer, err), err
	}
	p.release(key, one)
	return answer, nil
}

func isTimeout(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}
