package process

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// MeasureCertificate tells when the certificate in a PEM file expires. The file is read at
// each scrape, so it is what a renewed one says. use says what the certificate is for;
// an empty path, that there is none.
func (o *Ops) MeasureCertificate(use, path string) {
	promauto.With(o.Registry).NewGaugeFunc(prometheus.GaugeOpts{
		Name:        "enlace_tls_certificate_expiry_timestamp_seconds",
		Help:        "When a certificate of this program expires, since 1970. +Inf without a certificate, 0 if it cannot be read.",
		ConstLabels: prometheus.Labels{"use": use},
	}, func() float64 { return expiryOf(path) })
}

func expiryOf(path string) float64 {
	if path == "" {
		return math.Inf(1)
	}
	certificate, err := readCertificate(path)
	if err != nil {
		slog.Warn("certificate cannot be read", "error", err)
		return 0
	}
	return float64(certificate.NotAfter.Unix())
}

// readCertificate reads the first certificate of a file, which is the program's own.
func readCertificate(path string) (*x509.Certificate, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read certificate: %w", err)
	}
	block, _ := pem.Decode(content)
	if block == nil {
		return nil, errors.New("read certificate: the file is not PEM")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read certificate: %w", err)
	}
	return certificate, nil
}
