//! By which index a list of deliveries is found.

use crate::inspect::{Filter, Order, Status};
use crate::rules::status::is_parked;

/// The most selective way to the candidates for a filter. What they are then filtered by is the whole filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// By the ids of messages.
    Id,
    /// By the key.
    Key,
    /// By the id of the aggregate.
    Aggregate,
    /// Among what is parked, by its state.
    State,
    /// Among the messages behind held keys.
    Waiting,
    /// Among the messages beyond the slowest cursor.
    Pending,
    /// Anywhere.
    Everything,
}

impl Access {
    /// The best one for a filter and an order. What is pending is the newest, so backwards it needs no looking for.
    pub(super) fn of(filter: &Filter, order: Order) -> Self {
        match Self::in_order(filter) {
            Self::Pending if order == Order::NewestFirst => Self::Everything,
            access => access,
        }
    }

    fn in_order(filter: &Filter) -> Self {
        match filter.statuses.as_slice() {
            _ if !filter.ids.is_empty() => Self::Id,
            _ if filter.key.is_some() => Self::Key,
            _ if filter.aggregate_id.is_some() => Self::Aggregate,
            [Status::Waiting] => Self::Waiting,
            [Status::Pending] => Self::Pending,
            [] => Self::Everything,
            statuses if statuses.iter().all(|status| is_parked(*status)) => Self::State,
            _ => Self::Everything,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::MessageId;

    fn of_statuses(statuses: &[Status]) -> Access {
        Access::of(&Filter { statuses: statuses.to_vec(), ..Filter::default() }, Order::OldestFirst)
    }

    #[test]
    fn what_names_messages_comes_before_what_is_said_about_their_status() {
        let statuses = vec![Status::Dead];
        let by_key = Filter { key: Some("order/1".into()), statuses, ..Filter::default() };
        assert_eq!(Access::of(&by_key, Order::OldestFirst), Access::Key);
        let by_id = Filter { ids: vec![MessageId(uuid::Uuid::nil())], ..by_key.clone() };
        assert_eq!(Access::of(&by_id, Order::OldestFirst), Access::Id);
        let by_aggregate = Filter { aggregate_id: Some("1".into()), key: None, ..by_key };
        assert_eq!(Access::of(&by_aggregate, Order::OldestFirst), Access::Aggregate);
    }

    #[test]
    fn statuses_say_where_to_look_only_if_all_of_them_do() {
        assert_eq!(of_statuses(&[Status::Dead, Status::Retrying]), Access::State);
        assert_eq!(of_statuses(&[Status::Dead, Status::Pending]), Access::Everything);
        assert_eq!(of_statuses(&[Status::Waiting]), Access::Waiting);
        assert_eq!(of_statuses(&[Status::Pending]), Access::Pending);
        assert_eq!(of_statuses(&[Status::Delivered]), Access::Everything);
        assert_eq!(of_statuses(&[]), Access::Everything);
        let pending = Filter { statuses: vec![Status::Pending], ..Filter::default() };
        assert_eq!(Access::of(&pending, Order::NewestFirst), Access::Everything);
    }
}
