-- Adds jobs to a queue as BullMQ's own producers do, each unless it is there.
--
-- KEYS: the queue's meta, so that a cluster knows the node. The names of all other keys start alike.
-- ARGV: what the names of keys start with; delay (ms); priority; then for each job its id, name, data, options, the number of its run, and
--       whether it is to run although it was completed.
-- Answers for each job: completed, failed or under-way; what its worker said; its stack traces.
--
-- A job that failed is added anew if this run of it has a higher number than the last: then the failure is known, and it is tried again. With
-- the same number the failure is the answer that got lost. A job that is waiting or running is left alone, whatever its number.
local call = redis.call
local base, delay, priority = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local PER_JOB = 6
-- BullMQ keeps what is delayed by milliseconds times this, with a counter below it.
local DELAYED_PER_MS = 4096
local PRIORITIES = 4294967296

local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local meta = call('HMGET', base .. 'meta', 'opts.maxLenEvents', 'version', 'paused', 'concurrency')
local longest, version, paused, concurrency = meta[1], meta[2], meta[3], meta[4]
if not longest then
  longest = '10000'
  call('HSET', base .. 'meta', 'opts.maxLenEvents', longest)
end

-- A paused queue of BullMQ 5 keeps new jobs in a list of their own, and `resume` puts that list in the place of the other: what was put
-- there meanwhile is lost. From 6 on there is one list. A queue that does not say its version loses nothing by the first way.
local major = version and tonumber(version:match(':(%d+)'))
local list = base .. ((paused and (not major or major < 6)) and 'paused' or 'wait')
local blocked = paused or (concurrency and call('LLEN', base .. 'active') >= tonumber(concurrency))

local function whole(number)
  return string.format('%.0f', number)
end

local function tell(...)
  call('XADD', base .. 'events', 'MAXLEN', '~', longest, '*', 'event', ...)
end

local function postpone(id)
  local due = now + delay
  local first, last = due * DELAYED_PER_MS, (due + 1) * DELAYED_PER_MS - 1
  local taken = call('ZREVRANGEBYSCORE', base .. 'delayed', whole(last), whole(first), 'WITHSCORES', 'LIMIT', 0, 1)
  local score = taken[2] and math.min(taken[2] + 1, last) or first
  call('ZADD', base .. 'delayed', whole(score), id)
  tell('delayed', 'jobId', id, 'delay', whole(due))
  local earliest = call('ZRANGE', base .. 'delayed', 0, 0, 'WITHSCORES')[2]
  call('ZADD', base .. 'marker', whole(math.floor(earliest / DELAYED_PER_MS)), '1')
end

local function enqueue(id)
  if priority > 0 then
    local place = priority * PRIORITIES + call('INCR', base .. 'pc') % PRIORITIES
    call('ZADD', base .. 'prioritized', whole(place), id)
  else
    call('LPUSH', list, id)
  end
  if not blocked then call('ZADD', base .. 'marker', 0, '0') end
  tell('waiting', 'jobId', id)
end

local function add(id, name, data, options, number)
  call('INCR', base .. 'id')
  call('HSET', base .. id, 'name', name, 'data', data, 'opts', options, 'timestamp', whole(now), 'delay', ARGV[2],
    'priority', ARGV[3], 'posthaste', number)
  tell('added', 'jobId', id, 'name', name)
  if delay > 0 then postpone(id) else enqueue(id) end
  return { 'under-way', '', '' }
end

-- What there is to say of a job that is there; nothing once it is out of the way of a new one.
local function standing(id, number, again)
  local ended = finished(base, id)
  if not ended then
    call('HSET', base .. id, 'posthaste', number)
    tell('duplicated', 'jobId', id)
    return { 'under-way', '', '' }
  end
  local last = tonumber(call('HGET', base .. id, 'posthaste') or '0')
  if again == '' and (ended[1] == 'completed' or last >= tonumber(number)) then return ended end
  call('ZREM', base .. ended[1], id)
  call('DEL', base .. id)
  return nil
end

local answers = {}
for at = 4, #ARGV, PER_JOB do
  local id, name, data, options, number, again = unpack(ARGV, at, at + PER_JOB - 1)
  local there = call('EXISTS', base .. id) == 1 and standing(id, number, again)
  answers[#answers + 1] = there or add(id, name, data, options, number)
end
return answers
