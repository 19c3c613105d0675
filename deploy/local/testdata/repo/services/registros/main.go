package main

import "fake/services/fake"

func main() { fake.Main("registros") }
