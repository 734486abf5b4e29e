//! The executable specification of a store.
