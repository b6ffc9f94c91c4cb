package harness

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSameMindsEveryField: two lines are not the same if one field of theirs differs,
// whichever it is; nor is one the same as itself that refers to what may change.
func TestSameMindsEveryField(t *testing.T) {
	plain, err := ParseFault("create#1@w2 request status 503 retry-after 1s?")
	require.NoError(t, err)
	spelled := plain
	spelled.SpellLike("")
	require.True(t, spelled.Same(&plain))
	require.True(t, spelled.Same(&spelled))
	differ := func(name string, at func(*Fault) reflect.Value) {
		other := plain
		v := at(&other)
		switch v.Kind() {
		case reflect.String:
			v.SetString(v.String() + "x")
		case reflect.Int, reflect.Int64:
			v.SetInt(v.Int() + 1)
		case reflect.Bool:
			v.SetBool(!v.Bool())
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
		case reflect.Interface:
			v.Set(reflect.ValueOf("x"))
		default:
			t.Fatalf("%s is of a kind that Same may not mind: %s", name, v.Kind())
		}
		require.False(t, spelled.Same(&other), name)
		require.False(t, other.Same(&plain), name)
		if k := v.Kind(); k == reflect.Slice || k == reflect.Pointer || k == reflect.Interface {
			require.False(t, other.Same(&other), name)
		}
	}
	var each func(typ reflect.Type, name string, at func(*Fault) reflect.Value)
	each = func(typ reflect.Type, name string, at func(*Fault) reflect.Value) {
		if typ.Kind() != reflect.Struct {
			differ(name, at)
			return
		}
		for i := range typ.NumField() {
			if f := typ.Field(i); f.IsExported() {
				each(f.Type, name+"."+f.Name, func(x *Fault) reflect.Value { return at(x).Field(i) })
			}
		}
	}
	each(reflect.TypeFor[Fault](), "Fault", func(x *Fault) reflect.Value { return reflect.ValueOf(x).Elem() })
	other := plain
	other.spelling = "another text"
	require.False(t, spelled.Same(&other), "spelled otherwise")
}
