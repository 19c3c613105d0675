package terminal

import (
	"fmt"
	"strings"

	"rsc.io/qr"
)

// quietZone is the margin that readers need around a code.
const quietZone = 2

// ShowQR draws a text as a QR code, two rows of it a line, black on white whatever the
// terminal's own colours are.
func (t *Terminal) ShowQR(text string) error {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return fmt.Errorf("draw code: %w", err)
	}
	// Light halves are drawn: in a font the full block has no gaps.
	halves := map[[2]bool]string{{false, false}: "█", {false, true}: "▀", {true, false}: "▄", {true, true}: " "}
	for y := -quietZone; y < code.Size+quietZone; y += 2 {
		var line strings.Builder
		for x := -quietZone; x < code.Size+quietZone; x++ {
			line.WriteString(halves[[2]bool{code.Black(x, y), code.Black(x, y+1)}])
		}
		t.Tell("\x1b[40;97m%s%s", line.String(), plainEnd)
	}
	return nil
}
