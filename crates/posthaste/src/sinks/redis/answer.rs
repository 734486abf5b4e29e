//! What the script answered. What it cannot have answered confirms nothing.

use redis::Value;

/// What became of a part of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) there: usize,
    /// What the server said of the message after these.
    pub(super) stopped: Option<String>,
}

/// Reads the answer to a call whose parts have so many messages.
pub(super) fn read(answer: Value, messages: &[usize]) -> Option<Vec<Part>> {
    let Value::Array(answer) = answer else { return None };
    let mut answer = answer.into_iter();
    let all = number(answer.next()?)?;
    let mut parts: Vec<Part> = messages.iter().map(|&there| Part { there, stopped: None }).collect();
    let mut last = 0;
    while let Some(run) = answer.next() {
        let (run, there, said) = (number(run)?, number(answer.next()?)?, text(answer.next()?)?);
        let part = parts.get_mut(run.checked_sub(1)?)?;
        if run <= last || there >= part.there {
            return None;
        }
        *part = Part { there, stopped: Some(said) };
        last = run;
    }
    (parts.iter().map(|part| part.there).sum::<usize>() == all).then_some(parts)
}

fn number(value: Value) -> Option<usize> {
    match value {
        Value::Int(number) => usize::try_from(number).ok(),
        _ => None,
    }
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::BulkString(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(number: i64) -> Value {
        Value::Int(number)
    }

    fn said(text: &str) -> Value {
        Value::BulkString(text.into())
    }

    #[test]
    fn an_answer_tells_each_run_apart_that_was_stopped() {
        let part = |there, stopped: Option<&str>| Part { there, stopped: stopped.map(str::to_owned) };
        assert_eq!(read(Value::Array(vec![int(4)]), &[3, 1]), Some(vec![part(3, None), part(1, None)]));
        let answer = Value::Array(vec![int(2), int(1), int(1), said("OOM")]);
        assert_eq!(read(answer, &[3, 1]), Some(vec![part(1, Some("OOM")), part(1, None)]));
    }

    #[test]
    fn what_the_script_cannot_have_answered_is_no_answer() {
        let odd: [&[Value]; 9] = [
            &[],
            &[int(3)],
            &[int(-1)],
            &[said("4")],
            &[int(4), int(1)],
            &[int(3), int(3), int(0), said("no such run")],
            &[int(4), int(1), int(3), said("all of them are there")],
            &[int(0), int(2), int(0), said("x"), int(1), int(0), said("out of order")],
            &[int(3), int(2), int(0), Value::Nil],
        ];
        for odd in odd {
            assert_eq!(read(Value::Array(odd.to_vec()), &[3, 1]), None, "{odd:?}");
        }
        for odd in [Value::Nil, Value::Okay, int(4), Value::Set(vec![int(4)]), Value::Map(Vec::new())] {
            assert_eq!(read(odd.clone(), &[3, 1]), None, "{odd:?}");
        }
    }
}
