package process

import "runtime/debug"

// version is stamped by the linker in released images.
var version string

// Version names the build: the released version, else the commit, else "desarrollo".
func Version() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "desarrollo"
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" && len(setting.Value) >= 12 {
			return setting.Value[:12]
		}
	}
	return "desarrollo"
}
