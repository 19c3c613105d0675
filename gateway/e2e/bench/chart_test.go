package bench

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The chart's panels lie side by side, each on paper of this size with this room around it.
const (
	panelWidth, panelHeight, panelRoom = 360.0, 260.0, 50.0
)

// curve is a column over an axis.
type curve struct {
	column string
	points []point
}

type point struct{ at, figure float64 }

var colours = map[string]string{ours: "#0b6e4f", peer: "#c1440e", bare: "#666666"}

// chart draws what a record costs on each axis, in microseconds, as SVG.
func chart(r *results) string {
	var svg strings.Builder
	var axes []measure
	for _, m := range measures {
		if m.axis != "" && len(r.of(m.name)) > 0 {
			axes = append(axes, m)
		}
	}
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="sans-serif" font-size="11">`+"\n",
		float64(max(len(axes), 1))*(panelWidth+2*panelRoom), panelHeight+2*panelRoom)
	svg.WriteString(`<rect width="100%" height="100%" fill="#ffffff"/>` + "\n")
	for n, m := range axes {
		fmt.Fprintf(&svg, `<g transform="translate(%.0f %.0f)">`+"\n", panelRoom+float64(n)*(panelWidth+2*panelRoom), panelRoom)
		drawPanel(&svg, m.axis, curvesOf(r.of(m.name)))
		svg.WriteString("</g>\n")
	}
	svg.WriteString("</svg>\n")
	return svg.String()
}

// curvesOf takes the medians.
func curvesOf(cells []*cell) []curve {
	var curves []curve
	for _, column := range []string{ours, peer, bare} {
		c := curve{column: column}
		for _, cell := range cells {
			at, err := strconv.ParseFloat(cell.Case, 64)
			if samples := cell.Columns[column]; err == nil && len(samples) > 0 {
				c.points = append(c.points, point{at, spreadOf(samples).median * 1e6})
			}
		}
		slices.SortFunc(c.points, func(a, b point) int { return int(a.at - b.at) })
		curves = append(curves, c)
	}
	return curves
}

// drawPanel draws curves with both scales logarithmic, by whole powers of ten.
func drawPanel(svg *strings.Builder, axis string, curves []curve) {
	var all []point
	for _, c := range curves {
		all = append(all, c.points...)
	}
	if all == nil {
		return
	}
	across := scaleOf(all, panelWidth, func(p point) float64 { return p.at })
	up := scaleOf(all, panelHeight, func(p point) float64 { return p.figure })
	fmt.Fprintf(svg, `<text x="0" y="-30" font-size="13">µs a record, by %s</text>`+"\n", axis)
	for power := across.from; power <= across.to; power++ {
		x := across.at(math.Pow10(power))
		fmt.Fprintf(svg, `<path d="M%.1f 0V%.0f" stroke="#dddddd"/><text x="%.1f" y="%.0f" text-anchor="middle">%s</text>`+"\n",
			x, panelHeight, x, panelHeight+16, short(power))
	}
	for power := up.from; power <= up.to; power++ {
		y := panelHeight - up.at(math.Pow10(power))
		fmt.Fprintf(svg, `<path d="M0 %.1fH%.0f" stroke="#dddddd"/><text x="-6" y="%.1f" text-anchor="end">%s</text>`+"\n",
			y, panelWidth, y+4, short(power))
	}
	for n, c := range curves {
		drawCurve(svg, n, c, across, up)
	}
}

func drawCurve(svg *strings.Builder, n int, c curve, across, up scale) {
	var line []string
	for _, p := range c.points {
		line = append(line, fmt.Sprintf("%.1f,%.1f", across.at(p.at), panelHeight-up.at(p.figure)))
	}
	colour := colours[c.column]
	fmt.Fprintf(svg, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(line, " "), colour)
	for _, at := range line {
		x, y, _ := strings.Cut(at, ",")
		fmt.Fprintf(svg, `<circle cx="%s" cy="%s" r="3" fill="%s"/>`+"\n", x, y, colour)
	}
	fmt.Fprintf(svg, `<text x="%d" y="-12" fill="%s">%s</text>`+"\n", n*70, colour, c.column)
}

// scale places figures between two powers of ten.
type scale struct {
	from, to int
	length   float64
}

func scaleOf(points []point, length float64, figure func(point) float64) scale {
	least, most := math.Inf(1), math.Inf(-1)
	for _, p := range points {
		least, most = min(least, figure(p)), max(most, figure(p))
	}
	from := int(math.Floor(math.Log10(least)))
	return scale{from, max(int(math.Ceil(math.Log10(most))), from+1), length}
}

func (s scale) at(figure float64) float64 {
	return (math.Log10(figure) - float64(s.from)) / float64(s.to-s.from) * s.length
}

// short writes a power of ten.
func short(power int) string {
	switch {
	case power >= 6:
		return fmt.Sprintf("%.0f M", math.Pow10(power-6))
	case power >= 3:
		return fmt.Sprintf("%.0f k", math.Pow10(power-3))
	default:
		return strconv.FormatFloat(math.Pow10(power), 'g', -1, 64)
	}
}
