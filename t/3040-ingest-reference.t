#!/bin/sh
# Real traces against the numbers of an independent reference: device ops, links,
# main stream, steps on both clocks, memory peaks, all to the nanosecond.
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || skip_all 'no sqlite3 shell'
[ -d "$TP_SHARED/expected" ] || skip_all 'no reference numbers (../shared, or $TP_SHARED)'

cat >check.sql <<'EOF'
CREATE TEMP TABLE want AS SELECT key AS device, value AS v
	FROM json_each(readfile('want.json'), '$.devices');
CREATE TEMP TABLE got AS SELECT d.idx AS device, d.main_stream,
	(SELECT count(*) FROM dev JOIN track k ON k.id = (1 << 40) + track
		WHERE k.device = d.idx) AS ops,
	(SELECT count(call) FROM dev JOIN track k ON k.id = (1 << 40) + track
		WHERE k.device = d.idx) AS linked
	FROM device d WHERE ops > 0;
SELECT 'devices', (SELECT group_concat(device) FROM (SELECT device FROM got ORDER BY 1)),
	(SELECT group_concat(device) FROM (SELECT device FROM want ORDER BY 1))
	WHERE (SELECT count(*) FROM got JOIN want USING (device)) <>
		max((SELECT count(*) FROM got), (SELECT count(*) FROM want));
SELECT 'ops, linked', device, ops, linked, v ->> '$.device_ops', v ->> '$.linked'
	FROM got JOIN want USING (device)
	WHERE ops <> v ->> '$.device_ops' OR linked <> v ->> '$.linked';
SELECT 'main stream', device, main_stream, v ->> '$.main_stream'
	FROM got JOIN want USING (device)
	WHERE main_stream IS NOT CAST(v ->> '$.main_stream' AS TEXT);
CREATE TEMP TABLE step_got AS SELECT device, name, dur, host_dur,
	row_number() OVER (PARTITION BY device ORDER BY id) - 1 AS k,
	coalesce(lead(host_ts) OVER (PARTITION BY device ORDER BY id),
		host_ts + host_dur) - host_ts AS host_wall
	FROM step WHERE device <> '' AND (SELECT step_rule FROM trace) = 'ProfilerStep';
CREATE TEMP TABLE step_want AS SELECT device, s.key AS k, s.value ->> '$.name' AS name,
	s.value ->> '$.wall' AS dur, s.value ->> '$.host_wall' AS host_wall,
	v ->> ('$.steps_host_clock[' || s.key || '].wall') AS host_dur
	FROM want, json_each(v, '$.steps') s;
SELECT 'step', * FROM (SELECT device, k, name, dur, host_wall, host_dur FROM step_got
	EXCEPT SELECT device, k, name, dur, host_wall, host_dur FROM step_want);
SELECT 'no step', * FROM (SELECT device, k, name, dur, host_wall, host_dur FROM step_want
	EXCEPT SELECT device, k, name, dur, host_wall, host_dur FROM step_got);
SELECT 'memory', m.key, m.value, n, a, r FROM json_each(readfile('want.json'), '$.memory') m
	JOIN (SELECT device, count(*) AS n, coalesce(max(allocated), 0) AS a,
		coalesce(max(reserved), 0) AS r FROM memory WHERE type IN (1, 6) AND ok
		GROUP BY device) ON device = m.key
	WHERE n <> m.value ->> '$.n' OR a <> m.value ->> '$.peak_allocated'
		OR r <> m.value ->> '$.peak_reserved';
SELECT 'rank', rank, json_extract(readfile('want.json'), '$.rank') FROM trace
	WHERE rank_from = 'content'
	AND rank IS NOT json_extract(readfile('want.json'), '$.rank');
SELECT 'impossible', impossible_ops FROM trace WHERE impossible_ops > 0;
PRAGMA integrity_check;
EOF

find "$TP_SHARED/traces" -type f | sort >list
while read -r trace; do
	name=${trace#"$TP_SHARED"/traces/}
	want=$TP_SHARED/expected/$(echo "$name" | sed 's,/,__,g').json
	[ -e "$want" ] || continue
	grep -q '"device_ops"' "$want" || continue
	cp "$want" want.json
	rm -f s.db
	tp-ingest -q -o s.db "$trace" </dev/null 2>err
	status=$?
	got=$(sqlite3 s.db <check.sql 2>&1)
	case "$status $got" in '0 ok'|'3 ok') true ;; *) false ;; esac
	t_result $? "$name" || diag "status $status: $got $(cat err)"
done <list
done_testing
