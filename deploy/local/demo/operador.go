package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
)

// Operador is the operator's user for the routes under /webhooks/api-keys.
type Operador struct {
	Usuario string
	Clave   string
}

const operadorUsuario = "operador"

// ensureOperador keeps the user of an earlier run when it can still log in. A user whose clave was lost stays as it is,
// and the new one gets another name.
func (d *Demo) ensureOperador(ctx context.Context) (Operador, error) {
	secrets := d.system.Secrets
	kept := Operador{Usuario: secrets.Get("OPERADOR_USUARIO"), Clave: secrets.Get("OPERADOR_CLAVE")}
	if kept.Usuario != "" && kept.Clave != "" {
		good, err := d.canLogIn(ctx, "/login", kept.Usuario, kept.Clave)
		if err != nil || good {
			return kept, err
		}
	}
	made, err := d.createOperador(ctx, operadorUsuario)
	if err != nil {
		var again error
		made, again = d.createOperador(ctx, operadorUsuario+"-"+strings.ToLower(rand.Text()[:6]))
		if again != nil {
			return Operador{}, errors.Join(err, again)
		}
	}
	err = secrets.Set("OPERADOR_USUARIO", made.Usuario)
	if err != nil {
		return Operador{}, err
	}
	return made, secrets.Set("OPERADOR_CLAVE", made.Clave)
}

func (d *Demo) createOperador(ctx context.Context, usuario string) (Operador, error) {
	var made Operador
	err := d.operate(ctx, "", &made, "usuarios", "crear", "--usuario", usuario)
	return made, err
}
