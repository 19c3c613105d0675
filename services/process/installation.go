package process

// Installation is what all that belongs to one installation is told alike.
type Installation struct {
	// AppEnv names the installation; it is part of every API key, so 1 to 16 lower-case
	// letters and digits. "development" turns reflection and the documentation routes on, and
	// admits a database and a platform without TLS.
	AppEnv string `env:"APP_ENV" envDefault:"production"`
}

// IsDevelopment tells an installation for trials, where what is safe need not be set up first.
func (i Installation) IsDevelopment() bool {
	return i.AppEnv == "development"
}
