package check

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a room hands out again is as empty as when it was made, field by field: one that
// its maker forgets would tell the next history of the one before.
func TestWhatIsHandedOutAgainIsEmpty(t *testing.T) {
	var r room
	for name, next := range map[string]func() any{
		"action":   func() any { r.actions.Reset(); return r.action("") },
		"root":     func() any { r.roots.Reset(); return r.root("") },
		"life":     func() any { r.lives.Reset(); return r.life() },
		"delivery": func() any { r.deliveries.Reset(); return r.delivery(nil) },
	} {
		first := next()
		require.Empty(t, left(reflect.ValueOf(first).Elem(), name))
		fill(reflect.ValueOf(first).Elem())
		require.NotEmpty(t, left(reflect.ValueOf(first).Elem(), name))
		require.Same(t, first, next())
		require.Empty(t, left(reflect.ValueOf(first).Elem(), name))
	}
}

// fill gives every field a value.
func fill(v reflect.Value) {
	v = reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	default:
		v.Set(reflect.ValueOf(1).Convert(v.Type()))
	}
}

// left lists the fields that hold something. A slice of length 0 keeps its memory only.
func left(v reflect.Value, name string) (fields []string) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fields = append(fields, left(v.Field(i), name+"."+v.Type().Field(i).Name)...)
		}
	case reflect.Slice:
		if v.Len() > 0 {
			fields = append(fields, name)
		}
	default:
		if !v.IsZero() {
			fields = append(fields, name)
		}
	}
	return fields
}
