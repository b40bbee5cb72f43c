// Package ext replaces Traefik's closed extension package: its go.mod replaces the module path by a folder that the
// published source does not contain. The types are empty because the open edition extends nothing.
package ext

// HTTP is embedded in the dynamic HTTP configuration.
type HTTP struct{}

// Router is embedded in a router.
type Router struct{}

// RouterIng is embedded in the router of an Ingress annotation.
type RouterIng struct{}

// ToRouter returns the router that the annotation describes.
func (RouterIng) ToRouter() Router { return Router{} }
