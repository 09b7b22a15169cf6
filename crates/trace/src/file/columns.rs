//! The calls of a block as columns, each with the numbers of those calls that have the field.

use super::{
    column::{Column, Numbers},
    context::Context,
    varint::{self, Bytes},
};
use crate::call::{Call, Field, NONE, Op};

const OP: usize = 0;
const THREAD: usize = 1;
const GAP: usize = 2;
const TOOK: usize = 3;
const RESULT: usize = 4;
const FIELDS: usize = 5;
const COLUMNS: usize = FIELDS + 8;

/// The payload of a block, as parts that are alike in themselves.
pub(super) fn encode(calls: &[Call]) -> Vec<Vec<u8>> {
    let mut columns: [Column; COLUMNS] = std::array::from_fn(|_| Column::default());
    let mut context = Context::new();
    for call in calls {
        columns[OP].put(call.op as u64);
        columns[THREAD].put(call.thread.into());
        let gap = call.at_ns.wrapping_sub(context.ended(call.thread));
        columns[GAP].put(varint::zigzag(gap as i64));
        columns[TOOK].put(call.took_ns);
        for field in call.op.fields() {
            let column = &mut columns[FIELDS + *field as usize];
            column.put(code(value(call, *field), context.guess(call, *field), *field));
        }
        columns[RESULT].put(varint::zigzag(call.result.wrapping_sub(expected(call))));
        context.saw(call);
    }
    columns.iter().flat_map(Column::parts).map(with_length).collect()
}

fn with_length(part: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(part.len() + 3);
    varint::put(&mut bytes, part.len() as u64);
    bytes.extend_from_slice(part);
    bytes
}

/// Reads `count` calls into `calls`; `None` where they are none.
pub(super) fn decode(payload: &[u8], count: usize, calls: &mut Vec<Call>) -> Option<()> {
    calls.clear();
    let mut payload = Bytes(payload);
    let mut columns = Vec::with_capacity(COLUMNS);
    for _ in 0..COLUMNS {
        columns.push(Numbers::parse(&mut payload)?);
    }
    let mut context = Context::new();
    for _ in 0..count {
        let op = u8::try_from(columns[OP].number()?).ok().and_then(Op::of_code)?;
        let mut call = Call::new(op, columns[THREAD].word()?);
        let gap = columns[GAP].signed()? as u64;
        call.at_ns = context.ended(call.thread).wrapping_add(gap);
        call.took_ns = columns[TOOK].number()?;
        for field in call.op.fields() {
            let guess = context.guess(&call, *field);
            let code = columns[FIELDS + *field as usize].number()?;
            set(&mut call, *field, decoded(code, guess, *field)?)?;
        }
        call.result = expected(&call).wrapping_add(columns[RESULT].signed()?);
        context.saw(&call);
        calls.push(call);
    }
    let is_whole = payload.is_empty() && columns.iter().all(|column| column.is_empty());
    is_whole.then_some(())
}

/// What a call most likely returns: all that it asked for.
fn expected(call: &Call) -> i64 {
    if call.op.moves_bytes() { call.len as i64 } else { 0 }
}

fn is_id(field: Field) -> bool {
    matches!(field, Field::Handle | Field::Other | Field::Path | Field::Path2)
}

/// The number that stands for a field: its difference to the guess; for an id 0 is none.
fn code(value: u64, guess: u64, field: Field) -> u64 {
    if !is_id(field) {
        varint::zigzag(value.wrapping_sub(guess) as i64)
    } else if value == u64::from(NONE) {
        0
    } else {
        1 + varint::zigzag(value as i64 - guess as i64)
    }
}

fn decoded(code: u64, guess: u64, field: Field) -> Option<u64> {
    if !is_id(field) {
        return Some(guess.wrapping_add(varint::unzigzag(code) as u64));
    }
    let Some(code) = code.checked_sub(1) else { return Some(NONE.into()) };
    let value = (guess as i64).checked_add(varint::unzigzag(code))?;
    u64::try_from(value).ok().filter(|value| *value < NONE.into())
}

fn value(call: &Call, field: Field) -> u64 {
    match field {
        Field::Handle => call.handle.into(),
        Field::Other => call.other.into(),
        Field::Path => call.path.into(),
        Field::Path2 => call.path2.into(),
        Field::Offset => call.offset,
        Field::Len => call.len,
        Field::Flags => call.flags.into(),
        Field::Mode => call.mode.into(),
    }
}

fn set(call: &mut Call, field: Field, value: u64) -> Option<()> {
    let word = u32::try_from(value).ok();
    match field {
        Field::Handle => call.handle = word?,
        Field::Other => call.other = word?,
        Field::Path => call.path = word?,
        Field::Path2 => call.path2 = word?,
        Field::Offset => call.offset = value,
        Field::Len => call.len = value,
        Field::Flags => call.flags = word?,
        Field::Mode => call.mode = word?,
    }
    Some(())
}
