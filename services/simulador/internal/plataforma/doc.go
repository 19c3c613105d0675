// Package plataforma is the national platform as the institutions meet it: who
// may log in, which bodies are valid, which reports are active, what was
// received, and which faults are to be shown. It owns state and rules only;
// HTTP is httpapi's, calling an institution is webhook's.
//
// The rules are a reading of the manual of their own (pui.md 1.1 to 1.4 and 2),
// on purpose without a line of the code with which the services build what
// they send: a mistake shared by sender and judge would be invisible. Keep it
// so, even where it means writing an expression or Annex 5 a second time.
//
// Start reading at Plataforma.Receive, which is the path of every request.
// Every exported method is safe for concurrent use. What is received gets its
// place in the order and its verdict in one step, so Recibido.N tells the order
// in which the platform accepted things, whatever a fault does to the answers.
package plataforma
