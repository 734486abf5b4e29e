-- Appends consecutive messages of one key to a stream and publishes them, those that were not there before. All or none is
-- visible to others at any time; what stands after a refused message is not touched.
--
-- KEYS: the stream, if any; what is known of the key in it, if the key has an order.
-- ARGV: how long that is known (ms), the stream's greatest length or '', then for each message: id (16 bytes), position
--       (32 hex digits), channel or '', how many arguments follow, and those: places in the entry and what stands there. An entry
--       is names and values, the body last; what is not mentioned is as in the entry before, which most of it is.
-- Answers how many are there now, and the error that stopped it.
--
-- Known is the highest position so far, and the ids of the last messages. A higher position is new. A lower one whose id is
-- known was sent before; one whose id is not known is late on purpose (it was scheduled, or replayed), and nobody's to drop.
local DIGITS, ID_BYTES, IDS = 32, 16, 256

local stream, memory = KEYS[1], KEYS[2]
local highest, ids = '', ''
if memory then
  local known = redis.call('GET', memory) or ''
  highest, ids = known:sub(1, DIGITS), known:sub(DIGITS + 1)
end

local function repeated(id, position)
  if position > highest then return false end
  local found = ids:find(id, 1, true)
  while found and (found - 1) % ID_BYTES ~= 0 do
    found = ids:find(id, found + 1, true)
  end
  return found ~= nil
end

local function failure(answer)
  return type(answer) == 'table' and answer.err
end

local append = { 'XADD', stream or '' }
if ARGV[2] ~= '' then append = { 'XADD', stream or '', 'MAXLEN', '~', ARGV[2] } end
append[#append + 1] = '*'
local before = #append

local there, stopped, new, at, given = 0, false, {}, 3, #ARGV
while at <= given do
  local id, position, channel = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local last = at + 3 + ARGV[at + 3]
  for place = at + 4, last, 2 do
    append[before + ARGV[place]] = ARGV[place + 1]
  end
  if not (memory and repeated(id, position)) then
    stopped = stream and failure(redis.pcall(unpack(append)))
    if not stopped and channel ~= '' then
      stopped = failure(redis.pcall('PUBLISH', channel, append[#append]))
    end
    if stopped then break end
    new[#new + 1] = id
    if position > highest then highest = position end
  end
  there, at = there + 1, last + 1
end

-- Written even if nothing is new, so that WAIT has something to wait for.
if memory and there > 0 then
  ids = ids .. table.concat(new)
  redis.call('SET', memory, highest .. ids:sub(-IDS * ID_BYTES), 'PX', ARGV[1])
end
return { there, stopped or '' }
