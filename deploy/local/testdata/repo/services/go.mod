module fake/services

go 1.26.8
