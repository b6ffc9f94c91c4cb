package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
)

// MaxBody bounds a request's body, in bytes.
const MaxBody = 64 << 10

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	// What fails here is the connection, and then nobody reads.
	_ = e.Encode(v)
}

// refuse answers with one sentence.
func refuse(w http.ResponseWriter, status int, sentence string) {
	answer(w, status, map[string]string{"error": sentence})
}

// decode reads the body into v, strictly. ok tells that there was one; a refusal was
// answered where err is set.
func decode(w http.ResponseWriter, r *http.Request, v any) (ok bool, err error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if tooBig := (*http.MaxBytesError)(nil); errors.As(err, &tooBig) {
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is longer than %d bytes", tooBig.Limit))
		return false, err
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, "the body did not arrive whole")
		return false, err
	}
	if len(strings.TrimSpace(string(body))) == 0 {
		return false, nil
	}
	if err = strictly(body, v); err != nil {
		refuse(w, http.StatusBadRequest, "the body: "+err.Error())
	}
	return err == nil, err
}

// strictly reads one JSON value and nothing that v has no place for.
func strictly(body []byte, v any) error {
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil && d.More() {
		err = errors.New("something follows the JSON value")
	}
	var bad *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &bad):
		return fmt.Errorf("%s: expected %s, got a JSON %s", strings.TrimPrefix(bad.Field, "."), kind(bad.Type), bad.Value)
	case strings.HasPrefix(err.Error(), "json: unknown field "):
		return fmt.Errorf("%s: expected %s", strings.TrimPrefix(err.Error(), "json: "), strings.Join(fields(reflect.TypeOf(v).Elem()), ", "))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("no JSON: it ends too early")
	}
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return fmt.Errorf("no JSON: at byte %d, %w", syntax.Offset, err)
	}
	return err
}

// kind names a Go type as a caller knows it.
func kind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice:
		return "a list"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	}
	return "a whole number from 0"
}

// fields lists the names that a JSON object of the type can have, those of objects in
// it as well.
func fields(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		out = append(out, name)
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			for _, n := range fields(inner) {
				out = append(out, name+"."+n)
			}
		}
	}
	return out
}

// after reads ?after=N.
func after(w http.ResponseWriter, r *http.Request) (n int, ok bool) {
	s := r.URL.Query().Get("after")
	if s == "" {
		return 0, true
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("after is %q: expected a whole number from 0", s))
		return 0, false
	}
	return n, true
}
