/** Go files that a build adds to the main package of a proxy. */
import { pluginModule } from '../generate/traefik.ts';

const guardPackage = (name: string): string => `${pluginModule}/${name}`;

/**
 * Registers the compiled guard in stdlib.Symbols, which Traefik's interpreter searches before sources. A key is an
 * import path, a slash and the name of the package.
 */
export const traefikRegistration = (): string => `package main

import (
	"reflect"

	requestguard "${guardPackage('traefik')}"
	"github.com/traefik/yaegi/stdlib"
)

func init() {
	stdlib.Symbols["${guardPackage('traefik')}/traefik"] = map[string]reflect.Value{
		"CreateConfig": reflect.ValueOf(requestguard.CreateConfig),
		"New":          reflect.ValueOf(requestguard.NewCompiled),
	}
}
`;

export const caddyRegistration = (modules: readonly string[]): string => `package main

import (
${[guardPackage('caddy'), ...modules].map((path) => `\t_ "${path}"`).join('\n')}
)
`;

/** Traefik's module lacks the files of the web interface. This Go file embeds them. */
export const webInterfaceSource = (module: string): string => `package main

import (
	"embed"
	"io/fs"

	"${module}/webui"
)

//go:embed static
var webInterface embed.FS

func init() {
	files, err := fs.Sub(webInterface, "static")
	if err != nil {
		panic(err)
	}
	webui.FS = files
}
`;
