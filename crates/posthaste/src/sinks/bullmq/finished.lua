-- What is looked at of what a worker returned; a little more of it than is kept.
local LONGEST_REPLY = 2100

-- What became of a job: its state, what its worker said (what it returned, as JSON, or why it failed), and its stack traces. Nothing for one
-- that is neither completed nor failed.
local function finished(base, id)
  if redis.call('ZSCORE', base .. 'completed', id) then
    local reply = redis.call('HGET', base .. id, 'returnvalue') or ''
    return { 'completed', reply:sub(1, LONGEST_REPLY), '' }
  end
  if not redis.call('ZSCORE', base .. 'failed', id) then return nil end
  local job = redis.call('HMGET', base .. id, 'failedReason', 'stacktrace')
  return { 'failed', job[1] or '', job[2] or '' }
end
