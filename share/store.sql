-- store.sql - the store's tables and its public SQL views (tp-store(5)).
--
-- Every id is (trace << 40) + n: a trace's rows are one range of each table,
-- and moving a trace to another number adds one constant.  Columns that refer
-- to a row of the same trace (name, track, op, ...) hold n alone.  Times are ns
-- relative to trace.base_ns, so that they stay short and a base that the file
-- tells at its end touches no row.  call, dev, step and idle are in order of
-- time; host and mem are in order of the file, in the sorted runs of `run`.

CREATE TABLE trace (
  id INTEGER PRIMARY KEY,     -- 1, 2, ... as they came; the public number is by hash
  hash TEXT NOT NULL UNIQUE,  -- 16 hex digits, XXH64 of the decoded bytes
  path TEXT, host TEXT, rank INTEGER, rank_from TEXT, world_size INTEGER,
  base_ns INTEGER NOT NULL, first_ns INTEGER, last_ns INTEGER,
  torch TEXT, dialect TEXT, with_stack INTEGER, record_shapes INTEGER,
  profile_memory INTEGER, dist TEXT, device_name TEXT, sms INTEGER,
  capacity INTEGER, partial INTEGER NOT NULL DEFAULT 0, why_partial TEXT,
  step_rule TEXT,             -- 'ProfilerStep' 'regex' 'Optimizer.step' 'whole'
  scope TEXT                  -- --scope at ingest
  -- and a column for each line of counts.def
);
CREATE TABLE device (id INTEGER PRIMARY KEY, idx TEXT NOT NULL, name TEXT,
  sms INTEGER, capacity INTEGER, main_stream TEXT,
  busy_known INTEGER NOT NULL DEFAULT 1);  -- 0: launches but no device op
CREATE TABLE track (id INTEGER PRIMARY KEY, pid TEXT, tid TEXT,
  device TEXT, stream TEXT, label TEXT);
CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
-- Python frames: a row for each name that is one.  own: 1 the user's code, 0 a
-- library's, built-in or generated code
CREATE TABLE frame (id INTEGER PRIMARY KEY, file TEXT, line INTEGER, func TEXT,
  own INTEGER NOT NULL);
CREATE TABLE host (id INTEGER PRIMARY KEY, ts INTEGER NOT NULL, dur INTEGER NOT NULL,
  track INTEGER NOT NULL, name INTEGER NOT NULL, cat INTEGER NOT NULL,
  ext INTEGER, seq INTEGER);
-- issue facts of a call: op = name of the innermost operator around it, frame =
-- the user's innermost Python frame; how: 0 none 1 line 2 function 3 op 4 other_thread
CREATE TABLE call (id INTEGER PRIMARY KEY, ts INTEGER NOT NULL, dur INTEGER NOT NULL,
  track INTEGER NOT NULL, name INTEGER NOT NULL, cat INTEGER NOT NULL, corr INTEGER,
  op INTEGER, frame INTEGER, how INTEGER, ops INTEGER NOT NULL DEFAULT 0);
CREATE TABLE dev (id INTEGER PRIMARY KEY, ts INTEGER NOT NULL, dur INTEGER NOT NULL,
  track INTEGER NOT NULL, name INTEGER NOT NULL, cat INTEGER NOT NULL, corr INTEGER,
  bytes INTEGER, blocks INTEGER, call INTEGER, issue_ts INTEGER, issue_track INTEGER,
  op INTEGER, frame INTEGER, how INTEGER, flags INTEGER NOT NULL DEFAULT 0);
-- flags of dev: 1 untimed, 2 cut (impossible length)
CREATE TABLE coll (id INTEGER PRIMARY KEY, args TEXT NOT NULL); -- id of its dev row
CREATE TABLE mem (id INTEGER PRIMARY KEY, ts INTEGER NOT NULL, track INTEGER,
  device TEXT, type INTEGER, allocated INTEGER, reserved INTEGER, delta INTEGER,
  addr INTEGER, ok INTEGER NOT NULL DEFAULT 1);
CREATE TABLE run (id INTEGER PRIMARY KEY, tbl TEXT NOT NULL, first INTEGER NOT NULL,
  last INTEGER NOT NULL);     -- n of the first and last row of a sorted stretch
-- a step of a device on both clocks; one row a step and device (device '' : a job
-- without device work).  flags: 1 empty 2 incomplete 4 whole window
CREATE TABLE step (id INTEGER PRIMARY KEY, device TEXT NOT NULL, idx INTEGER NOT NULL,
  name TEXT, ts INTEGER NOT NULL, dur INTEGER NOT NULL, host_ts INTEGER NOT NULL,
  host_dur INTEGER NOT NULL, launches INTEGER, lone INTEGER,
  flags INTEGER NOT NULL DEFAULT 0);
-- the memory alive at a device's peak, by what allocated it
CREATE TABLE live (id INTEGER PRIMARY KEY, device TEXT, type INTEGER, bytes INTEGER,
  count INTEGER, op INTEGER, frame INTEGER, how INTEGER);
-- the honest clock (tp-time)
CREATE TABLE honest_run (id INTEGER PRIMARY KEY, hash TEXT NOT NULL, record TEXT NOT NULL);
CREATE TABLE honest_step (id INTEGER PRIMARY KEY, rank INTEGER, step INTEGER,
  ts_ns INTEGER, wall_ns INTEGER, device_ns INTEGER, allocated INTEGER,
  reserved INTEGER, record TEXT);
CREATE TABLE honest_startup (id INTEGER PRIMARY KEY, rank INTEGER, phase TEXT,
  ts_ns INTEGER, dur_ns INTEGER, file TEXT, line INTEGER, record TEXT);
