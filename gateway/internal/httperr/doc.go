// Package httperr turns every refusal into the one answer that the contract gives it:
// problem+json for institutions, the manual's form for the national platform.
//
// Status and title of each reason are package errores', beside the protos. Text reaches a client only if a service of ours put it there for that purpose, which
// its ErrorInfo tells; library text never does. The package decides nothing about a request, it only words answers.
package httperr
