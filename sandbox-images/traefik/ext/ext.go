// Package ext replaces Traefik's closed extension package, whose folder is missing in the published source. The types are empty,
// because the open edition has no extensions.
package ext

type HTTP struct{}

type Router struct{}

type RouterIng struct{}

func (RouterIng) ToRouter() Router { return Router{} }
