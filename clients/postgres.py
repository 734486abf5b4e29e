"""Writing to the outbox from Python, with psycopg: one INSERT in the transaction of the change it tells about.

    pip install "psycopg[binary]"
    python postgres.py postgres://user:password@host:5432/database

Prints the id of every event that was committed, in order.
"""

import json
import sys
from datetime import datetime, timedelta, timezone

import psycopg
from psycopg.types.json import Json


def publish(connection, event_type, aggregate_type, aggregate_id, payload, **more):
    """Writes an event in the transaction that is open on this connection, and returns its id.

    `more` are further columns: key, tenant, user_id, correlation_id, headers, occurred_at, due_at, destination, max_attempts,
    content_type, source_stream and source_event. Everything that is left out has a sensible default. None comes back if an event
    of the same source is stored already.
    """
    columns = {
        "event_type": event_type,
        "aggregate_type": aggregate_type,
        "aggregate_id": aggregate_id,
        "payload": json.dumps(payload).encode(),
        **more,
    }
    # Names of columns come from this program, values from anywhere.
    names, places = ", ".join(columns), ", ".join(["%s"] * len(columns))
    insert = f"INSERT INTO posthaste.outbox ({names}) VALUES ({places}) RETURNING id"
    row = connection.execute(insert, list(columns.values())).fetchone()
    return row and str(row[0])


def place_order(connection, order, total):
    """A change and the event about it: both are stored, or neither."""
    with connection.transaction():
        connection.execute("INSERT INTO orders (id, total) VALUES (%s, %s)", [order, total])
        return publish(connection, "order.placed", "order", order, {"total": total})


def ship_order(connection, order):
    """With everything that an event can have."""
    with connection.transaction():
        connection.execute("UPDATE orders SET shipped = true WHERE id = %s", [order])
        return publish(
            connection,
            "order.shipped",
            "order",
            order,
            {"shipped": True},
            tenant="acme",
            user_id="ann",
            correlation_id="request-7",
            headers=Json([["trace", "a"], ["trace", "b"], ["größe", "ü"]]),
            occurred_at=datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=timezone.utc),
            due_at=datetime.now(timezone.utc) - timedelta(minutes=1),
            max_attempts=3,
        )


def fail_to_place_order(connection, order):
    """Something goes wrong after the event was written: it never happened."""
    try:
        with connection.transaction():
            publish(connection, "order.placed", "order", order, {"total": 0})
            raise RuntimeError("the card was refused")
    except RuntimeError:
        pass


def import_event(connection, stream, number):
    """An event of another system, which may send it twice: it is stored once."""
    with connection.transaction():
        source = {"source_stream": stream, "source_event": str(number)}
        return publish(connection, "invoice.paid", "invoice", stream, {"number": number}, **source)


def main():
    with psycopg.connect(sys.argv[1], autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS orders (id text PRIMARY KEY, total int, shipped bool DEFAULT false)")
        written = [place_order(connection, "python-1", 42), ship_order(connection, "python-1")]
        fail_to_place_order(connection, "python-2")
        written += [import_event(connection, "python-invoices", number) for number in (1, 1, 2)]
        # No order is asked for where there is no key.
        written.append(publish(connection, "page.viewed", "page", "python", {"n": 1}, key=None))
    print("\n".join(event for event in written if event))


if __name__ == "__main__":
    main()
