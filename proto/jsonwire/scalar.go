package jsonwire

import (
	"reflect"
	"strconv"
)

func (r *reader) scalar(k kind, into reflect.Value) *Error {
	switch k {
	case kindText:
		c := r.token()
		if r.record != nil && c != '"' {
			into.SetString(r.digitsAhead())
			_, err := r.integer()
			return err
		}
		if c != '"' {
			return r.wrongType(mensajeTexto)
		}
		text, err := r.str()
		into.SetString(text)
		return err
	case kindInteger:
		return r.setInteger(into)
	default:
		return r.setBool(into)
	}
}

func (r *reader) setInteger(into reflect.Value) *Error {
	c := r.token()
	if c != '-' && (c < '0' || c > '9') {
		return r.wrongType(mensajeEntero)
	}
	start := r.pos
	digits, problem := r.integer()
	if problem != nil {
		return problem
	}
	number, err := strconv.ParseInt(digits, 10, into.Type().Bits())
	if err != nil {
		r.pos = start
		return r.fail(CodigoTipo, mensajeEntero)
	}
	into.SetInt(number)
	return nil
}

func (r *reader) setBool(into reflect.Value) *Error {
	c := r.token()
	switch {
	case r.literal("true"):
		into.SetBool(true)
	case r.literal("false"):
		into.SetBool(false)
	case c == 't' || c == 'f':
		return r.syntax()
	default:
		return r.wrongType(mensajeBooleano)
	}
	return nil
}
