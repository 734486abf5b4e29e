import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import java.net.URI;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.connect.source.SourceRecord;

/** Debezium's engine with its outbox router, in a program that does nothing with an event. Usage: drain|follow URL MESSAGES */
public final class Debezium {
    private final CountDownLatch done = new CountDownLatch(1);
    private final List<long[]> times;
    private final int messages;
    private volatile long begun = System.nanoTime();

    private Debezium(int messages) {
        this.messages = messages;
        this.times = new ArrayList<>(messages);
    }

    public static void main(String[] args) throws Exception {
        new Debezium(Integer.parseInt(args[2])).run(args[0], URI.create(args[1]));
    }

    private void run(String what, URI url) throws Exception {
        var engine = DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
                .using(settings(url))
                .using(new Ready())
                .using((success, message, error) -> {
                    if (!success) {
                        System.err.println(message);
                        System.exit(1);
                    }
                })
                .notifying(this::handle)
                .build();
        var worker = new Thread(engine);
        worker.start();
        done.await();
        double seconds = (System.nanoTime() - begun) / 1e9;
        if (what.equals("drain")) {
            System.out.println("{\"seconds\":" + seconds + "}");
        }
        // What was handled is told to the server once a second. Whatever it does not know comes again at the next start.
        Thread.sleep(2_000);
        engine.close();
        if (what.equals("follow")) {
            say();
        }
        System.exit(0);
    }

    /** It is about to read. Whoever waits for this program to be ready reads its first line. */
    private final class Ready implements DebeziumEngine.ConnectorCallback {
        @Override
        public void pollingStarted() {
            begun = System.nanoTime();
            System.out.println("ready");
        }
    }

    private void handle(
            List<RecordChangeEvent<SourceRecord>> events, DebeziumEngine.RecordCommitter<RecordChangeEvent<SourceRecord>> committer)
            throws InterruptedException {
        for (var event : events) {
            if (event.record().value() instanceof String payload) {
                times.add(new long[] {order(payload), ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now())});
            }
            committer.markProcessed(event);
        }
        committer.markBatchFinished();
        if (times.size() >= messages) {
            done.countDown();
        }
    }

    /** The number of an order, which stands at the beginning of its JSON. */
    private static long order(String payload) {
        int from = payload.indexOf(':') + 1;
        while (payload.charAt(from) == ' ') {
            from++;
        }
        int to = from;
        while (Character.isDigit(payload.charAt(to))) {
            to++;
        }
        return Long.parseLong(payload, from, to, 10);
    }

    private void say() {
        var said = new StringBuilder("[");
        for (var time : times) {
            said.append(said.length() > 1 ? "," : "").append('[').append(time[0]).append(',').append(time[1]).append(']');
        }
        System.out.println(said.append(']'));
    }

    /** Large batches, and another look after 5 ms in place of the usual 500. What is confirmed is told to the server once a second. */
    private static Properties settings(URI url) {
        var settings = new Properties();
        settings.put("name", "outbox");
        settings.put("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
        settings.put("offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore");
        settings.put("offset.flush.interval.ms", "1000");
        settings.put("database.hostname", url.getHost());
        settings.put("database.port", String.valueOf(url.getPort()));
        settings.put("database.user", "postgres");
        settings.put("database.dbname", url.getPath().substring(1));
        settings.put("topic.prefix", "outbox");
        settings.put("plugin.name", "pgoutput");
        settings.put("slot.name", "debezium");
        settings.put("publication.name", "debezium");
        settings.put("publication.autocreate.mode", "disabled");
        settings.put("snapshot.mode", "no_data");
        settings.put("table.include.list", "public.outbox_events");
        settings.put("max.batch.size", "8192");
        settings.put("max.queue.size", "32768");
        settings.put("poll.interval.ms", "5");
        settings.put("transforms", "outbox");
        settings.put("transforms.outbox.type", "io.debezium.transforms.outbox.EventRouter");
        return settings;
    }
}
