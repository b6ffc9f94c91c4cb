package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// apart is the annotation of flags that do not go together: the names of the others.
const apart = "drill_apart"

// notTogether declares that one of these flags is given at most.
func notTogether(c *cobra.Command, names ...string) {
	for _, name := range names {
		f := c.Flags().Lookup(name)
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[apart] = append(f.Annotations[apart], names...)
	}
}

// checkFlags refuses what no command could make sense of: flags that do not go
// together, and one that is there without a value, as from a variable that is not set.
func checkFlags(c *cobra.Command, _ []string) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		err = cmp.Or(err, checkEmpty(f))
		c.Flags().Visit(func(g *pflag.Flag) {
			if err == nil && f.Name < g.Name && slices.Contains(f.Annotations[apart], g.Name) {
				err = fmt.Errorf("--%s and --%s do not go together: expected one of them at most", f.Name, g.Name)
			}
		})
	})
	return err
}

// mayBeEmpty are the flags of which an empty value means something.
var mayBeEmpty = []string{"token"}

// checkEmpty refuses a text without a letter.
func checkEmpty(f *pflag.Flag) error {
	texts := []string{f.Value.String()}
	switch all, is := f.Value.(pflag.SliceValue); {
	case is:
		texts = all.GetSlice()
	case f.Value.Type() != "string":
		return nil
	}
	if slices.Contains(texts, "") && !slices.Contains(mayBeEmpty, f.Name) {
		return fmt.Errorf("--%s is empty: expected %s", f.Name, cmp.Or(texted[f.Name], "a value"))
	}
	return nil
}

// texted says what stands in flags that are text, where a word more helps.
var texted = map[string]string{
	"config":       "a file, like drill.yaml",
	"exec":         aCommand,
	"executor":     "a built-in one; drill list executors names them",
	"fault":        "a line, like 'create#1 response reset'",
	"host":         "an address, like 127.0.0.1",
	"keep-history": "a folder",
	"output":       "a file",
	"policy":       "a file",
	"serve":        aCommand,
	"shard":        "I/N with I from 1 to N, like 1/4",
	"target":       "a built-in one, or a file; drill list profiles names them",
	"world":        "wire or sim",
}

const aCommand = `a command, like "python3 worker.py"`

// valued says what stands in flags that are no text, by their type.
var valued = map[string]string{
	"uint64":   "a whole number from 0",
	"int":      "a whole number",
	"duration": "a time, like 90s or 5m",
	"bool":     "true or false",
}

// flagError tells of a value that can not be read in the words of all other refusals.
func flagError(_ *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		if f := bad.GetFlag(); valued[f.Value.Type()] != "" {
			return fmt.Errorf("--%s is %q: expected %s", f.Name, bad.GetValue(), valued[f.Value.Type()])
		}
	}
	return err
}
