# lost.sh - a job of 2 ms by hand, one gap for each cause; times in us
# shellcheck shell=sh
call() { # NAME TS DUR CORR [TID]
	printf '{"ph":"X","cat":"cuda_runtime","name":"%s","pid":9,"tid":%s,"ts":%s,"dur":%s,"args":{"correlation":%s}},\n' \
		"$1" "${5:-9}" "$2" "$3" "$4"
}
op() { # CAT NAME TS DUR CORR [STREAM]
	printf '{"ph":"X","cat":"%s","name":"%s","pid":0,"tid":%s,"ts":%s,"dur":%s,"args":{"device":0,"stream":%s,"correlation":%s}},\n' \
		"$1" "$2" "${6:-7}" "$3" "$4" "${6:-7}" "$5"
}
host() { # CAT NAME TS DUR [TID [ARGS]]
	printf '{"ph":"X","cat":"%s","name":"%s","pid":9,"tid":%s,"ts":%s,"dur":%s,"args":{%s}},\n' \
		"$1" "$2" "${5:-9}" "$3" "$4" "${6:-}"
}
step() { # NUMBER TS DUR
	host user_annotation "ProfilerStep#$1" "$2" "$3"
}
trace() {
	printf '{"distributedInfo":{"rank":0,"world_size":1},"baseTimeNanoseconds":1700000000000000000,"traceEvents":[\n'
	cat
	printf '{}]}\n'
}
