-- One lease per partition, for ever.
INSERT IGNORE INTO outbox_leases (`partition`) VALUES {partitions}
