# torch-profile: everything built goes to .build/MODE; release mode also leaves
# symlinks in bin/, so that PATH=$PWD/bin:$PATH works right after make.
# MODE is release, debug, asan, tsan, cov (or fuzz, by way of `make fuzz`).
VERSION := 0.1
MODE    ?= release
B       := .build/$(MODE)
PREFIX  ?= /usr/local
J       ?= 2
MAKEFLAGS += -r
ifeq ($(origin CC),default)
CC      := cc
endif
AR      ?= ar
INSTALL ?= install

PKG     ?= pkg-config
DEPS    := yajl liblz4 sqlite3 zlib
DEP_CFLAGS := $(shell $(PKG) --cflags $(DEPS) 2>/dev/null)
DEP_LIBS   := $(or $(shell $(PKG) --libs $(DEPS) 2>/dev/null),-lyajl -llz4 -lsqlite3 -lz)
MOCKA_LIBS := $(or $(shell $(PKG) --libs cmocka 2>/dev/null),-lcmocka)

WARN := -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Wwrite-strings -Wformat=2 -Wundef \
	-Wno-overlength-strings
FLAGS_release := -O2 -g
FLAGS_debug   := -O0 -g3 -Werror
FLAGS_asan    := -O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all \
	-fsanitize=address,undefined
FLAGS_tsan    := -O1 -g -fno-omit-frame-pointer -fsanitize=thread
FLAGS_cov     := -O0 -g --coverage
FLAGS_fuzz    := $(FLAGS_asan) -fsanitize=fuzzer-no-link -DTP_FUZZ
MODEFLAGS := $(or $(FLAGS_$(MODE)),$(error MODE=$(MODE)? one of release debug asan tsan cov))
# the user's flags come last and never lose ours
ALL_CPPFLAGS = -D_GNU_SOURCE -Ilib -Ishare -I$(B)/gen \
	-DTP_VERSION='"$(VERSION)"' $(DEP_CFLAGS) $(CPPFLAGS)
ALL_CFLAGS   = $(WARN) $(MODEFLAGS) -fPIC -ffile-prefix-map=$(CURDIR)=. $(CFLAGS)
ALL_LDFLAGS  = $(MODEFLAGS) $(LDFLAGS)
NOW = $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(LDLIBS)

LIBO := $(patsubst %.c,$(B)/%.o,$(wildcard lib/*.c))
PROG := $(patsubst bin/%.c,%,$(wildcard bin/tp-*.c))
SH   := $(patsubst bin/%,%,$(shell find bin -name 'tp-*' -type f ! -name '*.c' 2>/dev/null))
UNIT := $(patsubst t/unit/%.c,$(B)/t/%,$(wildcard t/unit/*.c))
SHIM := $(patsubst t/shim/%.c,$(B)/t/%.so,$(wildcard t/shim/*.c))
TOOL := $(patsubst t/tools/%.c,$(B)/t/%,$(wildcard t/tools/*.c))
FUZZ := $(patsubst t/fuzz/%.c,$(B)/fuzz/%,$(wildcard t/fuzz/*.c))
REPLAY := $(FUZZ:$(B)/fuzz/%=$(B)/replay/%)
GEN  := $(patsubst share/%.sql,$(B)/gen/%.sql.h,$(wildcard share/*.sql))
MAN  := $(wildcard doc/*.[1-9])

# The capture library needs CUDA's headers alone; it opens the libraries late.
# Without a toolkit they are where t/cuda-headers puts them.
CUDA_HOME ?= $(firstword $(wildcard /usr/local/cuda) .build/cuda/13)
CAPO := $(patsubst %.c,$(B)/%.o,$(wildcard lib/capture/*.c))
CUPTI_H := $(firstword $(wildcard $(CUDA_HOME)/include/cupti.h \
	$(CUDA_HOME)/extras/CUPTI/include/cupti.h))
CAPTURE := $(if $(CAPO),$(if $(CUPTI_H),$(B)/lib/libtpcapture.so,no-capture))

all: $(PROG:%=$(B)/bin/%) $(SH:%=$(B)/bin/%) $(B)/libtp.a $(B)/share $(CAPTURE) \
	$(if $(filter release,$(MODE)),$(PROG:%=bin/%))

$(PROG:%=bin/%): bin/%: $(B)/bin/%
	@ln -sf ../$< $@
$(SH:%=$(B)/bin/%): $(B)/bin/%: bin/% | $(B)/.dirs
	@cp $< $@
$(B)/share: | $(B)/.dirs
	@ln -sfn ../../share $@
$(B)/libtp.a: $(LIBO)
	rm -f $@ && $(AR) rcs $@ $^
$(PROG:%=$(B)/bin/%): $(B)/bin/%: $(B)/bin/%.o $(B)/libtp.a
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(DEP_LIBS) $(LDLIBS)
$(UNIT): $(B)/t/%: $(B)/t/unit/%.o $(B)/libtp.a
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(MOCKA_LIBS) $(DEP_LIBS) $(LDLIBS)
$(TOOL): $(B)/t/%: $(B)/t/tools/%.o $(B)/libtp.a
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(DEP_LIBS) $(LDLIBS)
# preloaded by tests; without sanitizers, whose run time must come first
$(SHIM): $(B)/t/%.so: t/shim/%.c $(B)/.flags
	$(CC) -D_GNU_SOURCE -std=gnu11 -Wall -Wextra -Wno-vla-parameter -O2 -g -fPIC -shared -o $@ $< -ldl -lpthread
$(FUZZ): $(B)/fuzz/%: $(B)/t/fuzz/%.o $(B)/libtp.a
	$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(filter %.a,$^) $(DEP_LIBS) $(LDLIBS)
# the targets without a fuzzer, over t/fuzz/corpus
$(REPLAY): $(B)/replay/%: $(B)/t/fuzz/%.o $(B)/t/fuzz/replay/replay.o $(B)/libtp.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(DEP_LIBS) $(LDLIBS)
# programs as functions, for the target that runs them all
ENTRY := $(patsubst %,$(B)/entry/%.o,tp-ingest tp-view1 tp-view2 tp-view3 \
	tp-view4 tp-view5 tp-rank tp-trace)
$(B)/fuzz/report $(B)/replay/report: $(ENTRY)
$(ENTRY): $(B)/entry/%.o: bin/%.c $(B)/.flags | $(GEN)
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) -Dmain=$(subst -,_,$*)_main $(ALL_CFLAGS) \
		-Wno-missing-prototypes -MMD -MP -c -o $@ $<
# once in a process it stays: threads and handlers of it may run until the end
$(B)/lib/libtpcapture.so: $(CAPO) $(B)/libtp.a
	$(CC) -shared $(ALL_LDFLAGS) -Wl,-z,nodelete -Wl,--exclude-libs,ALL -o $@ $^ \
		-ldl -lpthread
CUDA_I = -isystem $(dir $(CUPTI_H)) -isystem $(CUDA_HOME)/include
$(CAPO): ALL_CFLAGS += -fvisibility=hidden $(CUDA_I)
# a CUDA that computes nothing, for the tests (t/cuda/sim.h)
SIM := $(if $(filter %.so,$(CAPTURE)),$(addprefix $(B)/t/cuda/,libcuda.so.1 \
	libcupti.so.13 job))
SIM_CC = $(CC) -D_GNU_SOURCE $(filter-out -Wpedantic -Wmissing-prototypes,$(WARN)) \
	$(MODEFLAGS) -fPIC $(CFLAGS) -It/cuda
$(B)/t/cuda/libcuda.so.1: t/cuda/libcuda.c t/cuda/sim.h $(B)/.flags
	@mkdir -p $(@D)
	$(SIM_CC) -shared -Wl,-soname,$(@F) -o $@ $< -ldl -lpthread
$(B)/t/cuda/libcupti.so.13: t/cuda/libcupti.c t/cuda/sim.h $(B)/.flags
	@mkdir -p $(@D)
	$(SIM_CC) $(CUDA_I) -shared -Wl,-soname,$(@F) -o $@ $< -ldl -lpthread
$(B)/t/cuda/job: t/cuda/job.c t/cuda/sim.h $(B)/.flags
	@mkdir -p $(@D)
	$(SIM_CC) -o $@ $< -ldl -lpthread
no-capture:
	@echo 'no cupti.h under $(CUDA_HOME): the capture library is left out (set' \
		'CUDA_HOME, or run t/cuda-headers)' >&2

$(B)/%.o: %.c $(B)/.flags | $(GEN)
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
# a .sql file as one C string: static const char q[] =
#                              #include "NAME.sql.h"
#                              ;
$(B)/gen/%.sql.h: share/%.sql | $(B)/.dirs
	@sed -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' $< >$@
$(B)/.dirs:
	@mkdir -p $(B)/bin $(B)/lib $(B)/gen $(B)/t $(B)/fuzz && touch $@
# changed flags rebuild
$(B)/.flags: force | $(B)/.dirs
	@printf '%s\n' '$(subst ','\'',$(NOW))' | cmp -s - $@ || \
		printf '%s\n' '$(subst ','\'',$(NOW))' >$@

# check and demo work on a bare machine: t/need installs what is missing, and
# only then the second make looks for the libraries.
check demo:
	@t/need build $@ $(if $(filter check,$@),cuda)
	@$(if $(filter check,$@),[ -e $(CUDA_HOME)/include/cupti.h ] || t/cuda-headers || :)
	@echo 'building what is not built, up to a minute (V=1 shows the commands)'
	@$(MAKE) $(if $(V),,-s) --no-print-directory $@-now
tests: all $(UNIT) $(SHIM) $(REPLAY) $(TOOL) $(SIM)
# under the thread sanitizer only what has threads: the capture library, in jobs in C
CHECK := $(if $(filter tsan,$(MODE)),$(wildcard t/44[01]0-*.t),t/)
check-now: tests
	@find $(B) -name '*.gcda' -exec rm -f {} +
	@TP_BUILD=$(CURDIR)/$(B) PATH="$(CURDIR)/$(B)/bin:$$PATH" prove -j$(J) $(CHECK)
	$(if $(filter cov,$(MODE)),@t/coverage $(B))
# the tests that need a torch; makes an environment for it where there is none
check-torch: tests
	@t/torch-python --make >/dev/null
	@TP_BUILD=$(CURDIR)/$(B) PATH="$(CURDIR)/$(B)/bin:$$PATH" prove -j$(J) \
		$$(grep -l torch-python t/*.t)
demo-now: all
	@PATH="$(CURDIR)/$(B)/bin:$$PATH" sh share/demo.sh
# what takes too long for check: every part of t/torture.d, or TORTURE="PART..."
torture: tests
	@TP_BUILD=$(CURDIR)/$(B) PATH="$(CURDIR)/$(B)/bin:$$PATH" t/torture $(TORTURE)
bench: all $(TOOL)
	@BUILD=$(CURDIR)/$(B) bash t/bench.sh $(BENCH)
FUZZ_SECONDS ?= 60
fuzz:
	@$(MAKE) --no-print-directory MODE=fuzz CC=clang fuzz-now
fuzz-now: $(FUZZ) $(B)/share
	@sh t/fuzz/run $(FUZZ_SECONDS) $(FUZZ)
# the flags as a release has them: the optimizer's warnings count too
lint: $(GEN)
	@CC='$(CC)' CPPFLAGS='$(subst ','\'',$(ALL_CPPFLAGS) $(if $(CUPTI_H),$(CUDA_I)))' \
		CFLAGS='$(WARN) -O2' sh t/lint

D = $(DESTDIR)$(PREFIX)
install: all
	$(INSTALL) -d $(D)/bin $(D)/share/tp $(D)/share/man/man1
	$(INSTALL) -m 755 $(PROG:%=$(B)/bin/%) $(SH:%=bin/%) $(D)/bin
	cp -R share/. $(D)/share/tp
	$(foreach s,1 5 7,$(if $(filter %.$s,$(MAN)),$(INSTALL) -d $(D)/share/man/man$s && \
		$(INSTALL) -m 644 $(filter %.$s,$(MAN)) $(D)/share/man/man$s &&)) :
	$(if $(filter %.so,$(CAPTURE)),$(INSTALL) -d $(D)/lib/tp && \
		$(INSTALL) -m 755 $(CAPTURE) $(D)/lib/tp)
uninstall:
	cd $(D)/bin && rm -f $(PROG) $(SH)
	rm -rf $(D)/share/tp $(D)/lib/tp
	$(foreach m,$(MAN),rm -f $(D)/share/man/man$(subst .,,$(suffix $m))/$(notdir $m) &&) :
clean:
	rm -rf .build $(PROG:%=bin/%)

.PHONY: all tests check demo check-now check-torch demo-now torture bench fuzz fuzz-now \
	lint install uninstall clean no-capture force
.DELETE_ON_ERROR:
.SECONDARY:
-include $(wildcard $(B)/lib/*.d $(B)/lib/capture/*.d $(B)/bin/*.d $(B)/entry/*.d \
	$(B)/t/*/*.d $(B)/t/*/*/*.d)
