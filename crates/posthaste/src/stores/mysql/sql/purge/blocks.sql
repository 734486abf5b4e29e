-- Which of these blocks still hold a message, by primary key.
SELECT DISTINCT seq DIV 1024 AS block FROM outbox WHERE {intervals}
