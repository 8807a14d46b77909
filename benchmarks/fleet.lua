-- Heartbeats of a fleet: each request is of a device drawn at random, in the order in which that device lives.
-- A device has three watchers. Its window changes with every third beat, its tab with every second, and whether
-- somebody is there with every fiftieth; time goes on for it by 3.3 seconds with each beat: 0.3 requests a second.
local devices, first, base, keys = 1, 0, 1780000000, {}
local beats = {}
wrk.headers["Content-Type"] = "application/json"

function init(args)
  devices, first = tonumber(args[1]), tonumber(args[2])
  base = base + tonumber(args[3])
  math.randomseed(tonumber(args[4]))
  if args[5] then
    for key in io.lines(args[5]) do keys[#keys + 1] = key end
  end
end

local function data(device, beat)
  local kind = beat % 10
  if kind < 6 then
    local window = math.floor(beat / 3)
    return "window", string.format('{"app": "app %d", "title": "document %d of device %d"}', window % 17, window % 400, device)
  elseif kind < 9 then
    local tab = math.floor(beat / 2)
    return "web", string.format('{"url": "https://site%d.example/page/%d", "title": "page %d", "audible": false, "incognito": false}', tab % 40, tab % 900, tab % 900)
  end
  return "afk", string.format('{"status": "%s"}', math.floor(beat / 500) % 2 == 0 and "not-afk" or "afk")
end

function request()
  local device = first + math.random(devices) - 1
  local beat = beats[device] or 0
  beats[device] = beat + 1
  local kind, what = data(device, beat)
  local at = base + beat * 10 / 3
  local stamp = os.date("!%Y-%m-%dT%H:%M:%S", math.floor(at)) .. string.format(".%03d000+00:00", math.floor(at % 1 * 1000))
  local body = string.format('{"timestamp": "%s", "duration": 0, "data": %s}', stamp, what)
  local headers = wrk.headers
  if #keys > 0 then
    headers = {["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. keys[device % #keys + 1]}
  end
  return wrk.format("POST", "/api/0/buckets/" .. kind .. device .. "/heartbeat?pulsetime=60", headers, body)
end
