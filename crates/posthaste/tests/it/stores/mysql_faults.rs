//! MySQL and MariaDB when it is hard: writers who hold their transactions, connections that end, servers that die or are replaced.
//!
//! An application changes orders and writes an event about each change in the same transaction, numbered within its order. It
//! serialises the changes to one order by a row lock, as applications do. Whatever happens meanwhile: everything that was committed
//! arrives, nothing else does, and the events of an order arrive in their order.

mod application;
mod clients;
mod database;
mod failover;
mod held_open;
mod lost_connections;
mod many_writers;
mod restarts;
