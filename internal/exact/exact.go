// Package exact decodes JSON as the other programs that read our files do: a key is
// the one that was written, letter for letter.
//
// encoding/json takes "PID" and "Pid" for "pid", and the last of them wins. A file
// with such a key would be one record to us and another one to everybody else.
package exact

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Unmarshal is json.Unmarshal, for structs, without keys that only fold to a known
// one: these are unknown, and so ignored.
func Unmarshal(data []byte, v any) error {
	data, _ = strip(data, reflect.TypeOf(v))
	return json.Unmarshal(data, v)
}

// strip drops what is not exact from an object, and tells whether there was any.
// What is no object is left for json to refuse.
func strip(data []byte, t reflect.Type) (stripped []byte, changed bool) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return data, false
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return data, false
	}
	known := keys(t)
	for key, value := range fields {
		if inner, ok := known[key]; ok {
			if text, inexact := strip(value, inner); inexact {
				fields[key], changed = text, true
			}
		} else if folds(known, key) {
			delete(fields, key)
			changed = true
		}
	}
	if !changed {
		return data, false
	}
	stripped, err := json.Marshal(fields)
	return stripped, err == nil
}

// keys are the JSON names of a struct's fields.
func keys(t reflect.Type) map[string]reflect.Type {
	known := make(map[string]reflect.Type, t.NumField())
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			name = f.Name
		}
		known[name] = f.Type
	}
	return known
}

func folds(known map[string]reflect.Type, key string) bool {
	for name := range known {
		if strings.EqualFold(name, key) {
			return true
		}
	}
	return false
}
