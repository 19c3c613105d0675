package cuentas

import "context"

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

func (m *memory) SetClave(_ context.Context, usuario, hash string) error {
	return m.changeUsuario(usuario, func(u *Usuario) {
		u.Hash = hash
		u.Version++
	})
}

func (m *memory) RevokeTokens(_ context.Context, usuario string) error {
	return m.changeUsuario(usuario, func(u *Usuario) { u.Version++ })
}

func (m *memory) SetTOTP(_ context.Context, usuario string, secreto Sellado) error {
	return m.changeUsuario(usuario, func(u *Usuario) {
		u.TOTP = secreto
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
