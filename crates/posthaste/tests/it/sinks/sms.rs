//! The sink suite on short messages: by the form of a provider of our own, and by Twilio's API as `emulate` has it.

mod hostile;
mod provider;
mod twilio;
