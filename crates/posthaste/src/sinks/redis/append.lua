-- Appends consecutive messages of one key to a stream and publishes them, those that were not there before. All or none is
-- visible to others at any time; what stands after a refused message is not touched.
--
-- KEYS: the stream, if any; what is known of the key in it, if the key has an order.
-- ARGV: how long that is known (ms), the stream's greatest length or '', whether there are channels, the ids of all messages
--       (16 bytes each), their positions (32 hex digits each), which ascend; how many texts an entry has: names and values, the
--       body last; in which of them entries differ (two bytes each). Then for each message its channel, if there are any, and of
--       the first one all texts, of the others those in which entries differ.
-- Answers how many are there now, and the error that stopped it.
--
-- Known is, for each of the last calls, the ids of its messages and the highest position so far. A higher position is new, so
-- nearly always no id is looked at. A lower one whose id is known was sent before; one whose id is not known is late on purpose
-- (it was scheduled, or replayed), and nobody's to drop.
local DIGITS, ID_BYTES, KEPT_BYTES = 32, 16, 4096
-- The last DIGITS bytes. Texts, because a number takes as long to be turned into one as all the rest of a call.
local TAIL, END = '-32', '-1'

local stream, memory = KEYS[1], KEYS[2]
local time_known, longest, publishes, ids, positions = ARGV[1], ARGV[2], ARGV[3] ~= '', ARGV[4], ARGV[5]
local count, size = #ids / ID_BYTES, tonumber(ARGV[6])

local function id_of(n)
  return ids:sub((n - 1) * ID_BYTES + 1, n * ID_BYTES)
end

local function position_of(n)
  return positions:sub((n - 1) * DIGITS + 1, n * DIGITS)
end

local highest, known = '', nil
if memory then
  highest = redis.call('GETRANGE', memory, TAIL, END)
  if position_of(1) <= highest then known = redis.call('GET', memory) end
end

local function is_repeated(n)
  if position_of(n) > highest then return false end
  local id = id_of(n)
  local found = known:find(id, 1, true)
  while found and (found - 1) % ID_BYTES ~= 0 do
    found = known:find(id, found + 1, true)
  end
  return found ~= nil
end

local append = { 'XADD', stream or '' }
if longest ~= '' then append = { 'XADD', stream or '', 'MAXLEN', '~', longest } end
append[#append + 1] = '*'

local places, before = {}, #append
for i = 1, #ARGV[7], 2 do
  local high, low = ARGV[7]:byte(i, i + 1)
  places[#places + 1] = before + high * 256 + low
end

local try, given, unpack = redis.pcall, ARGV, unpack
local there, stopped, new, at = 0, nil, {}, 7
for n = 1, count do
  local channel
  if publishes then channel, at = given[at + 1], at + 1 end
  if n == 1 then
    for i = 1, size do append[before + i] = given[at + i] end
    at = at + size
  else
    for i = 1, #places do append[places[i]] = given[at + i] end
    at = at + #places
  end
  if not known or not is_repeated(n) then
    -- Who is refused gets a table, who is not gets the entry's id, and a string has no such field.
    stopped = stream and try(unpack(append)).err
    if channel and not stopped then
      local heard = try('PUBLISH', channel, append[#append])
      stopped = type(heard) == 'table' and heard.err
    end
    if stopped then break end
    if known then new[#new + 1] = id_of(n) end
  end
  there = n
end

-- Written even if nothing is new, so that WAIT has something to wait for.
if memory and there > 0 then
  local last = position_of(there)
  if last > highest then highest = last end
  local added = known and table.concat(new) or ids:sub(1, there * ID_BYTES)
  if redis.call('APPEND', memory, added .. highest) > 2 * KEPT_BYTES then
    redis.call('SET', memory, redis.call('GETRANGE', memory, -KEPT_BYTES, -1))
  end
  redis.call('PEXPIRE', memory, time_known)
end
return { there, stopped or '' }
