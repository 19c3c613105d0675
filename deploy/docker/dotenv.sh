# For the scripts of the docker-compose set, which source it from the repository's root.
unset VERSION # compose and the scripts read the one of .env

# setting NAME: as compose finds it, in the environment and else in .env.
setting() {
	[ -z "${!1:-}" ] || { echo "${!1}" && return; }
	[ ! -f .env ] || sed -nE "s/^$1=[\"']?([^\"']*)[\"']?\$/\1/p" .env | tail -n 1
}

# note NAME VALUE: writes it into .env, which is never seen half written.
note() {
	touch .env
	cp --preserve=mode .env .env.new
	{ grep -v "^$1=" .env || true; } >.env.new
	echo "$1=$2" >>.env.new
	mv .env.new .env
}
