// Package golden holds the HTTP contract as files: testdata/<route>/<case>.yaml says what is
// asked and what is answered, through the real gateway, services and PostgreSQL.
//
// To add a case, write its first document, run in the gateway
//
//	go test ./e2e/golden -run 'TestGolden$' -update
//
// which fills in the answer, and read that. Tests see to it that every route, every codigo
// and every rule of a record has a case.
//
// Beside the cases, each operation of the document that the gateway serves is asked with its
// examples, refused and made to fail in every way that is documented. At the end nothing may
// be documented that never occurred; what occurs without being documented fails at once, as
// in every suite (package documento).
package golden
