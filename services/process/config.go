package process

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/caarlos0/env/v11"
)

// Validator is a settings struct with rules beyond each field's own type. Validate returns
// every broken rule at once, joined.
type Validator interface {
	Validate() error
}

// Load reads the settings of type T from the environment, by the `env` and `envDefault`
// tags of its fields, and applies its Validate method if it has one. All that is wrong is
// returned together, so that an operator mends it in one go. Values never appear in the
// error: they may be secrets.
//
// Any variable X can be given as X_FILE instead, the path of a file that holds the value;
// this is how Docker and Kubernetes hand over secrets. Giving both is an error.
func Load[T any]() (T, error) {
	return load[T](os.Environ())
}

func load[T any](environ []string) (T, error) {
	var cfg T
	params, err := env.GetFieldParams(&cfg)
	if err != nil {
		return cfg, fmt.Errorf("read settings: %w", err)
	}
	values, err := readFiles(env.ToMap(environ), params)
	if err != nil {
		return cfg, fmt.Errorf("read settings: %w", err)
	}
	err = env.ParseWithOptions(&cfg, env.Options{Environment: values})
	if err != nil {
		return cfg, fmt.Errorf("read settings: %w", withoutValues(err))
	}
	validator, ok := any(&cfg).(Validator)
	if !ok {
		return cfg, nil
	}
	err = validator.Validate()
	if err != nil {
		return cfg, fmt.Errorf("read settings: %w", err)
	}
	return cfg, nil
}

// readFiles gives each setting X that has no value the content of the file named by X_FILE,
// less a final line break. Other variables that end in _FILE are none of ours.
func readFiles(values map[string]string, params []env.FieldParams) (map[string]string, error) {
	var problems []error
	for _, param := range params {
		name, path := param.Key+"_FILE", values[param.Key+"_FILE"]
		if param.Key == "" || path == "" {
			continue
		}
		if values[param.Key] != "" {
			problems = append(problems, fmt.Errorf("%s and %s are both set; give one", param.Key, name))
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", name, err))
			continue
		}
		values[param.Key] = strings.TrimRight(string(content), "\r\n")
	}
	return values, errors.Join(problems...)
}

// withoutValues keeps which settings are wrong and why, and drops what they contained.
func withoutValues(err error) error {
	var all env.AggregateError
	if !errors.As(err, &all) {
		return err
	}
	kept := make([]error, 0, len(all.Errors))
	for _, each := range all.Errors {
		var parse env.ParseError
		if errors.As(each, &parse) {
			each = fmt.Errorf("%s is not a valid %s", parse.Name, parse.Type)
		}
		kept = append(kept, each)
	}
	return errors.Join(kept...)
}
