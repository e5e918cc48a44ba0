-- store.sql - the store's tables and its public SQL views (tp-store(5)).
--
-- Every id is (trace << 40) + n: a trace's rows are one range of each table,
-- and moving a trace to another number adds one constant.  Columns that refer
-- to a row of the same trace (name, track, op, ...) hold n alone.  Times are ns
-- relative to trace.base_ns, so that they stay short and a base that the file
-- tells at its end touches no row.  call, dev and step are in order of time;
-- host and memory are in order of the file, in the sorted runs of `run`.  The
-- honest_ tables count in runs of tp-time instead of traces: (run << 40) + n.

CREATE TABLE trace (
  id INTEGER PRIMARY KEY,     -- 1, 2, ... as they came
  number INTEGER,             -- the public number: 1, 2, ... in order of hash
  hash TEXT NOT NULL UNIQUE,  -- 16 hex digits, XXH64 of the decoded bytes
  path TEXT, host TEXT, rank INTEGER,
  rank_from TEXT,             -- 'option' 'content' 'name' 'assumed'
  world_size INTEGER,
  base_ns INTEGER NOT NULL, first_ns INTEGER, last_ns INTEGER,
  torch TEXT, dialect TEXT, with_stack INTEGER, record_shapes INTEGER,
  profile_memory INTEGER, dist TEXT, device_name TEXT, sms INTEGER,
  capacity INTEGER, partial INTEGER NOT NULL DEFAULT 0, why_partial TEXT,
  step_rule TEXT,             -- 'ProfilerStep' 'regex' 'Optimizer.step' 'whole'
  scope TEXT                  -- --scope at ingest
  -- and a column for each line of counts.def
);
-- busy_known 0: launches but no device op (then idx is '')
CREATE TABLE device (id INTEGER PRIMARY KEY, idx TEXT NOT NULL, name TEXT,
  sms INTEGER, capacity INTEGER, main_stream TEXT,
  ops INTEGER NOT NULL DEFAULT 0, busy_known INTEGER NOT NULL DEFAULT 1);
CREATE TABLE track (id INTEGER PRIMARY KEY, pid TEXT, tid TEXT,
  device TEXT, stream TEXT, label TEXT);
CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
-- Python frames: a row for each name that is one.  own: 1 the user's code, 0 a
-- library's, built-in or generated code
CREATE TABLE frame (id INTEGER PRIMARY KEY, file TEXT, line INTEGER, func TEXT,
  own INTEGER NOT NULL);
CREATE TABLE host (id INTEGER PRIMARY KEY, ts INTEGER NOT NULL, dur INTEGER NOT NULL,
  track INTEGER NOT NULL, name INTEGER NOT NULL, cat INTEGER NOT NULL,
  ext INTEGER, seq INTEGER, fwd INTEGER);
-- The chain of frames and operators around a call: parent is a row of this
-- table, 0 the outermost
CREATE TABLE stack (id INTEGER PRIMARY KEY, parent INTEGER NOT NULL,
  name INTEGER NOT NULL);
-- issue facts of a call: op = name of the innermost operator around it, frame =
-- the user's innermost Python frame; how: 0 none 1 line 2 function 3 op 4 other_thread
CREATE TABLE call (id INTEGER PRIMARY KEY, ts INTEGER NOT NULL, dur INTEGER NOT NULL,
  track INTEGER NOT NULL, name INTEGER NOT NULL, cat INTEGER NOT NULL, corr INTEGER,
  op INTEGER, frame INTEGER, how INTEGER, stack INTEGER,
  ops INTEGER NOT NULL DEFAULT 0);
CREATE TABLE dev (id INTEGER PRIMARY KEY, ts INTEGER NOT NULL, dur INTEGER NOT NULL,
  track INTEGER NOT NULL, name INTEGER NOT NULL, cat INTEGER NOT NULL, corr INTEGER,
  bytes INTEGER, blocks INTEGER, call INTEGER, issue_ts INTEGER, issue_track INTEGER,
  op INTEGER, frame INTEGER, how INTEGER, flags INTEGER NOT NULL DEFAULT 0);
-- flags of dev: 1 untimed (ts is its call's, or the trace's first), 2 cut
CREATE TABLE coll (id INTEGER PRIMARY KEY, args TEXT NOT NULL); -- id of its dev row
-- ok 0: a total that cannot be
CREATE TABLE memory (id INTEGER PRIMARY KEY, ts INTEGER NOT NULL, track INTEGER,
  device TEXT, type INTEGER, allocated INTEGER, reserved INTEGER, delta INTEGER,
  addr INTEGER, ok INTEGER NOT NULL DEFAULT 1);
CREATE TABLE run (id INTEGER PRIMARY KEY, tbl TEXT NOT NULL, first INTEGER NOT NULL,
  last INTEGER NOT NULL);     -- n of the first and last row of a sorted stretch
-- a step of a device: ts, dur between drain points, host_ts, host_dur the
-- annotation's own interval; one row a step and device (device '' : a job
-- without device work).  flags: 1 empty 2 incomplete 4 whole window
CREATE TABLE step (id INTEGER PRIMARY KEY, device TEXT NOT NULL, idx INTEGER NOT NULL,
  name TEXT, ts INTEGER NOT NULL, dur INTEGER NOT NULL, host_ts INTEGER NOT NULL,
  host_dur INTEGER NOT NULL, launches INTEGER, lone INTEGER,
  flags INTEGER NOT NULL DEFAULT 0);
-- why a device was idle, from the trace's first event to its last: pieces that
-- touch are one gap.  cause: table `cause`.  Where frame and op are NULL the
-- anchor is that of dev row `after`, the op that ends the gap; `before` is the op
-- that ended as the gap began.  doing: what the host was at, in gaps of 50 us on
CREATE TABLE idle (id INTEGER PRIMARY KEY, ts INTEGER NOT NULL, dur INTEGER NOT NULL,
  device TEXT NOT NULL, cause INTEGER NOT NULL, how INTEGER, frame INTEGER,
  op INTEGER, doing INTEGER, before INTEGER, after INTEGER);
-- runs of tiny kernels: launches in a row, the sum of their kernels' lengths, the
-- dev rows of the first ops of the first and the last launch
CREATE TABLE tiny (id INTEGER PRIMARY KEY, ts INTEGER NOT NULL, dur INTEGER NOT NULL,
  device TEXT NOT NULL, launches INTEGER NOT NULL, kernel INTEGER NOT NULL,
  first INTEGER NOT NULL, last INTEGER NOT NULL);
-- the memory alive at a device's peak, by what allocated it
CREATE TABLE live (id INTEGER PRIMARY KEY, device TEXT, type INTEGER, bytes INTEGER,
  count INTEGER, op INTEGER, frame INTEGER, how INTEGER);
-- the honest clock (tp-time): times are unix ns; hash is over the records;
-- partial 1: the stream was cut, so the run had more steps than are here
CREATE TABLE honest_run (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE,
  record TEXT NOT NULL, partial INTEGER NOT NULL DEFAULT 0);
CREATE TABLE honest_step (id INTEGER PRIMARY KEY, rank INTEGER, step INTEGER,
  ts_ns INTEGER, wall_ns INTEGER, device_ns INTEGER, allocated INTEGER,
  reserved INTEGER, record TEXT);
CREATE TABLE honest_startup (id INTEGER PRIMARY KEY, rank INTEGER, phase TEXT,
  ts_ns INTEGER, dur_ns INTEGER, file TEXT, line INTEGER, record TEXT);
CREATE TABLE how (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
INSERT INTO how VALUES (1,'line'),(2,'function'),(3,'op'),(4,'other_thread'),
  (5,'between');
-- cause (id, text) is filled from idle.h, cat (id, text) from event.h, and the
-- view `traces` is made from counts.def, by store_schema.c
CREATE TABLE cause (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE cat (id INTEGER PRIMARY KEY, text TEXT NOT NULL);

-- The public face: absolute unix ns, texts instead of numbers.

CREATE VIEW events AS
SELECT t.number AS trace, t.rank AS rank, k.device AS device, k.stream AS stream,
  k.pid AS pid, k.tid AS tid, c.text AS cat, n.text AS name,
  t.base_ns + e.ts AS ts_ns, e.dur AS dur_ns, e.corr AS corr, e.bytes AS nbytes
FROM (SELECT id, ts, dur, track, name, cat, corr, bytes FROM dev
  UNION ALL SELECT id, ts, dur, track, name, cat, corr, NULL FROM call
  UNION ALL SELECT id, ts, dur, track, name, cat, NULL, NULL FROM host) e
CROSS JOIN trace t ON t.id = e.id >> 40
CROSS JOIN cat c ON c.id = e.cat
CROSS JOIN name n ON n.id = (t.id << 40) + e.name
CROSS JOIN track k ON k.id = (t.id << 40) + e.track;

CREATE VIEW steps AS
SELECT t.number AS trace, t.rank AS rank, s.device AS device, s.idx AS idx,
  s.name AS name, t.base_ns + s.ts AS ts_ns, s.dur AS dur_ns,
  t.base_ns + s.host_ts AS host_ts_ns, s.host_dur AS host_dur_ns
FROM step s CROSS JOIN trace t ON t.id = s.id >> 40;

CREATE VIEW mem AS
SELECT t.number AS trace, t.rank AS rank, m.device AS device,
  t.base_ns + m.ts AS ts_ns, m.allocated AS allocated, m.reserved AS reserved,
  m.delta AS delta, m.addr AS addr
FROM memory m CROSS JOIN trace t ON t.id = m.id >> 40;

CREATE VIEW kernel_op AS
SELECT t.number AS trace, t.rank AS rank, d.corr AS corr, o.text AS op,
  (WITH RECURSIVE up(parent, text, depth) AS (
     SELECT s.parent, n.text, 1 FROM stack s
       JOIN name n ON n.id = (t.id << 40) + s.name
       WHERE s.id = (t.id << 40) + c.stack
     UNION ALL
     SELECT s.parent, n.text || ';' || up.text, up.depth + 1 FROM up
       JOIN stack s ON s.id = (t.id << 40) + up.parent
       JOIN name n ON n.id = (t.id << 40) + s.name
       WHERE up.parent > 0)
   SELECT text FROM up ORDER BY depth DESC LIMIT 1) AS stack,
  f.file AS file, f.line AS line, f.func AS func, h.text AS how
FROM dev d CROSS JOIN trace t ON t.id = d.id >> 40
LEFT JOIN call c ON c.id = (t.id << 40) + d.call
LEFT JOIN name o ON o.id = (t.id << 40) + d.op
LEFT JOIN frame f ON f.id = (t.id << 40) + d.frame
LEFT JOIN how h ON h.id = d.how;

CREATE VIEW lost AS
SELECT t.number AS trace, t.rank AS rank, i.device AS device,
  t.base_ns + i.ts AS ts_ns, i.dur AS dur_ns, c.text AS cause,
  f.file AS file, f.line AS line, f.func AS func,
  CASE WHEN f.id IS NULL THEN o.text END AS op, h.text AS how, g.text AS doing
FROM idle i CROSS JOIN trace t ON t.id = i.id >> 40
CROSS JOIN cause c ON c.id = i.cause
LEFT JOIN dev d ON d.id = (t.id << 40) + i.after
LEFT JOIN frame f ON f.id = (t.id << 40) + CASE
  WHEN i.how = 4 AND d.frame IS NULL THEN NULL
  WHEN i.frame IS NULL AND i.op IS NULL THEN d.frame ELSE i.frame END
LEFT JOIN name o ON o.id = (t.id << 40) + coalesce(i.op, d.op)
LEFT JOIN name g ON g.id = (t.id << 40) + i.doing
LEFT JOIN how h ON h.id = coalesce(i.how, d.how);

CREATE VIEW runs AS
SELECT r.id AS run, (SELECT count(*) FROM honest_step
  WHERE id >= r.id << 40 AND id < (r.id + 1) << 40) AS steps, r.partial AS partial
FROM honest_run r;

CREATE VIEW run_steps AS
SELECT s.id >> 40 AS run, s.rank AS rank, s.step AS step, s.ts_ns AS ts_ns,
  s.wall_ns AS wall_ns, s.device_ns AS device_ns, s.allocated AS allocated,
  s.reserved AS reserved
FROM honest_step s;

CREATE VIEW run_startup AS
SELECT s.id >> 40 AS run, s.rank AS rank, s.phase AS phase, s.ts_ns AS ts_ns,
  s.dur_ns AS dur_ns, s.file AS file, s.line AS line
FROM honest_startup s;
