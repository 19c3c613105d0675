package process

import "os"

// Command is the program's first argument, and "serve" when there is none.
func Command() string {
	if len(os.Args) > 1 {
		return os.Args[1]
	}
	return "serve"
}
