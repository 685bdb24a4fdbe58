# Builds and installs the command with what belongs to it: the library that `algkit run` injects, completions, man pages.
#
#   make                                   builds (needs cargo)
#   make install PREFIX=$HOME/.local       for one user
#   sudo make install                      for all, in /usr/local
#   make deb                               a Debian package, in target/, for glibc 2.28 and later (needs gcc, binutils and python3)
#   make portable                          as `make`, for these
#
# `install` takes what `make` has built, so that root runs no compiler.

PREFIX ?= /usr/local
DESTDIR ?=
CARGO ?= cargo
INSTALL ?= install

built = target/release
pages = target/man
bindir = $(DESTDIR)$(PREFIX)/bin
libdir = $(DESTDIR)$(PREFIX)/lib/algkit
share = $(DESTDIR)$(PREFIX)/share
doc = $(share)/doc/algkit

.PHONY: all portable install uninstall deb check-package

all:
	$(CARGO) build --release --locked -p algkit-cli -p algkit-preload
	$(built)/algkit man-pages $(pages)

# What `all` builds asks for the C library of this machine, or a later one. This is linked again, for glibc 2.28 and later.
old = $(CURDIR)/target/old-glibc

portable: all
	packaging/old-glibc $(old)
	$(CARGO) rustc --release --locked -p algkit-cli --bin algkit -- -L native=$(old) -C link-arg=$(old)/start.o \
	    -C link-arg=-Wl,--wrap=__libc_start_main -C link-arg=-Wl,--allow-shlib-undefined
	$(CARGO) rustc --release --locked -p algkit-preload --lib --crate-type cdylib -- -L native=$(old)

$(built)/algkit $(built)/libalgkit_preload.so $(pages)/algkit.1:
	@echo '$@ is not there: run make first' >&2; exit 1

install: $(built)/algkit $(built)/libalgkit_preload.so $(pages)/algkit.1
	$(INSTALL) -D -m 755 $(built)/algkit $(bindir)/algkit
	$(INSTALL) -D -m 644 $(built)/libalgkit_preload.so $(libdir)/libalgkit_preload.so
	$(INSTALL) -d $(share)/man/man1 $(share)/bash-completion/completions $(share)/zsh/site-functions $(share)/fish/vendor_completions.d
	$(INSTALL) -m 644 $(pages)/*.1 $(share)/man/man1/
	$(built)/algkit completions bash > $(share)/bash-completion/completions/algkit
	$(built)/algkit completions zsh > $(share)/zsh/site-functions/_algkit
	$(built)/algkit completions fish > $(share)/fish/vendor_completions.d/algkit.fish
	$(INSTALL) -m 755 packaging/oci-hook $(libdir)/oci-hook
	$(INSTALL) -D -m 644 packaging/algkit-run.conf $(doc)/examples/algkit-run.conf
	sed 's,/usr/lib/algkit,$(PREFIX)/lib/algkit,' packaging/oci-hook.json > $(doc)/examples/oci-hook.json
	$(INSTALL) -m 644 README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT $(doc)/

uninstall:
	rm -f $(bindir)/algkit $(share)/man/man1/algkit.1 $(share)/man/man1/algkit-*.1
	rm -f $(share)/bash-completion/completions/algkit $(share)/zsh/site-functions/_algkit $(share)/fish/vendor_completions.d/algkit.fish
	rm -rf $(libdir) $(doc)

deb: portable
	packaging/deb target

check-package:
	packaging/check
