package main

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// configEnv is the variable with the configuration, a gzipped tar in base64. If the variable is absent, standard input
// has the tar without base64, because the kernel limits the length of a variable.
const configEnv = "GUARD_CONFIG_B64"

const planFile = "runner.json"

// Plan is runner.json, the configuration of this container.
type Plan struct {
	// Command starts the proxy; absent in a gate.
	Command []string `json:"command,omitempty"`
	// Echo is the address of the built-in backend. Empty: there is none.
	Echo string `json:"echo,omitempty"`
	// Upstreams are backends for protocols other than HTTP.
	Upstreams []Upstream `json:"upstreams,omitempty"`
	// Appends are listeners that append received bytes to files.
	Appends []Append `json:"appends,omitempty"`
	// Follow lists files whose lines are copied to the output.
	Follow    []string   `json:"follow,omitempty"`
	Decisions *Decisions `json:"decisions,omitempty"`
	// Provider is the address of a captcha provider. Empty: there is none.
	Provider string `json:"provider,omitempty"`
	// Ready is an address that returns 200 when the proxy serves: a loopback listener to the backend, or a health document.
	Ready string `json:"ready,omitempty"`
	// Listen has the public addresses of the proxy. The sandbox is ready when each of them accepts a connection.
	Listen []string `json:"listen,omitempty"`
	// Forward makes this container a gate, which only relays connections.
	Forward []Forward `json:"forward,omitempty"`
	// HoldStdin ends the sandbox when standard input ends, because then the program that started the sandbox has ended.
	HoldStdin bool `json:"holdStdin,omitempty"`
}

type Forward struct {
	Listen string `json:"listen"`
	To     string `json:"to"`
}

// load unpacks the configuration into dir and returns its plan.
func load(encoded string, stdin *bufio.Reader, dir string) (*Plan, error) {
	archive := io.Reader(stdin)
	if encoded != "" {
		archive = base64.NewDecoder(base64.StdEncoding, strings.NewReader(encoded))
	}
	if err := unpack(archive, dir); err != nil {
		return nil, fmt.Errorf("unpacking the configuration: %w", err)
	}
	return readPlan(filepath.Join(dir, planFile))
}

// unpack reads exactly one gzip member. Standard input stays open after it and shows that the starting program lives.
func unpack(archive io.Reader, dir string) error {
	compressed, err := gzip.NewReader(archive)
	if err != nil {
		return fmt.Errorf("no gzipped archive in %s or on standard input: %w", configEnv, err)
	}
	compressed.Multistream(false)
	bounded := &io.LimitedReader{R: compressed, N: configBytes}
	files := tar.NewReader(bounded)
	for count := 0; ; count++ {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return boundedError(err, bounded)
		}
		if count == configFiles {
			return fmt.Errorf("more than %d files", configFiles)
		}
		if err := writeFile(dir, header, files); err != nil {
			return boundedError(err, bounded)
		}
	}
	// The padding after the end of a tar belongs to the gzip member. Reading to its end also verifies the checksum.
	if _, err := io.Copy(io.Discard, bounded); err != nil {
		return err
	}
	return boundedError(nil, bounded)
}

func boundedError(err error, bounded *io.LimitedReader) error {
	if bounded.N == 0 {
		return fmt.Errorf("larger than %d bytes", configBytes)
	}
	return err
}

func writeFile(dir string, header *tar.Header, content io.Reader) error {
	if header.Typeflag != tar.TypeReg || !filepath.IsLocal(header.Name) || filepath.Base(header.Name) != header.Name {
		return fmt.Errorf("%q is not a plain file name", header.Name)
	}
	file, err := os.OpenFile(filepath.Join(dir, header.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}

func readPlan(path string) (*Plan, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the configuration has no %s: %w", planFile, err)
	}
	defer file.Close()
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields()
	plan := &Plan{}
	if err := decoder.Decode(plan); err != nil {
		return nil, fmt.Errorf("reading %s: %w", planFile, err)
	}
	if (len(plan.Command) == 0) == (len(plan.Forward) == 0) {
		return nil, fmt.Errorf("%s needs either command or forward", planFile)
	}
	return plan, nil
}
