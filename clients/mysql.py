"""Writing to the outbox from Python, with PyMySQL: one INSERT in the transaction of the change it tells about.

    pip install PyMySQL
    python mysql.py mysql://user:password@host:3306/database

Prints the id of every event that was committed, in order.
"""

import json
import sys
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from urllib.parse import unquote, urlsplit

import pymysql

DUPLICATE = 1062


def publish(connection, event_type, aggregate_type, aggregate_id, payload, **more):
    """Writes an event in the transaction that is open on this connection, and returns its id.

    `more` are further columns: key, tenant, user_id, correlation_id, headers, occurred_at, due_at, destination, max_attempts,
    content_type, source_stream and source_event. Everything that is left out has a sensible default. Times are in UTC. None comes
    back if an event of the same source is stored already.
    """
    columns = {
        "event_type": event_type,
        "aggregate_type": aggregate_type,
        "aggregate_id": aggregate_id,
        "payload": json.dumps(payload).encode(),
        **more,
    }
    # Names of columns come from this program, values from anywhere.
    names, places = ", ".join(f"`{name}`" for name in columns), ", ".join(["%s"] * len(columns))
    with connection.cursor() as cursor:
        try:
            cursor.execute(f"INSERT INTO outbox ({names}) VALUES ({places})", list(columns.values()))
        except pymysql.err.IntegrityError as error:
            if error.args[0] != DUPLICATE:
                raise
            # Only this statement has failed; the transaction goes on.
            return None
        cursor.execute("SELECT id FROM outbox WHERE seq = LAST_INSERT_ID()")
        return cursor.fetchone()[0]


@contextmanager
def transaction(connection):
    """All of it is stored, or nothing."""
    connection.begin()
    try:
        yield
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


def execute(connection, sql, values=()):
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def place_order(connection, order, total):
    """A change and the event about it: both are stored, or neither."""
    with transaction(connection):
        execute(connection, "INSERT INTO orders (id, total) VALUES (%s, %s)", [order, total])
        return publish(connection, "order.placed", "order", order, {"total": total})


def ship_order(connection, order):
    """With everything that an event can have."""
    with transaction(connection):
        execute(connection, "UPDATE orders SET shipped = true WHERE id = %s", [order])
        return publish(
            connection,
            "order.shipped",
            "order",
            order,
            {"shipped": True},
            tenant="acme",
            user_id="ann",
            correlation_id="request-7",
            headers=json.dumps([["trace", "a"], ["trace", "b"], ["größe", "ü"]]),
            occurred_at=datetime(2026, 1, 2, 3, 4, 5, 678_000),
            due_at=datetime.now(timezone.utc).replace(tzinfo=None) - timedelta(minutes=1),
            max_attempts=3,
        )


def fail_to_place_order(connection, order):
    """Something goes wrong after the event was written: it never happened."""
    try:
        with transaction(connection):
            publish(connection, "order.placed", "order", order, {"total": 0})
            raise RuntimeError("the card was refused")
    except RuntimeError:
        pass


def import_event(connection, stream, number):
    """An event of another system, which may send it twice: it is stored once."""
    with transaction(connection):
        source = {"source_stream": stream, "source_event": str(number)}
        return publish(connection, "invoice.paid", "invoice", stream, {"number": number}, **source)


def connect(url):
    parts = urlsplit(url)
    return pymysql.connect(
        host=parts.hostname,
        port=parts.port or 3306,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        database=unquote(parts.path[1:]),
        charset="utf8mb4",
        autocommit=True,
    )


def main():
    with connect(sys.argv[1]) as connection:
        execute(connection, "CREATE TABLE IF NOT EXISTS orders (id VARCHAR(50) PRIMARY KEY, total INT, shipped BOOL DEFAULT false)")
        written = [place_order(connection, "python-1", 42), ship_order(connection, "python-1")]
        fail_to_place_order(connection, "python-2")
        written += [import_event(connection, "python-invoices", number) for number in (1, 1, 2)]
        # No order is asked for where there is no key.
        written.append(publish(connection, "page.viewed", "page", "python", {"n": 1}, key=None))
    print("\n".join(event for event in written if event))


if __name__ == "__main__":
    main()
