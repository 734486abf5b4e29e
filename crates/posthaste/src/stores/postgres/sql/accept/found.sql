-- Which database was found, for the statement that follows.
SELECT set_config('posthaste.system', $1, true), set_config('posthaste.timeline', $2, true);
