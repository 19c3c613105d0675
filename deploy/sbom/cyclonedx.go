package main

// The part of CycloneDX 1.6 that is filled in here. No time and no number of its own: the same
// program has the same file.
type bom struct {
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"`
	Metadata    metadata    `json:"metadata"`
	Components  []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type     string        `json:"type"`
	Ref      string        `json:"bom-ref"`
	Name     string        `json:"name"`
	Version  string        `json:"version,omitempty"`
	URL      string        `json:"purl,omitempty"`
	Licences []licenceItem `json:"licenses,omitempty"`
}

type licenceItem struct {
	Licence licenceID `json:"license"`
}

type licenceID struct {
	ID string `json:"id"`
}

func document(program, version string, parts []part) bom {
	made := bom{
		Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata: metadata{Component: component{Type: "application", Ref: program, Name: program, Version: version}},
	}
	for _, p := range parts {
		c := component{Type: p.kind(), Ref: p.ref(), Name: p.Name, Version: p.Version, URL: p.URL}
		for _, licence := range p.Licences {
			c.Licences = append(c.Licences, licenceItem{Licence: licenceID{ID: licence}})
		}
		made.Components = append(made.Components, c)
	}
	return made
}
