package fake

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// operate answers the operator's commands that the demonstration uses, and echoes any other.
func operate(args []string) {
	note("operate " + strings.Join(args, " "))
	switch strings.Join(args[:min(2, len(args))], " ") {
	case "empresas listar":
		fmt.Println(`{"empresas":[]}`)
	case "sesion abrir", "empresas crear", "claves salida":
		fmt.Println(`{}`)
	case "claves entrada":
		fmt.Println(`{"clave":"CLAVE-DE-LA-PUI-1"}`)
	case "usuarios crear":
		fmt.Println(`{"usuario":"operador","clave":"clave del operador"}`)
	case "api-keys emitir":
		fmt.Println(`{"api_key":"iis_llave","secreto_webhook":"whsec_secreto"}`)
	case "fail":
		fmt.Fprintln(os.Stderr, "no such institution")
		os.Exit(1)
	default:
		stdin, _ := io.ReadAll(os.Stdin)
		json.NewEncoder(os.Stdout).Encode(map[string]any{"args": args, "stdin": string(stdin)})
	}
}

// routes answer as the gateway and the simulator would to a system in which all goes well.
func routes() http.Handler {
	mux := http.NewServeMux()
	answer := func(pattern, body string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			note("call " + r.Method + " " + r.URL.Path)
			fmt.Fprint(w, body)
		})
	}
	answer("GET /health", `{"estado":"ok"}`)
	answer("POST /login", `{"token":"t"}`)
	answer("POST /i/{id}/login", `{"token":"t"}`)
	answer("POST /cliente/sandbox/ping", `{"mensaje":"pong"}`)
	answer("POST /cliente/registros/lote", `{"total":3,"creados":3}`)
	answer("POST /institucion/carga-terminada", `{"carga_terminada_en":"2026-01-01T00:00:00.000Z"}`)
	answer("GET /cliente/coincidencias", `[{"reporte_id":"DEMO-2025-0001-7b0f4c1e-5d2a-4e8b-9c3f-1a2b3c4d5e6f",
		"folio":"DEMO-0001","curp":"RAXL991231MNLMXS05","fase_busqueda":"2","estado":"notificada"}]`)
	answer("PUT /control/instituciones/{id}", `{}`)
	answer("POST /control/instituciones/{id}/activar", `{"status":200,"cuerpo":{"message":"ok"}}`)
	return mux
}
