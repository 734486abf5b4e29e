-- Routes hold from their registration on: the earlier ones go. Empties a small table.
DELETE FROM outbox_routes;
