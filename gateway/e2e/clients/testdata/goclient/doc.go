// Package goclient is a client of the public contract as an institution would generate it
// with oapi-codegen; TestGo of package clients puts the generated file beside this one,
// nowhere but in the build, and runs the tests here with it.
package goclient
