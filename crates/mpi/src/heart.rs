//! The heartbeat of rank 0: a thread that sends a message to all other ranks every two seconds. A rank gets no further
//! message until it has received the last one, so that a hung rank does not block the heartbeat of the others.

use crate::{pulse::BEAT_EVERY, topic::Topic};
use rsmpi::{
    Rank,
    point_to_point::Destination,
    request::{Request, StaticScope},
    topology::{Communicator, SimpleCommunicator},
};
use std::{
    mem,
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread::{self, JoinHandle},
};

/// A sign of life: JSON, as every message.
static BEAT: [u8; 1] = *b"1";

type Sending = Request<'static, [u8; 1], StaticScope>;

/// Beats until it is dropped.
pub(crate) struct Heart {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Heart {
    /// Begins to beat.
    pub(crate) fn start() -> Heart {
        let (end, ended) = mpsc::channel();
        let thread = thread::spawn(move || {
            let all = SimpleCommunicator::world();
            let mut under_way: Vec<Option<Sending>> = (1..all.size()).map(|_| None).collect();
            loop {
                for (sending, rank) in under_way.iter_mut().zip(1..) {
                    *sending = beat(&all, rank, sending.take());
                }
                if ended.recv_timeout(BEAT_EVERY) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
            }
            // They end with MPI; none can be taken back.
            under_way.into_iter().for_each(mem::forget);
        });
        Heart { end: Some(end), thread: Some(thread) }
    }
}

/// A sign of life to `rank`, unless the one `before` is still under way: what is under way now.
fn beat(all: &SimpleCommunicator, rank: Rank, before: Option<Sending>) -> Option<Sending> {
    match before.map(Request::test) {
        Some(Err(sending)) => Some(sending),
        _ => {
            let there = all.process_at_rank(rank);
            Some(there.immediate_send_with_tag(StaticScope, &BEAT, Topic::Beat as i32))
        }
    }
}

impl Drop for Heart {
    fn drop(&mut self) {
        drop(self.end.take());
        // A thread that panicked has said so.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
