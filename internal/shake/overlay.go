package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// unshaken are the packages of which points are made.
var unshaken = []string{pointPackage, "github.com/retrydrill/drill/internal/splitmix"}

// listed is what go list tells of a package.
type listed struct {
	ImportPath, Dir string
	Module          *struct{ Main bool }
	GoFiles         []string
}

// goCommand runs the go command and returns what it prints.
func goCommand(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	var told bytes.Buffer
	cmd.Stderr = &told
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("shake: go %s: %w\n%s", strings.Join(args, " "), err, &told)
	}
	return out, nil
}

// files are those of this module of which the tests of a package are made.
func files(pkg string) (paths []string, err error) {
	out, err := goCommand("list", "-deps", "-test", "-json=ImportPath,Dir,Module,GoFiles", pkg)
	if err != nil {
		return nil, err
	}
	for from := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := from.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("shake: go list: %w", err)
		}
		if p.Module == nil || !p.Module.Main || slices.Contains(unshaken, p.ImportPath) {
			continue
		}
		for _, name := range p.GoFiles {
			// The main function of the tests is made elsewhere.
			if !filepath.IsAbs(name) {
				paths = append(paths, filepath.Join(p.Dir, name))
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// overlay writes the files with their points to a directory and returns the places, and
// the file that tells the go command of them.
func overlay(paths []string, dir string) (sites []site, overlay string, err error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, "", fmt.Errorf("shake: %w", err)
	}
	replace := map[string]string{}
	for i, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			return nil, "", fmt.Errorf("shake: %w", err)
		}
		name, err := filepath.Rel(here, path)
		if err != nil {
			return nil, "", fmt.Errorf("shake: %w", err)
		}
		out, more, err := shaken(name, src, len(sites))
		if err != nil {
			return nil, "", err
		}
		if len(more) == 0 {
			continue
		}
		sites = append(sites, more...)
		replace[path] = filepath.Join(dir, fmt.Sprintf("%d.go", i))
		if err := os.WriteFile(replace[path], out, 0o600); err != nil {
			return nil, "", fmt.Errorf("shake: %w", err)
		}
	}
	overlay = filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, "", fmt.Errorf("shake: %w", err)
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return nil, "", fmt.Errorf("shake: %w", err)
	}
	return sites, overlay, nil
}
