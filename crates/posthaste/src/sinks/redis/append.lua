-- Appends consecutive messages of one key to a stream and publishes them, those that were not there before. All or none is
-- visible to others at any time; what stands after a refused message is not touched.
--
-- KEYS: the stream, if any; what is known of the key in it, if the key has an order.
-- ARGV: how long that is known (ms), the stream's greatest length or '', whether there are channels, the ids of all messages
--       (16 bytes each), their positions (32 hex digits each), which ascend; then for each message: its channel, if there are any,
--       places in the entry (two bytes each), and what stands there. An entry is names and values, the body last; what is not
--       mentioned is as in the entry before, which most of it is.
-- Answers how many are there now, and the error that stopped it.
--
-- Known is the highest position so far, the slot where the next id goes, and the ids of the last messages. A higher position is new,
-- so nearly always the ids are not even looked at. A lower one whose id is known was sent before; one whose id is not known is
-- late on purpose (it was scheduled, or replayed), and nobody's to drop.
local DIGITS, ID_BYTES, SLOT_DIGITS, SLOTS = 32, 16, 4, 256
local HEAD = DIGITS + SLOT_DIGITS

local stream, memory = KEYS[1], KEYS[2]
local time_known, longest, publishes, ids, positions = ARGV[1], ARGV[2], ARGV[3] ~= '', ARGV[4], ARGV[5]
local count = #ids / ID_BYTES

local function id_of(n)
  return ids:sub((n - 1) * ID_BYTES + 1, n * ID_BYTES)
end

local function position_of(n)
  return positions:sub((n - 1) * DIGITS + 1, n * DIGITS)
end

local highest, slot, known = '', 0, nil
if memory then
  local head = redis.call('GETRANGE', memory, 0, HEAD - 1)
  highest, slot = head:sub(1, DIGITS), tonumber(head:sub(DIGITS + 1)) or 0
  if position_of(1) <= highest then known = redis.call('GETRANGE', memory, HEAD, -1) end
end

local function is_repeated(n)
  if not known or position_of(n) > highest then return false end
  local id = id_of(n)
  local found = known:find(id, 1, true)
  while found and (found - 1) % ID_BYTES ~= 0 do
    found = known:find(id, found + 1, true)
  end
  return found ~= nil
end

local function failure(answer)
  return type(answer) == 'table' and answer.err
end

local append = { 'XADD', stream or '' }
if longest ~= '' then append = { 'XADD', stream or '', 'MAXLEN', '~', longest } end
append[#append + 1] = '*'
local before = #append

local there, stopped, new, at = 0, false, {}, 6
for n = 1, count do
  local channel
  if publishes then channel, at = ARGV[at], at + 1 end
  local places = ARGV[at]
  for i = 1, #places, 2 do
    local high, low = places:byte(i, i + 1)
    at = at + 1
    append[before + high * 256 + low] = ARGV[at]
  end
  at = at + 1
  if not is_repeated(n) then
    stopped = stream and failure(redis.pcall(unpack(append)))
    if channel and not stopped then
      stopped = failure(redis.pcall('PUBLISH', channel, append[#append]))
    end
    if stopped then break end
    if known then new[#new + 1] = id_of(n) end
  end
  there = n
end

-- Written even if nothing is new, so that WAIT has something to wait for.
if memory and there > 0 then
  local added = (known and table.concat(new) or ids:sub(1, there * ID_BYTES)):sub(-SLOTS * ID_BYTES)
  local last = position_of(there)
  if last > highest then highest = last end
  if slot + #added / ID_BYTES > SLOTS then slot = 0 end
  redis.call('SETRANGE', memory, HEAD + slot * ID_BYTES, added)
  slot = slot + #added / ID_BYTES
  redis.call('SETRANGE', memory, 0, highest .. ('%04d'):format(slot))
  redis.call('PEXPIRE', memory, time_known)
end
return { there, stopped or '' }
