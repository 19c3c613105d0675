package demo

import (
	"context"
	"fmt"
)

// Operador is the operator's user for the routes under /webhooks/api-keys.
type Operador struct {
	Usuario string
	Clave   string
}

const operadorUsuario = "operador"

// ensureOperador keeps the user of an earlier run when it can still log in, and makes the first one of a new database. Of
// one whose clave was lost only another operator knows how to go on.
func (d *Demo) ensureOperador(ctx context.Context) (Operador, error) {
	secrets := d.system.Secrets
	kept := Operador{Usuario: secrets.Get("OPERADOR_USUARIO"), Clave: secrets.Get("OPERADOR_CLAVE")}
	if kept.Usuario != "" && kept.Clave != "" {
		good, err := d.canLogIn(ctx, "/login", kept.Usuario, kept.Clave)
		if err != nil || good {
			return kept, err
		}
	}
	var made Operador
	err := d.operate(ctx, "", &made, "usuarios", "crear", "--usuario", operadorUsuario)
	if err != nil {
		return Operador{}, fmt.Errorf("make the first operator, whose clave is not kept here: %w", err)
	}
	err = secrets.Set("OPERADOR_USUARIO", made.Usuario)
	if err != nil {
		return Operador{}, err
	}
	return made, secrets.Set("OPERADOR_CLAVE", made.Clave)
}
