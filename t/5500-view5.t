#!/bin/sh
# tp-view5: memory over time.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip_all 'no jq'

rows() {
	store=$1 filter=$2
	shift 2
	tp-view5 -j "$@" "$store" | jq -c "$filter"
}
# TS ALLOCATED RESERVED BYTES [TYPE]
sample() {
	device=0
	[ "${5:-1}" != 0 ] || device=-1
	printf 'mem\t\t1\t%s\t0\t"Total Reserved": %s, "Total Allocated": %s, "Bytes": %s, ' "$1" "$3" "$2" "$4"
	printf '"Device Id": %s, "Device Type": %s, "Addr": 16\n' "$device" "${5:-1}"
}
steps() {
	printf 'user_annotation\tProfilerStep#%s\t1\t%s\t1000.000\n' 5 1000.000 6 2000.000
	printf 'kernel\tk\t7\t1100.000\t10.000\t"correlation": 9\n'
}

# out of order in the file, as threads leave them
{
	steps
	sample 2100.000 500000 800000 200000
	sample 1100.000 100000 400000 100000
	sample 1200.000 900000 900000 800000
	sample 1300.000 300000 900000 -600000
	sample 1150.000 4096 0 4096 0
	sample 2900.000 400000 900000 -100000
} | awk -v rank=0 -f "$TOP/t/tools/trace.awk" >t.json
tp-ingest -q -o s.db t.json 2>err || diag "$(cat err)"

is "$(rows s.db 'select(.kind == "view5.device") | [.device, .events, .peak_allocated_bytes,
	.peak_reserved_bytes, .last_allocated_bytes, .reclaimable_bytes, .capacity_bytes,
	.headroom_bytes, .breaks, .device_type]')" \
	'["0",5,900000,900000,400000,0,1000000,100000,0,null]
["cpu",1,4096,null,4096,null,null,null,0,0]' 'peaks and headroom; the host apart'
is "$(rows s.db 'select(.kind == "view5.sample" and .device == "0") | [.start_ns, .allocated_bytes, .reserved_bytes]')" \
	'[100000,100000,400000]
[200000,900000,900000]
[300000,300000,900000]
[1100000,500000,800000]
[1900000,400000,900000]' 'every sample, in order of time'
is "$(rows s.db 'select(.kind == "view5.step" and .device == "0") |
	[.step, .first_allocated_bytes, .peak_allocated_bytes, .last_allocated_bytes]')" \
	'[5,100000,900000,300000]
[6,300000,500000,400000]' "steps by the host's clock"
is "$(rows s.db 'select(.kind == "view5.device" and .device == "0") | [.capacity_bytes, .headroom_bytes]' --capacity-gb 2)" \
	'[2147483648,2146583648]' 'a bare capacity is GiB'
is "$(rows s.db 'select(.kind == "view5.device" and .device == "0").capacity_bytes' --capacity-gb 1.5GB)" \
	1500000000 'a suffix says GB'
runs 2 'a capacity that is none' tp-view5 --capacity-gb much s.db
is "$(rows s.db 'select(.kind == "view5.sample" and .device == "0")' --step 6 | wc -l)" 2 '--step'
for step in 5 6; do
	is "$(rows s.db 'select(.kind == "view5.step")' --step $step)" \
		"$(rows s.db "select(.kind == \"view5.step\" and .step == $step)")" 'has the same row as without'
done
is "$(rows s.db 'select(.kind == "view5.live").bytes' --step 5)" \
	"$(rows s.db 'select(.kind == "view5.live").bytes')" 'what was alive at the peak, in its step'
is "$(rows s.db 'select(.kind == "view5.live")' --step 6)" '' 'and in no other'
runs 0 'the text' tp-view5 -t --step 6 s.db
lacks out 'alive at the peak' 'has no table'
holds out "lies elsewhere" 'and says why'
is "$(rows s.db '.device // empty' --device 0 | sort -u)" '"0"' '--device'
is "$(rows s.db '.device // empty' --device cpu | sort -u)" '"cpu"' "the host's memory"
runs 0 'text' tp-view5 -t s.db
holds out 'headroom .* of .* \(10\.0 %\)' 'headroom'
holds out '^adds up: total = previous \+ change at 5 of 5 events' 'adds up'
ok test "$(LC_ALL=C.UTF-8 wc -L <out)" -le 80 -- 'in 80 columns'

# HIP's device type is a GPU too; a lost event breaks the chain
sed -e 's/"Device Type": 1/"Device Type": 6/' -e 's/"Total Allocated": 300000/"Total Allocated": 300001/' t.json >hip.json
tp-ingest -q -o hip.db hip.json 2>err || diag "$(cat err)"
is "$(rows hip.db 'select(.kind == "view5.device" and .device == "0") | [.peak_allocated_bytes, .breaks, .flags, .device_type]')" \
	'[900000,2,["breaks"],null]' 'type 6, and breaks counted'

# old traces: changes alone
sed 's/"Total Reserved": [0-9]*, "Total Allocated": [0-9]*, //' t.json >old.json
tp-ingest -q -o old.db old.json 2>err || diag "$(cat err)"
is "$(rows old.db 'select(.kind == "view5.device" and .device == "0") | [.relative_peak_bytes,
	.relative_last_bytes, .peak_allocated_bytes, .headroom_bytes, .flags]')" \
	'[900000,400000,null,null,["relative"]]' 'relative, and no headroom'
tp-view5 -t old.db >out
holds out 'RELATIVE' 'the text says so'
is "$(rows old.db 'select(.kind == "view5.live" and .device == "0") | [.bytes, .count]' | head -1)" \
	"$(rows s.db 'select(.kind == "view5.live" and .device == "0") | [.bytes, .count]' | head -1)" \
	'what was alive at the peak of the change'
holds out 'alive at the peak' 'in the text too'

steps | awk -v rank=0 -f "$TOP/t/tools/trace.awk" >none.json
tp-ingest -q -o none.db none.json 2>err
runs 0 'no memory events' tp-view5 -t none.db
holds out '^Memory: no memory events in this trace$' 'are said'
for rank in 1 2; do
	steps | awk -v rank=$rank -f "$TOP/t/tools/trace.awk" >none.json
	tp-ingest -q -o none.db none.json 2>err
done
tp-ingest -q -o none.db t.json 2>err
tp-view5 -t none.db >out
is "$(grep 'no memory events' out)" 'Memory: no memory events in 3 of 4 traces' \
	'once, with their number'
done_testing
