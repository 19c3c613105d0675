module fake/gateway

go 1.26.8

require fake/services v0.0.0

replace fake/services => ../services
