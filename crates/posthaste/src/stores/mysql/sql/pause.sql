-- Holds a destination or lets it go on; changes a row only if that changes something. By primary key.
UPDATE outbox_destinations SET paused = :paused WHERE name = :destination AND paused <> :paused
