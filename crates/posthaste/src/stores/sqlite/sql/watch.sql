-- A number that changes when another connection commits. Reads no table, only the head of the write-ahead log's index.
PRAGMA data_version;
