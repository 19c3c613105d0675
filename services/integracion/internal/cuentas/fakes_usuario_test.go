package cuentas

import (
	"context"
	"time"
)

func (m *memory) changeUsuario(usuario string, change func(*Usuario)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	u, found := m.usuarios[usuario]
	if !found {
		return errMissing
	}
	change(&u)
	m.usuarios[usuario] = u
	return nil
}

func (m *memory) GetUsuarioDeToken(ctx context.Context, usuario, _ string) (Usuario, error) {
	return m.GetUsuario(ctx, usuario)
}

func (m *memory) VoidToken(context.Context, string, string) error { return nil }

func (m *memory) ListRestablecimientos(context.Context, string, time.Duration) ([]Restablecimiento, error) {
	return nil, nil
}

func (m *memory) SetClave(_ context.Context, usuario, hash string) error {
	return m.changeUsuario(usuario, func(u *Usuario) {
		u.Hash = hash
		u.Version++
	})
}

func (m *memory) RevokeTokens(_ context.Context, usuario string) error {
	return m.changeUsuario(usuario, func(u *Usuario) { u.Version++ })
}

func (m *memory) RemoveTOTP(_ context.Context, usuario string) error {
	return m.changeUsuario(usuario, func(u *Usuario) {
		u.TOTP = Sellado{}
		u.Version++
	})
}

func (m *memory) UseTOTP(_ context.Context, _ string, paso int64) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fresh := paso > m.paso
	m.paso = max(m.paso, paso)
	return fresh, nil
}

func (m *memory) SetTOTPNuevo(_ context.Context, usuario string, secreto Sellado) error {
	return m.changeUsuario(usuario, func(u *Usuario) { u.TOTPNuevo = secreto })
}

func (m *memory) ConfirmTOTP(_ context.Context, usuario string, nuevo Sellado, paso int64, recuperacion [][]byte) (version int, err error) {
	m.mu.Lock()
	m.paso, m.recuperacion = paso, map[string]bool{}
	for _, huella := range recuperacion {
		m.recuperacion[string(huella)] = true
	}
	m.mu.Unlock()
	err = m.changeUsuario(usuario, func(u *Usuario) {
		u.TOTP, u.TOTPNuevo = nuevo, Sellado{}
		u.Version++
		version = u.Version
	})
	return version, err
}

func (m *memory) UseRecuperacion(_ context.Context, _ string, huella []byte) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	used := m.recuperacion[string(huella)]
	delete(m.recuperacion, string(huella))
	return used, nil
}

func (m *memory) ListUsuarios(context.Context) ([]Usuario, error) { return nil, nil }

func (m *memory) RemoveUsuario(_ context.Context, usuario string) error {
	return m.changeUsuario(usuario, func(u *Usuario) { u.BajaEn = time.Now() })
}
