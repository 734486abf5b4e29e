-- Whoever is not named again holds up no purge and is not shown.
UPDATE outbox_destinations SET active = FALSE
