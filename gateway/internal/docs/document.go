package docs

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
)

// generated is the document of every route, as proto/tools/openapi writes it.
//
//go:embed openapi.json
var generated []byte

// placeholder stands in the generated document for the address of the installation: as the
// server, in the guide's commands and in examples.
const placeholder = "https://enlace.example"

// document is the generated one with this installation's address.
func (cfg Config) document() ([]byte, error) {
	if !bytes.Contains(generated, []byte(`"url": "`+placeholder+`"`)) {
		return nil, errors.New("openapi.json does not have the server to replace")
	}
	address, err := json.Marshal(cfg.PublicURL + cfg.RootPath)
	if err != nil {
		return nil, err
	}
	return bytes.ReplaceAll(generated, []byte(placeholder), address[1:len(address)-1]), nil
}
