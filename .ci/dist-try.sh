#!/usr/bin/env bash
# .ci/dist-try.sh FOLDER: tries the packages of .ci/dist.sh, each as somebody who installs it: programs in an empty
# root, .deb and .rpm in a clean Debian with its own systemd, the image as its user, the jar in a JVM and in a
# ResourceManager. Programs for the other machine run under qemu. Needs root, for namespaces and chroot; what it needs
# of Debian it installs. What cannot be tried here it says; it fails where nothing can.
set -euo pipefail
cd "$(dirname "$0")/.."

# The part within a namespace, which this script itself starts: COMMAND serves at port 8088, answers, and ends well when
# it is told to.
if [ "${1:-}" = --serves ]; then
    shift
    ip link set lo up
    "$@" &
    pid=$!
    for _ in $(seq 600); do
        kill -0 $pid || { echo "it has ended by itself"; wait $pid; exit 1; }
        if curl --silent --fail http://127.0.0.1:8088/readyz &&
            curl --silent --fail http://127.0.0.1:8088/ws/v1/cluster/info | grep -o '"state":"STARTED"'; then
            kill -TERM $pid
            wait $pid
            exit
        fi
        sleep 0.2
    done
    echo "no answer within two minutes"
    exit 1
fi

dist=$(realpath "${1:?the folder with the packages}")
[ -e "$dist/SHA256SUMS" ] || { echo "dist: $dist has no SHA256SUMS: .ci/dist.sh --build makes the packages" >&2; exit 1; }
if [ "$(id -u)" != 0 ]; then
    echo "dist: NOTHING WAS TRIED: programs are tried in roots and namespaces of their own, which only root may make" >&2
    exit 1
fi
# Mounts of its own, which go when it ends.
[ -n "${EVENWEAVE_MOUNTS-}" ] || EVENWEAVE_MOUNTS=own exec unshare --mount "$0" "$@"
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
roots=$target/packages-roots
work=$(mktemp -d "${TMPDIR:-/tmp}/evenweave-dist-XXXXXX")
trap 'rm -rf "$work"' EXIT
version=$(sed -nE '/^\[workspace.package\]/,/^\[/s/^version = "([^"]+)"/\1/p' Cargo.toml)
own=$(uname -m)
tried=0 failed=0 left=0

# try WHAT COMMAND... : COMMAND, a function, ends at its first error. What it says is shown where it fails.
try() {
    local what=$1 code
    shift
    set +e
    (set -e; "$@") >"$work/said" 2>&1
    code=$?
    set -e
    tried=$((tried + 1))
    if [ $code = 0 ]; then
        echo "ok      $what"
    else
        failed=$((failed + 1))
        echo "FAILED  $what"
        tail -n 25 "$work/said" | sed 's/^/          /'
    fi
}
untried() {
    left=$((left + 1))
    echo "NOT TRIED: $*"
}
# expect PATTERN : standard input has it, and is shown.
expect() {
    tee "$work/input"
    grep -qE "$1" "$work/input" || { echo "no '$1' in it"; return 1; }
}
# unexpected PATTERN : standard input does not have it.
unexpected() {
    if grep -E "$1"; then
        echo "'$1' is in it"
        return 1
    fi
}
# asked PROCESS PATH [OPTION OF curl]... : asks the server in the network of the process.
asked() {
    local process=$1 path=$2
    shift 2
    nsenter --net --target "$process" curl --silent "$@" "http://127.0.0.1:8088$path"
}
information() {
    local process=$1
    shift
    asked "$process" /ws/v1/cluster/info "$@"
}
# examples FOLDER : jobs, queues for them, and queues with a mistake.
examples() {
    printf '%s\n' job,submit_ms,queue,task,count,duration_ms j1,0,root.a,map,40,20000 j2,500,root.b,map,80,9000 >"$1/jobs.csv"
    echo '<allocations><queue name="a"><weight>2</weight></queue><queue name="b"/></allocations>' >"$1/fair.xml"
    echo '<allocations><queue name="a"><weight>two</weight></queue></allocations>' >"$1/wrong.xml"
}
# What a package brings for shells and for man.
helped() {
    bash -c '. "$1/bash-completion/completions/evenweave"; complete -p evenweave' _ "$1"
    ls "$1"/zsh/{site-functions,vendor-completions}/_evenweave "$1/fish/vendor_completions.d/evenweave.fish"
    local command
    for command in evenweave evenweave-{admin,check,serve,simulate}; do
        zcat "$1/man/man1/$command.1.gz" | grep "^\.TH $command 1"
    done
}
absent() {
    local file
    for file in "$@"; do [ ! -e "$file" ] || { echo "$file is still there"; return 1; }; done
}
debian() {
    case $1 in x86_64) echo amd64 ;; aarch64) echo arm64 ;; esac
}
# Where a program for MACHINE does not run here, qemu goes into ROOT, and its path is printed.
emulator() {
    if [ "$1" != "$own" ]; then
        install -D "$(command -v "qemu-$1-static")" "$2/qemu"
        echo /qemu
    fi
}
# inside ROOT MACHINE USER WORDS... : runs them in ROOT, whatever machine they are for.
inside() {
    local root=$1 machine=$2 user=$3
    shift 3
    # shellcheck disable=SC2046
    chroot --userspec="$user" "$root" $(emulator "$machine" "$root") "$@"
}
# serves ROOT MACHINE USER WORDS... : they serve in ROOT, in a network of their own.
serves() {
    local root=$1 machine=$2 user=$3
    shift 3
    # shellcheck disable=SC2046
    unshare --net --pid --fork --kill-child "$PWD/.ci/dist-try.sh" --serves chroot --userspec="$user" "$root" $(emulator "$machine" "$root") "$@"
}

# --- what is tried

sums() {
    cd "$dist"
    sha256sum --check --strict SHA256SUMS
    # Each file is in it.
    [ "$(wc -l <SHA256SUMS)" = "$(find . -type f ! -name SHA256SUMS | wc -l)" ]
}

static_program() {
    local root=$work/empty-$1
    mkdir -p "$work/archive-$1" "$root"
    tar -xzf "$dist/evenweave-$version-linux-$1.tar.gz" -C "$work/archive-$1" --strip-components=1
    ls "$work/archive-$1/share/doc/evenweave/"{changelog.gz,copyright,LICENSE.SWIM,THIRD-PARTY}
    cp "$work/archive-$1/bin/evenweave" "$root/"
    # It is static, and has no paths of the machine that built it.
    readelf --program-headers --wide "$root/evenweave" | unexpected INTERP
    strings "$root/evenweave" | unexpected "$HOME/\.cargo|$PWD/[a-z]+/src"
    readelf --sections --wide "$root/evenweave" | unexpected '\.debug_(info|line)'
    helped "$work/archive-$1/share"
    examples "$root"
    chmod -R a+rX "$root"
    inside "$root" "$1" 65534:65534 /evenweave --version | expect "^evenweave $version"
    inside "$root" "$1" 65534:65534 /evenweave check /fair.xml
    local code=0
    inside "$root" "$1" 65534:65534 /evenweave check /wrong.xml || code=$?
    [ $code = 2 ]
    inside "$root" "$1" 0:0 /evenweave simulate /jobs.csv --config /fair.xml --nodes 3 --out /simulation | expect "decisions [0-9a-f]{16}"
    ls "$root/simulation/report.html"
    grep -oE "decisions [0-9a-f]{16}" "$work/input" >"$work/decisions-$1"
    serves "$root" "$1" 65534:65534 /evenweave serve --nodes 20
    rm -r "$work/archive-$1"
}

same_decisions() {
    diff "$work/decisions-x86_64" "$work/decisions-aarch64"
}

unpacked_jar() {
    mkdir -p "$work/jar"
    (cd "$work/jar" && unzip -q "$dist/evenweave-yarn-$version.jar")
    ls "$work"/jar/META-INF/{LICENSE,THIRD-PARTY}
}

# No symbol of a later glibc than the jar promises, and no library that a bare system lacks.
library() {
    local library=$work/jar/io/evenweave/yarn/native/linux-$1/libevenweave_yarn.so newest
    readelf --file-header "$library" | grep Machine
    newest=$(readelf --version-info --wide "$library" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
    echo "the newest symbol version is $newest"
    [ "$(printf '%s\n' "$newest" GLIBC_2.17 | sort -V | tail -n 1)" = GLIBC_2.17 ]
    readelf --sections --wide "$library" | unexpected '\.debug_(info|line)'
    readelf --dynamic --wide "$library" | grep NEEDED >"$work/needed"
    sed -E '/\[(libc|libm|libdl|libpthread|librt|ld-linux-[a-z0-9-]+)\.so\.[0-9]\]/d' "$work/needed" | unexpected .
}

jar_here() {
    export TMPDIR=$work/java
    mkdir -p "$TMPDIR"
    RM_EXTRA_CP=$dist/evenweave-yarn-$version.jar yarn/loading/run.sh
}

jar_in_manager() {
    export TMPDIR=$work/java
    mkdir -p "$TMPDIR"
    RM_KIND=fair RM_EXTRA_CP=$dist/evenweave-yarn-$version.jar \
        yarn/checks/run.sh io.evenweave.yarn.EvenweaveFairScheduler queue-status containers
}

# A JVM of Debian for the other machine, unpacked and not configured.
jar_there() {
    local root=$roots/java-arm64
    if [ ! -e "$root/complete" ]; then
        rm -rf "$root"
        debootstrap --arch=arm64 --foreign --variant=minbase --include=openjdk-17-jre-headless bookworm "$root"
        for package in "$root"/var/cache/apt/archives/*.deb; do dpkg-deb --extract "$package" "$root"; done
        rm -rf "$root/var/cache/apt/archives"
        touch "$root/complete"
    fi
    javac -d "$work/loading" --release 8 -cp "$dist/evenweave-yarn-$version.jar" yarn/loading/src/main/java/io/evenweave/yarn/Loading.java
    cp -r "$work/loading" "$dist/evenweave-yarn-$version.jar" "$root/tmp/"
    inside "$root" aarch64 0:0 /usr/lib/jvm/java-17-openjdk-arm64/bin/java -Xint -cp "/tmp/loading:/tmp/evenweave-yarn-$version.jar" \
        io.evenweave.yarn.Loading | expect '^loaded$'
    rm -r "$root/tmp/loading" "$root/tmp/evenweave-yarn-$version.jar"
}

deb_metadata() {
    local field
    for field in Package Version Architecture Maintainer Section Priority Description Installed-Size; do
        dpkg-deb --field "$dist/evenweave_$version-1_$(debian "$1").deb" $field | grep .
    done
    [ "$(dpkg-deb --field "$dist/evenweave_$version-1_$(debian "$1").deb" Architecture)" = "$(debian "$1")" ]
}

# For a machine that is not this one: its scripts cannot run here.
deb_unpacked() {
    deb_metadata "$1"
    dpkg-deb --extract "$dist/evenweave_$version-1_$(debian "$1").deb" "$work/deb-$1"
    inside "$work/deb-$1" "$1" 65534:65534 /usr/bin/evenweave --version | expect "^evenweave $version"
    inside "$work/deb-$1" "$1" 65534:65534 /usr/bin/evenweave check /etc/evenweave/fair-scheduler.xml --site /etc/evenweave/yarn-site.xml
    rm -r "$work/deb-$1"
}

clean_debian() {
    if [ ! -e "$roots/debian/complete" ]; then
        rm -rf "$roots/debian"
        debootstrap --variant=minbase --include=systemd bookworm "$roots/debian"
        touch "$roots/debian/complete"
    fi
}

# Starts the systemd of ROOT in namespaces and a control group of its own, and leaves the number of its process in
# $work/init.
boot() {
    local root=$1 group=$work/group/evenweave-$$
    mkdir -p "$work/group"
    mount -t cgroup2 none "$work/group"
    mkdir "$group"
    bash -c 'echo $$ >"$1/cgroup.procs"; exec unshare --kill-child --pid --fork --mount --net --uts --ipc --cgroup bash -c "$2" _ "$3"' _ "$group" '
        set -e
        root=$1
        mount --make-rprivate /
        mount --bind "$root" "$root"
        mount -t proc proc "$root/proc"
        mount -t sysfs -o ro sysfs "$root/sys"
        mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
        mount -t tmpfs tmpfs "$root/run"
        mount -t tmpfs tmpfs "$root/dev"
        for device in null zero full random urandom tty; do
            touch "$root/dev/$device"
            mount --bind "/dev/$device" "$root/dev/$device"
        done
        mkdir "$root/dev/pts" "$root/dev/shm"
        mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
        ln -s pts/ptmx "$root/dev/ptmx"
        ip link set lo up
        cd "$root"
        mkdir -p .old
        pivot_root . .old
        umount -l /.old
        # As on a machine: what systemd mounts for a service reaches it.
        mount --make-rshared /
        exec env -i container=other PATH=/usr/bin:/usr/sbin /lib/systemd/systemd --unit=multi-user.target
    ' "$root" &
    local outer=$!
    echo $outer >"$work/outer"
    for _ in $(seq 150); do
        kill -0 $outer
        pgrep --parent $outer >"$work/init" || true
        if [ -s "$work/init" ] && booted systemctl is-system-running 2>/dev/null | grep -E 'running|degraded'; then return; fi
        sleep 0.2
    done
    echo "systemd is not up within half a minute"
    return 1
}
# booted COMMAND... : runs it in the system that has been started.
booted() {
    nsenter --all --target "$(cat "$work/init")" "$@"
}
halt() {
    [ ! -e "$work/outer" ] || kill -KILL "$(cat "$work/init")" "$(cat "$work/outer")" 2>/dev/null || true
    rm -f "$work/outer" "$work/init"
    for _ in $(seq 50); do
        find "$work/group" -path "*/evenweave-$$*" -depth -type d -exec rmdir {} + 2>/dev/null || true
        [ -d "$work/group/evenweave-$$" ] || break
        sleep 0.1
    done
    umount "$work/group" 2>/dev/null || true
}
# answers [OPTION OF curl]... : the service is up and answers.
answers() {
    for _ in $(seq 150); do
        if asked "$(cat "$work/init")" /readyz --fail &&
            information "$(cat "$work/init")" --fail "$@" | grep -o '"state":"STARTED"'; then return; fi
        sleep 0.2
    done
    booted journalctl --no-pager --unit evenweave | tail -n 20
    return 1
}

# Installed, started, changed, upgraded, stopped, removed, purged, in a clean Debian that has systemd.
deb_installed() {
    deb_metadata "$own"
    local root=$work/debian package=evenweave_$version-1_$(debian "$own").deb pid
    cp "$dist/$package" "$root/root/"
    boot "$root"
    booted dpkg --install "/root/$package"
    booted dpkg --verify evenweave
    [ "$(booted systemctl is-active evenweave)" = inactive ]
    booted systemd-analyze verify --man=no evenweave.service
    booted systemd-analyze security --threshold=20 --no-pager evenweave.service | tail -n 1
    booted evenweave check /etc/evenweave/fair-scheduler.xml --site /etc/evenweave/yarn-site.xml
    booted evenweave check /etc/evenweave/capacity-scheduler.xml --site /etc/evenweave/yarn-site.xml
    examples "$root/root"
    booted evenweave simulate /root/jobs.csv --config /root/fair.xml --nodes 3 --out /root/simulation | expect "decisions [0-9a-f]{16}"
    helped "$root/usr/share"
    booted systemctl enable --now evenweave
    answers
    pid=$(booted systemctl show --property=MainPID --value evenweave)
    booted stat --format="user %u" "/proc/$pid" | expect 'user [1-9][0-9]{3,}'
    booted stat --format="user %u" /var/lib/evenweave/ | expect 'user [1-9][0-9]{3,}'
    # An administrator's change stays, and an upgrade restarts what runs.
    booted sh -c 'echo "RUST_LOG=debug" >>/etc/evenweave/serve.conf'
    booted dpkg --install "/root/$package"
    booted grep RUST_LOG=debug /etc/evenweave/serve.conf
    answers
    [ "$(booted systemctl show --property=MainPID --value evenweave)" != "$pid" ]
    # A secret comes as docs/install.md says.
    booted sh -c '
        umask 077
        echo ann:0123456789abcdef >/etc/evenweave/tokens
        mkdir /etc/systemd/system/evenweave.service.d
        printf "[Service]\nLoadCredential=tokens:/etc/evenweave/tokens\n" >/etc/systemd/system/evenweave.service.d/override.conf
        echo "token-file = \"/run/credentials/evenweave.service/tokens\"" >>/etc/evenweave/serve.toml
        systemctl daemon-reload
        systemctl restart evenweave'
    answers --header "Authorization: Bearer 0123456789abcdef"
    information "$(cat "$work/init")" --output /dev/null --write-out '%{http_code}\n' | expect '^401$'
    booted rm -r /etc/evenweave/tokens /etc/systemd/system/evenweave.service.d
    booted sed -i /^token-file/d /etc/evenweave/serve.toml
    booted systemctl daemon-reload
    booted systemctl stop evenweave
    booted systemctl show --property=Result --value evenweave | expect '^success$'
    booted systemctl start evenweave
    booted dpkg --remove evenweave
    [ "$(booted systemctl is-active evenweave)" = inactive ]
    ls "$root/etc/evenweave/serve.conf"
    booted dpkg --purge evenweave
    absent "$root/etc/evenweave" "$root/var/lib/private/evenweave"
    find "$root/etc/systemd" "$root/usr" -name '*evenweave*' | unexpected .
}

# The unit's command, as nobody, where systemd cannot be started.
deb_without_systemd() {
    local root=$work/debian package=evenweave_$version-1_$(debian "$own").deb
    cp "$dist/$package" "$root/root/"
    chroot "$root" dpkg --install "/root/$package"
    chroot "$root" systemd-analyze verify --man=no evenweave.service
    # shellcheck disable=SC2016
    serves "$root" "$own" 65534:65534 /bin/sh -c '. /etc/evenweave/serve.conf; exec /usr/bin/evenweave serve $EVENWEAVE_OPTIONS'
    chroot "$root" dpkg --purge evenweave
    absent "$root/etc/evenweave" "$root/usr/bin/evenweave"
}

rpm_installed() {
    local package=$dist/evenweave-$version-1.$1.rpm root=$work/rpm-$1 tag file words
    rpm --checksig "$package"
    for tag in NAME VERSION RELEASE ARCH LICENSE SUMMARY DESCRIPTION VENDOR PACKAGER; do
        rpm --query --package "$package" --queryformat "%{$tag}\n" | grep . | grep -v '^(none)$'
    done
    [ "$(rpm --query --package "$package" --queryformat '%{ARCH}')" = "$1" ]
    rpm --query --list --package "$package" | sort >"$work/rpm-files"
    for file in bin/evenweave lib/systemd/system/evenweave.service share/doc/evenweave/{changelog.gz,copyright,THIRD-PARTY}; do
        grep -x "/usr/$file" "$work/rpm-files"
    done
    grep -x /etc/evenweave/serve.conf "$work/rpm-files"
    # Folders of the system belong to others.
    unexpected '^(/|/etc|/usr(/bin|/share(/doc|/man|/man/man1)?|/lib(/systemd(/system)?)?)?)$' <"$work/rpm-files"
    # In a root that has a shell for the scripts, those of Debian's own package manager left aside.
    cp -a "$roots/debian" "$root"
    words=(--root "$root" --dbpath /var/lib/rpm --force-debian)
    rpm "${words[@]}" --install --nodeps --ignorearch "$package"
    rpm "${words[@]}" --verify --nodeps evenweave
    inside "$root" "$1" 65534:65534 /usr/bin/evenweave --version | expect "^evenweave $version"
    inside "$root" "$1" 65534:65534 /usr/bin/evenweave check /etc/evenweave/fair-scheduler.xml --site /etc/evenweave/yarn-site.xml
    examples "$root/root"
    inside "$root" "$1" 0:0 /usr/bin/evenweave simulate /root/jobs.csv --config /root/fair.xml --nodes 3 --out /root/simulation |
        expect "decisions [0-9a-f]{16}"
    helped "$root/usr/share"
    serves "$root" "$1" 65534:65534 /usr/bin/evenweave serve --nodes 20 \
        --config /etc/evenweave/serve.toml
    echo "RUST_LOG=debug" >>"$root/etc/evenweave/serve.conf"
    rpm "${words[@]}" --erase evenweave
    # What was changed is kept under another name.
    ls "$root/etc/evenweave/serve.conf.rpmsave"
    absent "$root/usr/bin/evenweave" "$root/usr/share/doc/evenweave"
    rm -r "$root"
}

# umoci is another's reader of images: it checks digests, and puts the layers on top of each other.
image() {
    local folder=$work/image-$1
    mkdir -p "$folder/layout"
    tar -xf "$dist/evenweave-$version-image-$1.tar" -C "$folder/layout"
    umoci unpack --image "$folder/layout:$version" "$folder/bundle"
    umoci stat --image "$folder/layout:$version"
    python3 - "$folder" "$(debian "$1")" >"$folder/words" <<'PYTHON'
import json, pathlib, sys
folder, machine = pathlib.Path(sys.argv[1]), sys.argv[2]
blob = lambda of: json.loads((folder / "layout/blobs" / of["digest"].replace(":", "/")).read_text())
config = blob(blob(json.loads((folder / "layout/index.json").read_text())["manifests"][0])["config"])
assert config["architecture"] == machine, config["architecture"]
inside = config["config"]
assert inside["ExposedPorts"] == {"8088/tcp": {}} and inside["Labels"]["org.opencontainers.image.licenses"], inside
process = json.loads((folder / "bundle/config.json").read_text())["process"]
assert process["args"] == inside["Entrypoint"] + inside["Cmd"], process
assert process["user"]["uid"] == 65532, process["user"]
print(*process["args"])
PYTHON
    # shellcheck disable=SC2046
    serves "$folder/bundle/rootfs" "$1" 65532:65532 $(cat "$folder/words")
    rm -r "$folder"
}

# What Podman of this machine is asked with: its own storage, and limits that a machine without privileges allows.
podman_here() {
    podman --root "$work/podman/root" --runroot "$work/podman/run" --storage-driver vfs --cgroup-manager cgroupfs --runtime runc "$@"
}
limits=(--cgroup-parent "/evenweave-$$" --ulimit nofile=4096:4096 --ulimit nproc=4096:4096 --read-only --cap-drop=all)
# The service in a container, in a network of its own. Podman itself starts it, so `wait` has its exit code.
image_in_podman() {
    podman_here load --input "$dist/evenweave-$version-image-$own.tar" | expect "localhost/evenweave:$version"
    podman_here run --rm --network none "${limits[@]}" "localhost/evenweave:$version" --version | expect "^evenweave $version"
    mkdir "$work/files"
    cp tools/data/fair-scheduler.xml "$work/files/"
    podman_here run --rm --network none "${limits[@]}" --volume "$work/files:/files:ro" "localhost/evenweave:$version" \
        check /files/fair-scheduler.xml
    podman_here run --detach --name served --network none "${limits[@]}" "localhost/evenweave:$version"
    for _ in $(seq 100); do
        if information "$(podman_here inspect --format '{{.State.Pid}}' served)" --fail >"$work/state"; then break; fi
        sleep 0.2
    done
    expect '"state":"STARTED"' <"$work/state"
    podman_here stop served
    podman_here inspect --format 'ended with {{.State.ExitCode}}' served | expect 'ended with 0'
}
podman_gone() {
    podman_here rm --all --force >/dev/null 2>&1 || true
    find /sys/fs/cgroup -maxdepth 3 -type d -name "evenweave-$$" -exec rmdir {} + 2>/dev/null || true
}

bills() {
    python3 - "$dist" "$version" <<'PYTHON'
import json, pathlib, sys
for name, crates in ("evenweave", {"evenweave", "mimalloc", "axum", "rustls"}), ("evenweave-yarn", {"evenweave", "jni"}):
    text = pathlib.Path(sys.argv[1], f"{name}-{sys.argv[2]}.cdx.json").read_text()
    bill = json.loads(text)
    assert bill["bomFormat"] == "CycloneDX", name
    missing = crates - {each["name"] for each in bill["components"]}
    assert not missing, (name, missing)
    without = [each["name"] for each in bill["components"] if not each.get("licenses")]
    assert not without, (name, "no licence", without)
    assert "packages-work" not in text and "/home/" not in text, (name, "has paths of the machine")
    print(name, len(bill["components"]), "components")
PYTHON
}

# --- in turn

packages=()
for tool in qemu-aarch64-static:qemu-user-static debootstrap:debootstrap rpm:rpm umoci:umoci podman:podman runc:runc \
    ip:iproute2 curl:curl readelf:binutils unzip:unzip; do
    command -v "${tool%%:*}" >/dev/null || packages+=("${tool#*:}")
done
if [ ${#packages[@]} -gt 0 ] && command -v apt-get >/dev/null; then
    echo "dist: installs ${packages[*]}"
    install_them() { apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null 2>&1; }
    install_them || { apt-get update -qq && install_them; } || echo "dist: they cannot be installed from here"
fi
have() {
    command -v "$1" >/dev/null
}

try "the sums" sums
try "the SBOMs" bills
runnable=()
for machine in x86_64 aarch64; do
    if [ "$machine" = "$own" ] || have "qemu-$machine-static"; then
        runnable+=("$machine")
        try "the static program for $machine, in an empty root: version, check, simulate, serve" static_program "$machine"
    else
        untried "the programs and packages for $machine: qemu-$machine-static is not here"
    fi
done
[ ${#runnable[@]} != 2 ] || try "both programs decide the same" same_decisions

try "the jar has libraries and licences" unpacked_jar
for machine in x86_64 aarch64; do try "the jar's library for $machine needs no glibc after 2.17" library "$machine"; done
if have javac && have mvn; then
    try "a JVM on $own loads the library from the jar; without one it says what to do" jar_here
    try "a ResourceManager with the jar gives containers" jar_in_manager
else
    untried "the jar in a JVM: Maven and a JDK are not here"
fi
if [ "$own" = aarch64 ]; then
    untried "the jar in a JVM on x86_64: this machine is aarch64"
elif have javac && have debootstrap && have qemu-aarch64-static; then
    try "a JVM for aarch64 loads the library from the jar" jar_there
else
    untried "the jar in a JVM for aarch64: a JDK, debootstrap or qemu-aarch64-static is not here"
fi

if have debootstrap && try_root=$(clean_debian 2>&1); then
    cp -a "$roots/debian" "$work/debian"
    set +e
    (set -e; boot "$work/debian") >"$work/said" 2>&1
    code=$?
    set -e
    halt
    if [ $code = 0 ]; then
        try "the .deb for $own, in a Debian with systemd: install, start, upgrade, stop, remove, purge" deb_installed
        halt
    else
        untried "the service under systemd, which cannot be started here: $(tail -n 1 "$work/said")"
        try "the .deb for $own, in a Debian: install, run the unit's command, purge" deb_without_systemd
    fi
    rm -rf "$work/debian"
    for machine in "${runnable[@]}"; do
        [ "$machine" = "$own" ] || try "the .deb for $machine, unpacked" deb_unpacked "$machine"
        if have rpm; then
            try "the .rpm for $machine: metadata, install, serve, remove" rpm_installed "$machine"
        else
            untried "the .rpm for $machine: rpm is not here"
        fi
    done
else
    untried ".deb and .rpm: no clean Debian can be made here: $(tail -n 1 <<<"${try_root:-debootstrap is not here}")"
fi
for machine in "${runnable[@]}"; do
    if have umoci; then
        try "the image for $machine, unpacked by umoci: it serves as its user" image "$machine"
    else
        untried "the image for $machine: umoci is not here"
    fi
done
if have podman && have runc; then
    try "the image for $own in Podman: load, check, serve, stop" image_in_podman
    podman_gone
else
    untried "the image for $own in Podman: podman or runc is not here"
fi
untried "the .rpm on a system of RPM's own (here: in a Debian, without its service); the images under Docker; a real aarch64 machine"

echo "dist: $((tried - failed)) tried and good, $failed failed, $left not tried"
[ $tried -gt 0 ] || { echo "dist: NOTHING WAS TRIED" >&2; exit 1; }
[ $failed = 0 ]
