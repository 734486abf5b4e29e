-- Routes hold from their registration on: the ones before go.
DELETE FROM outbox_routes
