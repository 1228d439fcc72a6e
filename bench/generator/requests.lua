-- Load script for wrk: sends requests made from templates, round-robin; template.ts describes the placeholders.
-- Arguments: the first key, the number of keys, the number of the first new value, and a file per template.
local KEY, NEW_VALUE = '{{KEY}}', '{{NEWVALUE}}'

local first_key, key_count, value
local templates, current = {}, 0

local function split(text)
  local parts, places, from = {}, {}, 1
  while true do
    local key_at = text:find(KEY, from, true) or math.huge
    local value_at = text:find(NEW_VALUE, from, true) or math.huge
    local at = math.min(key_at, value_at)
    if at == math.huge then break end
    parts[#parts + 1] = text:sub(from, at - 1)
    parts[#parts + 1] = ''
    places[#places + 1] = {at = #parts, is_key = key_at < value_at}
    from = at + #(key_at < value_at and KEY or NEW_VALUE)
  end
  parts[#parts + 1] = text:sub(from)
  return {parts = parts, places = places}
end

function init(arguments)
  first_key, key_count, value = tonumber(arguments[1]), tonumber(arguments[2]), tonumber(arguments[3])
  math.randomseed(value)
  for index = 4, #arguments do
    local file = assert(io.open(arguments[index], 'rb'))
    templates[#templates + 1] = split(file:read('*a'))
    file:close()
  end
end

function request()
  current = current % #templates + 1
  local template = templates[current]
  local parts = template.parts
  local key = math.random(0, key_count - 1)
  for _, place in ipairs(template.places) do
    if place.is_key then
      parts[place.at] = string.format('%07d', first_key + key)
      key = (key + 1) % key_count
    else
      parts[place.at] = string.format('%012d', value)
      value = value + 1
    end
  end
  return table.concat(parts)
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests": %d, "durationMs": %f, "failed": %d, "p50Ms": %f, "p99Ms": %f, "cpuMs": %f}\n',
    summary.requests,
    summary.duration / 1000,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50) / 1000,
    latency:percentile(99) / 1000,
    os.clock() * 1000
  ))
end
