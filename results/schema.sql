-- Version 1 of the store. This script makes it and never changes again: what comes later is a
-- further script in migrations.cpp. Names end in their unit; times of day are seconds since 1970.
-- Row ids are local to one file. What is equal on every machine, and what a merge goes by, is
-- runs.uuid, cases.case_id, and (workload, replicate) within them.

-- One invocation of `bench run`, or one imported file.
CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,       -- the number people type; never given twice
  uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 32),
  name TEXT NOT NULL,                         -- of the configuration
  status TEXT NOT NULL CHECK (status IN ('running', 'interrupted', 'complete')),
  started_unix_s REAL NOT NULL CHECK (abs(started_unix_s) < 1e300),
  ended_unix_s REAL CHECK (abs(ended_unix_s) < 1e300),
  host TEXT NOT NULL,
  tag TEXT NOT NULL,                          -- empty: none
  notes TEXT NOT NULL,
  argv TEXT NOT NULL,                         -- the command, secrets masked
  plan_source TEXT NOT NULL,                  -- the configuration, ${VAR} not expanded
  fingerprint TEXT NOT NULL                   -- digest of the facts of role 'machine'
) STRICT;
CREATE INDEX runs_by_start ON runs (started_unix_s, uuid);

-- What was true of the machine: GPU model, driver, kernel, compiler, engine arguments, ...
CREATE TABLE facts (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  -- machine: another value is another machine. software: listed when it differs.
  -- circumstance: differs from run to run (load, temperature); never compared.
  role TEXT NOT NULL CHECK (role IN ('machine', 'software', 'circumstance')),
  PRIMARY KEY (run_id, name)
) STRICT, WITHOUT ROWID;

-- A device that the run measured on, with the ceiling it measured there.
CREATE TABLE devices (
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  kind TEXT NOT NULL,                         -- cpu, cuda
  ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
  name TEXT NOT NULL,                         -- NVIDIA H200
  uuid TEXT NOT NULL,                         -- empty on a CPU
  copy_bytes_per_s REAL CHECK (copy_bytes_per_s > 0 AND copy_bytes_per_s < 1e300),  -- NULL: not measured
  PRIMARY KEY (run_id, kind, ordinal)
) STRICT, WITHOUT ROWID;

-- What a case is, once for all runs.
CREATE TABLE cases (
  id INTEGER PRIMARY KEY,
  case_id TEXT NOT NULL UNIQUE CHECK (length(case_id) = 16),  -- hash of canonical
  canonical TEXT NOT NULL UNIQUE,             -- the identity in words
  runner TEXT NOT NULL,
  variant TEXT NOT NULL,
  parameters TEXT NOT NULL                   -- JSON: those that define the case
) STRICT;

-- The manifest: what the run set out to measure. A case may stand in two workloads of a run.
CREATE TABLE planned_cases (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  case_id INTEGER NOT NULL REFERENCES cases,
  workload TEXT NOT NULL,
  position INTEGER NOT NULL,                  -- order in the plan
  axes TEXT NOT NULL,                         -- names of the workload's axes, comma separated
  label TEXT NOT NULL,                        -- the axes at this point: context 4k, concurrency 8
  is_baseline INTEGER NOT NULL CHECK (is_baseline IN (0, 1)),  -- the "before" of its workload
  replicates INTEGER NOT NULL CHECK (replicates >= 0),
  skip TEXT NOT NULL,                         -- why it was left out; empty: measured
  settings TEXT NOT NULL,                     -- JSON: what is set of the other parameters
  UNIQUE (run_id, workload, case_id)
) STRICT;
CREATE INDEX planned_cases_by_case ON planned_cases (case_id);
CREATE INDEX planned_cases_count ON planned_cases (run_id, skip, replicates);

-- One planned case in one replicate; written in one transaction with all that hangs on it.
CREATE TABLE measurements (
  id INTEGER PRIMARY KEY,
  planned_id INTEGER NOT NULL REFERENCES planned_cases ON DELETE CASCADE,
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,  -- as in planned_cases; for counting
  replicate INTEGER NOT NULL CHECK (replicate >= 0),
  status TEXT NOT NULL CHECK (status IN ('ok', 'incorrect', 'failed', 'crashed', 'timeout',
                                         'out_of_memory', 'skipped', 'invalid')),
  reason TEXT NOT NULL,
  started_unix_s REAL NOT NULL CHECK (abs(started_unix_s) < 1e300),
  wall_s REAL NOT NULL CHECK (wall_s >= 0 AND wall_s < 1e300),
  sample_count INTEGER NOT NULL CHECK (sample_count >= 0),  -- as taken; `samples` may hold fewer
  -- The device's state beside the samples. NULL: not readable.
  temperature_c REAL,
  power_w REAL,
  energy_j REAL,
  sm_clock_hz REAL,
  throttle_reasons TEXT NOT NULL,             -- comma separated; empty: none
  other_processes TEXT NOT NULL,              -- on the device; empty: none
  negative_control INTEGER NOT NULL CHECK (negative_control IN (0, 1)),  -- 1: must be incorrect
  UNIQUE (planned_id, replicate)
) STRICT;
CREATE INDEX measurements_by_run ON measurements (run_id, status, negative_control);

-- The samples in the order taken, as blobs of little-endian IEEE 754 doubles: numpy reads one with
-- frombuffer(seconds, '<f8'). clock_hz is empty where the device could not tell. `bench prune`
-- thins or removes rows here; metrics and stages stay.
CREATE TABLE samples (
  measurement_id INTEGER PRIMARY KEY REFERENCES measurements ON DELETE CASCADE,
  count INTEGER NOT NULL CHECK (count > 0),
  seconds BLOB NOT NULL CHECK (length(seconds) = 8 * count),
  clock_hz BLOB NOT NULL CHECK (length(clock_hz) IN (0, 8 * count))
) STRICT;

-- Every request of a pass over a live server, in the bytes of runners/http/record_codec.h.
CREATE TABLE requests (
  measurement_id INTEGER PRIMARY KEY REFERENCES measurements ON DELETE CASCADE,
  records BLOB NOT NULL
) STRICT;

-- One stage of the instrumented step: its median time, and the bytes the variant says it moves.
CREATE TABLE stages (
  measurement_id INTEGER NOT NULL REFERENCES measurements ON DELETE CASCADE,
  position INTEGER NOT NULL,                  -- order in the step
  stage TEXT NOT NULL,
  seconds REAL NOT NULL CHECK (seconds >= 0 AND seconds < 1e300),
  bytes REAL NOT NULL CHECK (bytes >= 0 AND bytes < 1e300),
  PRIMARY KEY (measurement_id, position)
) STRICT, WITHOUT ROWID;

-- A metric's meaning. A changed definition is a new version and so a new row.
CREATE TABLE metric_kinds (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 0),  -- 0: an imported counter, not defined by bench
  unit TEXT NOT NULL,
  better TEXT NOT NULL CHECK (better IN ('lower', 'higher')),
  definition TEXT NOT NULL,
  UNIQUE (name, version)
) STRICT;

CREATE TABLE metrics (
  measurement_id INTEGER NOT NULL REFERENCES measurements ON DELETE CASCADE,
  kind_id INTEGER NOT NULL REFERENCES metric_kinds,
  value REAL NOT NULL CHECK (abs(value) <= 1.7976931348623157e308),
  PRIMARY KEY (measurement_id, kind_id)
) STRICT, WITHOUT ROWID;

-- The log of accepted baselines. A configuration's pinned run is that of the newest row.
CREATE TABLE baselines (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  accepted_unix_s REAL NOT NULL CHECK (abs(accepted_unix_s) < 1e300),
  notes TEXT NOT NULL,
  UNIQUE (run_id, accepted_unix_s)
) STRICT;
