//! A reading in a task of its own: reads when it is asked to, makes messages of what it read, and tells the log what became of it.

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::ReadSource;
use crate::engine::source::{Arrived, Opened, Piece, ReadingId, SourceInput};
use crate::source::{Batch, Checkpoint, Error, Event, Reading, Settled, made};

/// What may wait to be told to the log. One that takes no more is given up.
const WAITING: usize = 256;

enum Command {
    Read(usize),
    Settled(Vec<(Event, Settled)>),
    Marked(Vec<(Event, Settled)>),
}

/// Ends when it is dropped.
pub(super) struct ReadingTask {
    id: ReadingId,
    commands: mpsc::Sender<Command>,
    inbox: mpsc::Sender<SourceInput>,
    tasks: JoinSet<()>,
}

impl ReadingTask {
    pub(super) fn open(
        id: ReadingId,
        read: ReadSource,
        after: Option<Checkpoint>,
        inbox: mpsc::Sender<SourceInput>,
    ) -> Self {
        let (commands, told) = mpsc::channel(WAITING);
        let answers = inbox.clone();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let opened = read.source.read_after(after.as_ref()).await;
            let result = opened.as_deref().map(about).map_err(Error::clone);
            let input = SourceInput::Opened { reading: id, result };
            if answers.send(input).await.is_ok()
                && let Ok(reading) = opened
            {
                let error = serve(id, &read, reading, told, &answers).await.err();
                if let Some(error) = error {
                    drop(answers.send(SourceInput::Arrived { reading: id, result: Err(error) }).await);
                }
            }
        });
        Self { id, commands, inbox, tasks }
    }

    pub(super) fn id(&self) -> ReadingId {
        self.id
    }

    pub(super) fn read(&mut self, limit: usize) {
        self.command(Command::Read(limit));
    }

    pub(super) fn settled(&mut self, events: Vec<(Event, Settled)>, marked: bool) {
        self.command(if marked { Command::Marked(events) } else { Command::Settled(events) });
    }

    fn command(&mut self, command: Command) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.commands.try_send(command) {
            let error = Error::new("the log does not take what it is told about events");
            let input = SourceInput::Arrived { reading: self.id, result: Err(error) };
            let inbox = self.inbox.clone();
            self.tasks.spawn(async move { drop(inbox.send(input).await) });
        }
    }
}

fn about(reading: &dyn Reading) -> Opened {
    Opened { wants_settled: reading.wants_settled(), marker: reading.marker() }
}

/// Until nobody asks any more, or something fails.
async fn serve(
    id: ReadingId,
    read: &ReadSource,
    mut reading: Box<dyn Reading>,
    mut commands: mpsc::Receiver<Command>,
    answers: &mpsc::Sender<SourceInput>,
) -> Result<(), Error> {
    let mut wanted = None;
    loop {
        tokio::select! {
            biased;
            command = commands.recv() => match command {
                None => return Ok(()),
                Some(Command::Read(limit)) => wanted = Some(limit),
                Some(Command::Settled(events)) => reading.settled(&events).await?,
                Some(Command::Marked(events)) => reading.marked(&events).await?,
            },
            batch = reading.next(wanted.unwrap_or_default()), if wanted.is_some() => {
                wanted = None;
                let arrived = arrived(read, batch?);
                if answers.send(SourceInput::Arrived { reading: id, result: Ok(arrived) }).await.is_err() {
                    return Ok(());
                }
            }
        }
    }
}

fn arrived(read: &ReadSource, batch: Batch) -> Arrived {
    let last = batch.events.last().and_then(|event| event.recorded_at);
    let age = last.map(|at| crate::clock::now().duration_since(at).try_into().unwrap_or_default());
    let piece = |event: Event| {
        let made = made(&event, read.mapper.map(&event), read.feed.on_error);
        Piece { event, made }
    };
    let pieces = batch.events.into_iter().map(piece).collect();
    Arrived { pieces, beyond: batch.beyond, at_end: batch.at_end, age }
}
