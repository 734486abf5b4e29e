"""Writing to the outbox from Python, with pymongo: one insert in the transaction of the change it tells about.

    pip install pymongo
    python mongodb.py mongodb://user:password@host:27017/database?replicaSet=rs0

Prints the id of every event that was committed, in order.
"""

import sys
import uuid
from datetime import datetime, timedelta, timezone

import pymongo
from bson import Timestamp
from bson.binary import UuidRepresentation
from bson.codec_options import CodecOptions
from pymongo.errors import DuplicateKeyError


def publish(session, outbox, event_type, aggregate_type, aggregate_id, payload, **more):
    """Writes an event in the transaction that is open on this session, and returns its id.

    `more` are further fields: key, tenant, userId, correlationId, headers, occurredAt, dueAt, destination, maxAttempts,
    contentType, sourceStream and sourceEvent. Everything that is left out has a sensible default.
    """
    event = {
        "_id": uuid.uuid4(),
        "eventType": event_type,
        "aggregateType": aggregate_type,
        "aggregateId": aggregate_id,
        "payload": payload,
        # The server puts its own logical clock here: events of one aggregate keep the order of their transactions.
        "recordedAt": Timestamp(0, 0),
        "status": "pending",
        **more,
    }
    outbox.insert_one(event, session=session)
    return str(event["_id"])


def place_order(client, database, order, total):
    """A change and the event about it: both are stored, or neither."""

    def work(session):
        database.orders.insert_one({"_id": order, "total": total}, session=session)
        return publish(session, database.outbox_events, "order.placed", "order", order, {"total": total})

    with client.start_session() as session:
        return session.with_transaction(work)


def ship_order(client, database, order):
    """With everything that an event can have."""

    def work(session):
        database.orders.update_one({"_id": order}, {"$set": {"shipped": True}}, session=session)
        return publish(
            session,
            database.outbox_events,
            "order.shipped",
            "order",
            order,
            {"shipped": True},
            tenant="acme",
            userId="ann",
            correlationId="request-7",
            headers=[["trace", "a"], ["trace", "b"], ["größe", "ü"]],
            occurredAt=datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=timezone.utc),
            dueAt=datetime.now(timezone.utc) - timedelta(minutes=1),
            maxAttempts=3,
        )

    with client.start_session() as session:
        return session.with_transaction(work)


def fail_to_place_order(client, database, order):
    """Something goes wrong after the event was written: it never happened."""
    try:
        with client.start_session() as session, session.start_transaction():
            publish(session, database.outbox_events, "order.placed", "order", order, {"total": 0})
            raise RuntimeError("the card was refused")
    except RuntimeError:
        pass


def import_event(client, database, stream, number):
    """An event of another system, which may send it twice: it is stored once."""
    source = {"sourceStream": stream, "sourceEvent": str(number)}
    try:
        with client.start_session() as session, session.start_transaction():
            return publish(session, database.outbox_events, "invoice.paid", "invoice", stream, {"number": number}, **source)
    except DuplicateKeyError:
        return None


def main():
    client = pymongo.MongoClient(sys.argv[1])
    options = CodecOptions(uuid_representation=UuidRepresentation.STANDARD)
    database = client.get_default_database().with_options(codec_options=options)
    written = [place_order(client, database, "python-1", 42), ship_order(client, database, "python-1")]
    fail_to_place_order(client, database, "python-2")
    written += [import_event(client, database, "python-invoices", number) for number in (1, 1, 2)]
    # No order is asked for where there is no key.
    with client.start_session() as session:
        written.append(publish(session, database.outbox_events, "page.viewed", "page", "python", {"n": 1}, key=None))
    print("\n".join(event for event in written if event))


if __name__ == "__main__":
    main()
