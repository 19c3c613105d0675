# Everything that a developer or operator does here has a target; `make help` lists them.

SHELL   := /bin/bash
# Where the local run keeps its data; the programs take their other settings from the environment.
LOCAL   := $(abspath $(or $(LOCAL_DIR),.local))
TOOLS   := $(CURDIR)/.local/tools
MODULES := proto services gateway gateway/e2e deploy
PACKAGES = $(addprefix ./,$(addsuffix /...,$(1)))
# Packages whose tests need a database get it from here: a private, throw-away cluster.
WITH_POSTGRES := go run ./deploy/local con-postgres --
# Never from the cache: it does not see that the programs which the tests start have changed. More
# packages at once than there are cores, since many of them wait. make verify vets.
TEST := go test -vet off -p 4 -count 1
# argon2 shares nothing and takes three times as long under the detector.
RACE := -race -gcflags=golang.org/x/crypto/argon2=-race=false
# Repeats a load's account of its requests at the end.
COUNTS_LAST := awk '{print} / requests, / {counts = $$0} END {sub(/^[^:]*:[0-9]+: /, "", counts); print counts}'
# A count of tries, or a time such as 60s.
FUZZTIME ?= 500000x

export PATH := $(TOOLS):$(PATH)

.PHONY: help
help: ## this list
	@grep -hE '^[a-z][a-z-]*:.*##' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  %-14s %s\n", $$1, $$2}'

.PHONY: run
run: ## build and start everything on this machine, with two demo institutions
	@mkdir -p $(LOCAL)/bin && rm -f $(LOCAL)/demo.env
	go build -o $(LOCAL)/bin/local ./deploy/local
	@LOCAL_DIR=$(LOCAL) exec $(LOCAL)/bin/local run

.PHONY: clean-local
clean-local: ## drop the local run's data
	LOCAL_DIR=$(LOCAL) go run ./deploy/local limpiar

.PHONY: build
build: ## build the four programs into .local/bin
	go build -o $(CURDIR)/.local/bin/ ./services/registros ./services/integracion ./services/simulador ./gateway

# The suites of gateway/e2e build the programs as they are built themselves: here without the detector.
.PHONY: test
test: ## the tests, against a real PostgreSQL, with the race detector; what repeats, seldom, and the built programs without it
	$(WITH_POSTGRES) $(TEST) $(RACE) -short -timeout 15m $(call PACKAGES,$(filter-out gateway/e2e,$(MODULES)))
	$(TEST) -short -timeout 15m ./gateway/e2e/...

.PHONY: test-all
test-all: ## the same tests at their full length, all with the race detector; .ci/run has what else proves something at length
	$(WITH_POSTGRES) $(TEST) $(RACE) -timeout 25m $(call PACKAGES,$(MODULES))

.PHONY: e2e
e2e: ## only the end-to-end tests of the built programs, with the race detector
	$(TEST) $(RACE) -timeout 15m ./gateway/e2e/...

.PHONY: restarts
restarts: ## restart every process under load, ROUNDS times
	$(WITH_POSTGRES) go test -race -tags restarts -timeout 60m -count 1 -v ./gateway/e2e/restarts -rounds $(or $(ROUNDS),5)

.PHONY: agreement-check
agreement-check: ## hold validar, lote and the platform to one verdict on REGISTROS generated records
	$(WITH_POSTGRES) go test -race -timeout 60m -count 1 -v -run Agree ./gateway/e2e/golden -registros $(or $(REGISTROS),100000)

.PHONY: floods-check
floods-check: ## flood the system with the memory of its pods; SLOWER=0 on a machine that does other things
	$(WITH_POSTGRES) go test -tags floods -timeout 20m -count 1 -v ./gateway/e2e/floods -slower $(or $(SLOWER),5)

.PHONY: crash-check
crash-check: ## kill and cut everything under load for ROUNDS rounds, from SEED on; the last lines are the figures
	@clocks=$$(deploy/libfaketime.sh $(LOCAL)/programas/libfaketime); \
	go test -tags crash -timeout 0 -count 1 -v -run "^TestCrash$$" ./gateway/e2e/crash -rounds $(or $(ROUNDS),20) -seed $(or $(SEED),0) -faketime "$$clocks"

.PHONY: rotation-check
rotation-check: ## change every secret under load; the last line says how many requests failed
	@set -o pipefail; $(WITH_POSTGRES) go test -race -timeout 15m -count 1 -tags rotation -v ./gateway/e2e/rotation | $(COUNTS_LAST)

.PHONY: upgrade-check
upgrade-check: ## rehearse the upgrade from the revision FROM under load; the last line says how many requests failed
	@set -o pipefail; UPGRADE_FROM=$(FROM) go test -race -tags upgrade -timeout 30m -count 1 -v ./gateway/e2e/upgrade | $(COUNTS_LAST)

.PHONY: pgbouncer-check
pgbouncer-check: ## both services behind a real pgbouncer that pools transactions
	PGBOUNCER=$$(deploy/pgbouncer.sh $(LOCAL)/programas/pgbouncer) && export PGBOUNCER && \
	go test -race -tags pgbouncer -timeout 15m -count 1 ./gateway/e2e/pgbouncer

.PHONY: backup-check
backup-check: ## back a system up under load, lose its databases, restore them (needs pg_dump)
	go test -race -tags backup -timeout 10m -count 1 ./gateway/e2e/backup

.PHONY: disk-check
disk-check: ## fill the disk of PostgreSQL under load and free it again (needs root, for a small tmpfs)
	go test -tags disk -timeout 15m -count 1 -v -run "^TestDisk" ./gateway/e2e/outage

.PHONY: citus-check
citus-check: citus-storage citus-suites citus-figures ## everything on a cluster of Citus; the last lines are figures (needs Citus)

.PHONY: citus-storage
citus-storage: ## the cluster itself, all of it restored to one moment, and all storage tests of both services on it
	go test -tags citus -count 1 -run Citus ./deploy/local/pgcluster
	go run ./deploy/local con-citus -- go test -tags citus -count 1 -short -timeout 30m -p 1 -parallel 2 ./services/integracion/internal/postgres ./services/registros/internal/postgres

# Suites that know nothing of a cluster have every system that they start on one.
.PHONY: citus-suites
citus-suites: export TEST_ON_CITUS := 1
citus-suites: ## the system on a cluster: a worker killed under load, end to end, the platform's contract, golden cases, ROUNDS of crashes
	go test -tags citus -count 1 -timeout 7m ./gateway/e2e/outage
	go test -count 1 -p 2 -timeout 15m ./gateway/e2e ./gateway/e2e/conformance ./gateway/e2e/golden
	go test -tags crash -timeout 0 -count 1 -v -run "^TestCrash$$" ./gateway/e2e/crash -rounds $(or $(ROUNDS),8)

.PHONY: citus-figures
citus-figures: ## what batches and activations cost a cluster of one to three workers beside plain PostgreSQL
	go test -tags citus -count 1 -timeout 30m -run '^TestCluster$$' -v ./gateway/e2e/bench

.PHONY: conformance
conformance: ## hold an institution's BASE_URL against the platform's contract, with its CLAVE
	@go run ./deploy/conformance
# A clave may have a $, which make must leave alone.
conformance: override export CLAVE := $(value CLAVE)

# All measures, or ONLY some: names of gateway/e2e/bench/measures_test.go, several with | between them.
BENCH := go test -run '^$$' -bench '^BenchmarkEnlace$$/^($(or $(ONLY),.*))$$' -benchtime 1x -timeout 180m ./gateway/e2e/bench -args
BENCH_OPTIONS = $(if $(ROUNDS),-rounds $(ROUNDS)) $(if $(RECORDS),-records $(RECORDS)) $(if $(CASES),-cases $(CASES)) $(if $(STRICT),-strict)

.PHONY: bench
bench: ## measure the built system beside its peer and its floors; ONLY, ROUNDS, RECORDS, CASES, STRICT=1 fails if a goal is missed
	$(BENCH) $(BENCH_OPTIONS)

.PHONY: bench-quick
bench-quick: ## the same, less of everything, within three minutes
	$(BENCH) -quick $(BENCH_OPTIONS)

.PHONY: bench-large
bench-large: ## what is asked for daily with RECORDS records in the table, in turn with 1 M (310 bytes of disk each, and 4 GB)
	go test -run '^$$' -bench '^BenchmarkLarge$$' -benchtime 1x -timeout 180m ./gateway/e2e/bench -args -records $(or $(RECORDS),20000000)

.PHONY: bench-publish
bench-publish: ## write what make bench measured last into README.md
	go test -count 1 -run TestReadme ./gateway/e2e/bench -args -publish

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME each
	deploy/fuzz.sh $(FUZZTIME)

.PHONY: generate
generate: $(TOOLS)/buf ## generate the Go code of the protos and the page of settings
	buf format -w
	buf generate
	buf generate --template gateway/internal/routes/testdata/buf.gen.yaml
	go run ./deploy/settings

.PHONY: openapi
openapi: $(TOOLS)/buf ## write the OpenAPI documents from the protos
	proto/openapi/openapi.sh generate

.PHONY: baseline
baseline: $(TOOLS)/buf ## until the first release: what is there now is what later changes must not break
	buf build --exclude-source-info -o proto/baseline/enlace.binpb.gz
	cp proto/openapi/openapi.json proto/baseline/openapi.json

.PHONY: docs-check
docs-check: ## look at the documentation pages of the built system with a real browser (needs Chromium)
	go test -tags browser -count 1 -timeout 15m -v -run "^TestPages$$" ./gateway/e2e/browser
	@echo "what it saw is in .local/docs-check"

.PHONY: console-check
console-check: ## do with the console of the built system what people do with it, or only PART of it, in a real browser (needs Chromium)
	go test -tags browser -count 1 -timeout 30m -v -run "^TestConsola$$/^$(PART)" ./gateway/e2e/browser
	@echo "what it saw is in .local/console-check"

.PHONY: lint
lint: $(TOOLS)/buf ## linters for Go, protos and the OpenAPI documents
	buf lint
	buf format --diff --exit-code
	proto/openapi/openapi.sh lint
	@for module in $(MODULES); do echo "golangci-lint $$module"; (cd $$module && golangci-lint run --build-tags browser ./...) || exit 1; done

.PHONY: verify
verify: lint ## what must hold before a commit: generated code current, formatted, linted, nothing broken
	deploy/verify.sh

.PHONY: up
up: ## start the docker-compose set, as .env has it; the first time in VERSION
	deploy/docker/enlace.sh up $(VERSION)

.PHONY: upgrade
upgrade: ## build VERSION of the docker-compose set, migrate and change replica by replica, without an outage
	deploy/docker/enlace.sh upgrade $(VERSION)

.PHONY: rollback
rollback: ## take the docker-compose set back to the version before, without an outage
	deploy/docker/enlace.sh rollback

.PHONY: down
down: demo-down ## stop the docker-compose set; data stays. A demo goes with all that it made
	deploy/docker/enlace.sh down

.PHONY: backup
backup: ## write a backup of the docker-compose set's databases into BACKUP_DIR (respaldos)
	deploy/backup/compose.sh backup

.PHONY: restore
restore: ## restore BACKUP, a folder of BACKUP_DIR, into the docker-compose set; what was there is kept aside
	deploy/backup/compose.sh restore $(BACKUP)

# The demonstration is a project of its own, with settings of its own.
DEMO := docker compose --profile demo --env-file deploy/docker/demo.env --file docker-compose.yml --file deploy/docker/demo.yml

.PHONY: demo
demo: ## a docker-compose set of its own with the platform's simulator and two institutions
	deploy/docker/secretos.sh .local/demo/secretos
	$(DEMO) up --build --detach demo caddy
	test "$$(docker wait $$($(DEMO) ps --all --quiet demo))" = 0
	$(DEMO) logs --no-log-prefix demo

.PHONY: demo-down
demo-down: ## remove the demonstration, its data too
	$(DEMO) down --volumes --remove-orphans
	rm -rf .local/demo

.PHONY: compose-check
compose-check: ## hold the docker-compose set to what docs/operations.md says of it (needs a Docker engine)
	@mkdir -p $(CURDIR)/.local/bin
	go test -tags compose -c -o $(CURDIR)/.local/bin/compose-check ./gateway/e2e/compose
	cd gateway/e2e/compose && $(CURDIR)/.local/bin/compose-check -test.v -test.timeout 60m

.PHONY: pin
pin: ## write the digests that the registries have now beside the images of others; needs docker, skopeo or crane
	deploy/images/images.sh pin

.PHONY: security-check
security-check: $(TOOLS)/buf $(TOOLS)/govulncheck ## look for weaknesses in the sources, their modules and a system of its own, or an institution's base URL TARGET (its CLAVE, AMBIENTE); keeps the evidence
	deploy/security/install.sh
	go test -tags security -count 1 -timeout 20m -v ./gateway/e2e/security
	@echo "the evidence is in .local/security-check"

security-check: export SECURITY_TARGET := $(TARGET)
security-check: export SECURITY_ENVIRONMENT := $(AMBIENTE)
# A clave may have a $, which make must leave alone.
security-check: override export CLAVE := $(value CLAVE)

$(TOOLS)/govulncheck: deploy/security/go.mod deploy/security/go.sum
	cd deploy/security && GOWORK=off go build -o $(TOOLS)/ tool
	@touch $@

$(TOOLS)/buf: proto/tools/go.mod proto/tools/go.sum
	cd proto/tools && GOWORK=off go build -o $(TOOLS)/ tool
	@touch $@
