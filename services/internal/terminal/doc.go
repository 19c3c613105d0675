// Package terminal is how the commands of the programs meet who runs them: a person at a
// terminal, who gets tables, colour and a bar on what takes long, or a program at a pipe,
// which gets JSON. Whatever it says is Spanish, cobra's and pflag's own texts included.
//
// It knows no command. A program makes a tree of cobra commands and gives it to [Run]; an
// error tells by its kind with which status the program ends (see [Usage] and [Away]).
// Answers go to standard output alone, everything else to standard error.
package terminal
