# trace.awk - a Chrome trace as torch.profiler writes it, from short lines:
#	CAT <tab> NAME <tab> TID <tab> TS <tab> DUR <tab> ARGS
# times in us; ARGS are the members of "args" without the braces.  A device op has
# its stream as TID, and lies on device 0.  CAT "mem" is an allocator's
# sample.  Set with -v: rank, world, base (ns), host, tail (text behind the array).
BEGIN {
	FS = "\t"
	printf "{\"schemaVersion\": 1,\n\"deviceProperties\": [{\"id\": 0, "
	printf "\"name\": \"Test GPU\", \"totalGlobalMem\": 1000000, \"numSms\": 10}],\n"
	if (rank != "")
		printf "\"distributedInfo\": {\"rank\": %s, \"world_size\": %s},\n",
			rank, world == "" ? 1 : world
	if (host != "")
		printf "\"host_name\": \"%s\",\n", host
	printf "\"baseTimeNanoseconds\": %s,\n", base == "" ? "1700000000000000000" : base
	printf "\"traceEvents\": [\n"
}
function name_of(s) { gsub(/\\/, "\\\\", s); gsub(/"/, "\\\"", s); return s }
/^#/ || NF < 5 { next }
{
	device = $1 == "kernel" || $1 ~ /^gpu_/
	printf "%s", n++ ? ",\n" : ""
	if ($1 == "mem") {
		printf "{\"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", "
		printf "\"name\": \"[memory]\", \"pid\": 9, \"tid\": %s, \"ts\": %s, ", $3, $4
		printf "\"args\": {%s}}", $6
		next
	}
	printf "{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %s, ",
		$1, name_of($2), device ? 0 : 9
	printf "\"tid\": %s, \"ts\": %s, \"dur\": %s", $3, $4, $5
	if (device)
		$6 = "\"device\": 0, \"stream\": " $3 ($6 == "" ? "" : ", " $6)
	printf "%s}", $6 == "" ? "" : ", \"args\": {" $6 "}"
}
END { printf "\n]%s}\n", tail }
