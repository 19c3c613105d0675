// Package jsonwire reads and writes the JSON of the public contract as protobuf messages:
// strictly, in one pass, and fast enough that a batch costs less than its database write.
//
// The names on the wire are the proto field names (snake_case, case-sensitive). Reading
// refuses whatever the contract refuses in its section 2 and tells the place: RFC 6901
// pointer and byte offset. Only inside a record of a batch it goes on and notes what it could not
// read, for the service to judge. Writing gives every field, always; what is absent is null.
//
// protojson does neither: it takes "5" for 5 and camelCase names, and drops absent fields.
//
// The package knows no HTTP and no rule of the domain. A NUL or control character that
// arrives escaped inside a text is passed on: the domain answers it with 422.
package jsonwire
