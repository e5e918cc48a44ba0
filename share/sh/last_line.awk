# last_line.awk - what a person asks first, from the records of view 1 and of the timed
# run.  The step is the report's, the median of all that were timed, of the rank that
# took longest.
function value(key,   at, s) {
	at = index($0, "\"" key "\":")
	if (!at) return -1
	s = substr($0, at + length(key) + 3)
	return s + 0
}
/^[{]"kind":"view1.run"/ {
	warm = value("startup_ns"); if (warm > most) most = warm
	median = value("plain_median_ns")
	total = value("total_ns")
	if (total < 0) total = (warm > 0 ? warm : 0) + value("steps") * median
	if (median >= 0 && (longest == "" || total > longest)) { longest = total; step = median }
}
/^[{]"kind":"run"/ {
	v = value("peak_reserved_bytes"); if (v > device) device = v
	v = value("peak_host_bytes"); if (v > host) host = v
}
END {
	printf "warm-up %.1f s, step %.1f ms, ", most / 1e9, step / 1e6
	# a job of the CPU reserves nothing on a device
	if (device > 0) printf "peak device %.2f GB, ", device / 1e9
	printf "peak host %.2f GB: ", host / 1e9
}
