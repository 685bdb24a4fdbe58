# Builds and installs the command with what belongs to it: the library that `algkit run` injects, completions, man pages; and the
# C library with its header and man pages. The OpenSSL provider is built and installed by itself.
#
#   make                                   builds (needs cargo)
#   make install PREFIX=$HOME/.local       for one user
#   sudo make install                      for all, in /usr/local
#   make c-library install-c               the C library alone
#   make provider install-provider       the OpenSSL provider, where `openssl version -m` or MODULESDIR says (needs OpenSSL 3)
#   make deb                               Debian packages, in target/, for glibc 2.28 and later (needs gcc, binutils and python3)
#   make portable                          as `make`, for these
#
# `install` takes what `make` has built and put into target/made, so that root runs no compiler and needs no settings of cargo. DESTDIR goes
# in front of every path. `uninstall` takes the same PREFIX, LIBDIR and DESTDIR.

PREFIX ?= /usr/local
DESTDIR ?=
CARGO ?= cargo
STRIP ?= strip
INSTALL ?= install
LIBDIR ?= $(PREFIX)/lib

ifneq ($(filter-out /%,$(PREFIX) $(LIBDIR)),)
$(error PREFIX and LIBDIR have to begin with /)
endif

# The folder in which cargo builds, wherever CARGO_TARGET_DIR or cargo's configuration put it.
built = $(or $(CARGO_TARGET_DIR),$(shell $(CARGO) metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/'))/release
made = target/made
pages = $(made)/man
completions = $(made)/completions
bindir = $(DESTDIR)$(PREFIX)/bin
libdir = $(DESTDIR)$(PREFIX)/lib/algkit
share = $(DESTDIR)$(PREFIX)/share
doc = $(share)/doc/algkit

.PHONY: all c-library portable provider install install-c install-provider uninstall uninstall-provider deb check-package

all:
	$(CARGO) build --release --locked -p algkit-cli -p algkit-preload -p algkit-capi
	$(in_made)
	$(in_c)

define in_made
	$(INSTALL) -d $(completions)
	$(INSTALL) -m 755 '$(built)/algkit' $(made)/algkit
	$(INSTALL) -m 644 '$(built)/libalgkit_preload.so' $(made)/libalgkit_preload.so
	rm -f $(pages)/*.1
	$(made)/algkit man-pages $(pages)
	$(made)/algkit completions bash > $(completions)/algkit
	$(made)/algkit completions zsh > $(completions)/_algkit
	$(made)/algkit completions fish > $(completions)/algkit.fish
endef

# Cargo builds a crate that packages share with the features that all of them need. The gate names the command in ALGKIT_WITH, as it has built
# algkit for that.
c-library:
	$(CARGO) build --release --locked -p algkit-capi $(ALGKIT_WITH)
	$(in_c)

# rustc cannot give symbols versions, so the C library is linked here, of the archive that cargo makes.
version = $(shell sed -n 's/^version = "\(.*\)"$$/\1/p' Cargo.toml | head -1)
capi = crates/capi
c = target/c
shared = $(c)/libalgkit.so.$(version)
link = $(CC) -shared -o $(shared) -Wl,-soname,libalgkit.so.0 -Wl,--version-script=$(capi)/algkit.map -Wl,--gc-sections,-s,-z,relro,-z,now \
    -Wl,--whole-archive '$(built)/libalgkit_capi.a' -Wl,--no-whole-archive
# Before glibc 2.34, functions of threads and of the loader were in libraries of their own. A symbol that no library has is an error.
libs = -lgcc_s -lm -lpthread -ldl -lc -Wl,-z,defs

define in_c
	mkdir -p $(c)/man
	$(link) $(libs)
	$(STRIP) --strip-debug -o $(c)/libalgkit.a '$(built)/libalgkit_capi.a'
	rm -f $(c)/man/*.3
	awk -v version=$(version) -v folder=$(c)/man -f $(capi)/man.awk $(capi)/include/algkit.h
endef

# What `all` builds asks for the C library of this machine, or a later one. This is linked again, for glibc 2.28 and later.
old = $(CURDIR)/target/old-glibc

portable: all
	packaging/old-glibc $(old)
	$(CARGO) rustc --release --locked -p algkit-cli --bin algkit -- -L native=$(old) -C link-arg=$(old)/start.o \
	    -C link-arg=-Wl,--wrap=__libc_start_main -C link-arg=-Wl,--allow-shlib-undefined
	$(CARGO) rustc --release --locked -p algkit-preload --lib --crate-type cdylib -- -L native=$(old)
	$(in_made)
	$(link) -L$(old) $(libs)

$(made)/algkit $(c)/libalgkit.a:
	@echo '$@ is not there: run make first' >&2; exit 1

install: install-c $(made)/algkit
	$(INSTALL) -D -m 755 $(made)/algkit $(bindir)/algkit
	$(INSTALL) -D -m 644 $(made)/libalgkit_preload.so $(libdir)/libalgkit_preload.so
	$(INSTALL) -d $(share)/man/man1 $(share)/bash-completion/completions $(share)/zsh/site-functions $(share)/fish/vendor_completions.d
	$(INSTALL) -m 644 $(pages)/*.1 $(share)/man/man1/
	$(INSTALL) -m 644 $(completions)/algkit $(share)/bash-completion/completions/algkit
	$(INSTALL) -m 644 $(completions)/_algkit $(share)/zsh/site-functions/_algkit
	$(INSTALL) -m 644 $(completions)/algkit.fish $(share)/fish/vendor_completions.d/algkit.fish
	$(INSTALL) -m 755 packaging/oci-hook $(libdir)/oci-hook
	$(INSTALL) -d $(doc)/examples
	sed 's,/usr/bin/algkit,$(PREFIX)/bin/algkit,' packaging/algkit-run.conf > $(doc)/examples/algkit-run.conf
	sed 's,/usr/lib/algkit,$(PREFIX)/lib/algkit,' packaging/oci-hook.json > $(doc)/examples/oci-hook.json
	chmod 644 $(doc)/examples/algkit-run.conf $(doc)/examples/oci-hook.json
	$(INSTALL) -m 644 README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT $(doc)/

install-c: $(c)/libalgkit.a
	$(INSTALL) -d $(DESTDIR)$(LIBDIR)/pkgconfig $(share)/man/man3
	$(INSTALL) -m 644 $(shared) $(c)/libalgkit.a $(DESTDIR)$(LIBDIR)/
	ln -sf libalgkit.so.$(version) $(DESTDIR)$(LIBDIR)/libalgkit.so.0
	ln -sf libalgkit.so.0 $(DESTDIR)$(LIBDIR)/libalgkit.so
	$(INSTALL) -D -m 644 $(capi)/include/algkit.h $(DESTDIR)$(PREFIX)/include/algkit.h
	sed 's,@PREFIX@,$(PREFIX),; s,@LIBDIR@,$(LIBDIR),; s,@VERSION@,$(version),' $(capi)/algkit.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/algkit.pc
	chmod 644 $(DESTDIR)$(LIBDIR)/pkgconfig/algkit.pc
	$(INSTALL) -m 644 $(c)/man/*.3 $(share)/man/man3/

provider:
	$(CARGO) build --release --locked -p algkit-provider $(ALGKIT_WITH)
	$(INSTALL) -D -m 644 '$(built)/libalgkit_provider.so' $(provider)

provider = target/provider/algkit.so
# The folder in which OpenSSL looks for providers.
MODULESDIR ?= $(or $(shell openssl version -m 2>/dev/null | sed -n 's/^MODULESDIR: "\(.*\)"$$/\1/p'),$(shell pkg-config --variable=modulesdir libcrypto 2>/dev/null))
modulesdir = $(or $(MODULESDIR),$(error neither openssl nor pkg-config says where OpenSSL looks for providers: set MODULESDIR))

$(provider):
	@echo '$@ is not there: run make provider first' >&2; exit 1

install-provider: $(provider)
	$(INSTALL) -D -m 644 $(provider) $(DESTDIR)$(modulesdir)/algkit.so

uninstall-provider:
	rm -f $(DESTDIR)$(modulesdir)/algkit.so

uninstall:
	rm -f $(DESTDIR)$(LIBDIR)/libalgkit.* $(DESTDIR)$(LIBDIR)/pkgconfig/algkit.pc $(DESTDIR)$(PREFIX)/include/algkit.h
	rm -f $(share)/man/man3/algkit.3 $(share)/man/man3/algkit_*.3
	rm -f $(bindir)/algkit $(share)/man/man1/algkit.1 $(share)/man/man1/algkit-*.1
	rm -f $(share)/bash-completion/completions/algkit $(share)/zsh/site-functions/_algkit $(share)/fish/vendor_completions.d/algkit.fish
	rm -rf $(libdir) $(doc)

deb: portable
	packaging/deb target

check-package:
	packaging/check
