package manual

// ASCII classes. The manual's expressions know no other digits or capitals,
// so the unicode package would accept too much.

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

func isUpperOrDigit(c byte) bool { return isUpper(c) || isDigit(c) }

func isAlphanumeric(c byte) bool { return isUpper(c) || isLower(c) || isDigit(c) }

// all tells whether every byte of s is in a class. Bytes of a character
// outside ASCII are in none.
func all(s string, class func(byte) bool) bool {
	for i := range len(s) {
		if !class(s[i]) {
			return false
		}
	}
	return true
}
