-- The same for several senders to the same buckets: the time of a heartbeat is that of the clock, 80 times as fast, so
-- that those of all senders follow one another. The data changes every nine seconds of it.
local ffi = require("ffi")
ffi.cdef[[ struct moment { long s; long us; }; int gettimeofday(struct moment *now, void *zone); ]]
local now = ffi.new("struct moment")
local n, buckets = 0, 1
local base = 1780000000
wrk.headers["Content-Type"] = "application/json"
function init(args)
  buckets = tonumber(args[1]) or 1
  base = base + (tonumber(args[2]) or 0)
end
function request()
  ffi.C.gettimeofday(now, nil)
  local t = (tonumber(now.s) % 10000 + tonumber(now.us) / 1000000) * 80
  local s = math.floor(t)
  local b = n % buckets
  n = n + 1
  local ts = os.date("!%Y-%m-%dT%H:%M:%S", base + s) .. string.format(".%06d+00:00", math.floor((t - s) * 1000000))
  local body = string.format('{"timestamp": "%s", "duration": 0, "data": {"app": "Firefox", "title": "page number %d"}}', ts, math.floor(s / 9))
  return wrk.format("POST", "/api/0/buckets/hb" .. b .. "/heartbeat?pulsetime=5", nil, body)
end
