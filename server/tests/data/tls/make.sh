#!/usr/bin/env bash
# Makes the certificates that tests of TLS use: an authority of its own, and a server's for localhost and the loopback addresses. The keys are
# for tests alone: everybody has them.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
from=20240101000000Z
until=21240101000000Z
key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1" 2>/dev/null; }
key "$work/ca.key"
key server.key
cat > "$work/ca.cnf" <<END
[ca]
default_ca = own
[own]
database = $work/index
serial = $work/serial
new_certs_dir = $work
default_md = sha256
policy = any
[any]
commonName = supplied
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost, IP:127.0.0.1, IP:::1
END
touch "$work/index"
echo 01 > "$work/serial"
openssl req -new -config "$work/ca.cnf" -key "$work/ca.key" -subj "/CN=Evenweave test authority" -out "$work/ca.csr"
openssl req -new -config "$work/ca.cnf" -key server.key -subj "/CN=Evenweave test server" -out "$work/server.csr"
sign() { openssl ca -batch -notext -config "$work/ca.cnf" -startdate "$from" -enddate "$until" "$@" 2>/dev/null; }
sign -selfsign -keyfile "$work/ca.key" -extensions authority -in "$work/ca.csr" -out ca.pem
sign -keyfile "$work/ca.key" -cert ca.pem -extensions server -in "$work/server.csr" -out server.pem
