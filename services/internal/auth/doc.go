// Package auth is who calls, and what they may do: the credentials' formats, the
// [Principal] that they stand for, and one layer that refuses every call which the access
// table does not allow. It keeps no keys and no users; those are integracion's.
//
//	credential      metadata                        role         may
//	API key         x-api-key                       institucion  what its scopes (ambitos) say: cliente, eventos; one Empresa
//	JWT of /login   authorization: Bearer <token>   pui          send reports for its one Empresa
//	                                                operador     what contract.md 9 lists
//	                                                inscripcion  an operator's, to enrol a second factor and nothing else
//	service token   authorization: Bearer <token>   servicio     the RPCs between registros and integracion
//
// Each service authenticates every call itself, whether it came through the gateway or
// straight over gRPC; no metadata but the credential says who calls. A method that is
// missing in the table is refused. Refusals come in the contract's order: 401
// (CredencialAusente, CredencialInvalida, …), 403 (SinPermiso), 429
// (DemasiadasSolicitudes), and an answer never tells whether a key exists.
//
// Start reading at [Guard]. What others rely on: behind the guard a method that is not
// public has a Principal in its context, and its EmpresaID comes from the credential and
// from nowhere else. Secrets are never logged: a [Key] prints without its secret.
package auth
