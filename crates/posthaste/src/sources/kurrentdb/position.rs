//! Places in `$all`, as texts.

use super::protocol::streams::Position;
use crate::error::shown;
use crate::source::Checkpoint;

/// `commit/prepare`, as `537/537`. A checkpoint of the server may have a prepare of zero.
pub(super) fn checkpoint(position: Position) -> Checkpoint {
    Checkpoint::stored(compact_str::format_compact!("{}/{}", position.commit_position, position.prepare_position))
}

/// `537/537`, `C:537/P:537`, or `537` for both.
pub(super) fn parse(text: &str) -> Result<Position, String> {
    let wrong = || format!("is `{}`: write COMMIT/PREPARE, as in 537/537", shown(text));
    let number = |text: &str, mark: &str| text.strip_prefix(mark).unwrap_or(text).parse::<u64>().map_err(|_| wrong());
    let (commit, prepare) = text.split_once('/').unwrap_or((text, text));
    Ok(Position { commit_position: number(commit, "C:")?, prepare_position: number(prepare, "P:")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_written_as_it_is_read() {
        let position = Position { commit_position: 4_703, prepare_position: 0 };
        assert_eq!(checkpoint(position).as_str(), "4703/0");
        assert_eq!(parse("4703/0"), Ok(position));
        assert_eq!(parse("C:4703/P:0"), Ok(position));
        assert_eq!(parse("7").map(|it| it.prepare_position), Ok(7));
        assert!(parse("yesterday").is_err());
    }
}
