-- Appends the runs of one hand-over to a stream and publishes them, those messages that were not there before. A run is consecutive
-- messages of one key, and no two runs have one key. All or none is visible to others at any time; what stands after a refused
-- message in its run is not touched, and other runs go on.
--
-- KEYS: the stream, if any; for each run whose key has an order, what is known of the key in the stream.
-- ARGV: how long that is known (ms), the stream's greatest length or '', whether there are channels, the ids of all messages
--       (16 bytes each), their positions (32 hex digits each), which ascend within a run; how many texts an entry has: names and
--       values, the body last; in which of them entries differ (two bytes each); for each run how many messages it has (two bytes)
--       and whether its key has an order (a byte). Then for each message its channel, if there are any, and of the first one all
--       texts, of the others those in which entries differ.
-- Answers how many messages are there, and for each run of which not all are: which one, how many are, and the error that stopped it.
-- The first number is what tells the answer from one that says nothing.
--
-- Known is, for each of the last calls, the ids of its messages and the highest position so far. A higher position is new, so
-- nearly always no id is looked at. A lower one whose id is known was sent before; one whose id is not known is late on purpose
-- (it was scheduled, or replayed), and nobody's to drop.
local DIGITS, ID_BYTES, KEPT_BYTES = 32, 16, 4096
-- The last DIGITS bytes. Texts, because a number takes as long to be turned into one as all the rest of a call.
local TAIL, END = '-32', '-1'

local call, try, given, unpack = redis.call, redis.pcall, ARGV, unpack
local stream, memories = KEYS[1], 1
local time_known, longest, publishes, ids, positions = ARGV[1], ARGV[2], ARGV[3] ~= '', ARGV[4], ARGV[5]
local size, runs = tonumber(ARGV[6]), ARGV[8]

local function id_of(n)
  return ids:sub((n - 1) * ID_BYTES + 1, n * ID_BYTES)
end

local function position_of(n)
  return positions:sub((n - 1) * DIGITS + 1, n * DIGITS)
end

local function is_repeated(n, highest, known)
  if position_of(n) > highest then return false end
  local id = id_of(n)
  local found = known:find(id, 1, true)
  while found and (found - 1) % ID_BYTES ~= 0 do
    found = known:find(id, found + 1, true)
  end
  return found ~= nil
end

-- Written even if nothing is new, so that WAIT has something to wait for.
local function remember(memory, added, highest, is_first)
  if is_first then
    call('SET', memory, added .. highest, 'PX', time_known)
    return
  end
  if call('APPEND', memory, added .. highest) > 2 * KEPT_BYTES then
    call('SET', memory, call('GETRANGE', memory, -KEPT_BYTES, -1))
  end
  call('PEXPIRE', memory, time_known)
end

local append = { 'XADD', stream or '' }
if longest ~= '' then append = { 'XADD', stream or '', 'MAXLEN', '~', longest } end
append[#append + 1] = '*'

local places, before = {}, #append
for i = 1, #ARGV[7], 2 do
  local high, low = ARGV[7]:byte(i, i + 1)
  places[#places + 1] = before + high * 256 + low
end

local answers, at, n = { 0 }, 8, 0
for run = 1, #runs / 3 do
  local high, low, ordered = runs:byte(run * 3 - 2, run * 3)
  local first, last = n + 1, n + high * 256 + low
  local memory, highest, known = nil, '', nil
  if ordered == 1 then
    memories = memories + 1
    memory = KEYS[memories]
    highest = call('GETRANGE', memory, TAIL, END)
    if position_of(first) <= highest then known = call('GET', memory) end
  end

  local there, stopped, new = n, nil, {}
  for message = first, last do
    local channel
    if publishes then channel, at = given[at + 1], at + 1 end
    if message == 1 then
      for i = 1, size do append[before + i] = given[at + i] end
      at = at + size
    else
      for i = 1, #places do append[places[i]] = given[at + i] end
      at = at + #places
    end
    if not stopped and not (known and is_repeated(message, highest, known)) then
      -- Who is refused gets a table, who is not gets the entry's id, and a string has no such field.
      stopped = stream and try(unpack(append)).err
      if channel and not stopped then
        local heard = try('PUBLISH', channel, append[#append])
        stopped = type(heard) == 'table' and heard.err
      end
      if known and not stopped then new[#new + 1] = id_of(message) end
    end
    if not stopped then there = message end
  end

  if memory and there >= first then
    local added = known and table.concat(new) or ids:sub((first - 1) * ID_BYTES + 1, there * ID_BYTES)
    local reached, is_first = position_of(there), highest == ''
    remember(memory, added, reached > highest and reached or highest, is_first)
  end
  answers[1] = answers[1] + there - n
  if there < last then
    answers[#answers + 1] = run
    answers[#answers + 1] = there - first + 1
    answers[#answers + 1] = stopped
  end
  n = last
end
return answers
