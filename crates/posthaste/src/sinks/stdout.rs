//! JSON lines on standard output: the smallest sink, the template to copy.
