//! Pools of real processes. This program is its own worker, as the shipped one is, so it needs its
//! own `main`: with the hidden verb it is a worker, without it the list of tests.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)] // no `#[test]` marks these as tests

mod acts;
mod cases;
mod staying;

use std::{
    env,
    panic::catch_unwind,
    process::{ExitCode, exit},
};

macro_rules! named {
    ($($module:ident: $($case:ident),* $(,)?);* $(;)?) => {
        &[$($((stringify!($case), $module::$case as fn())),*),*]
    };
}

const CASES: &[(&str, fn())] = named![
    cases:
    a_pool_reports_in_order_and_exactly,
    observer_is_notified_of_a_running_phase,
    what_a_held_pool_waits_for_is_of_its_time,
    candidate_is_not_paused_while_its_device_writes,
    the_overlap_lies_between_last_start_and_first_end,
    sixty_four_start_together,
    the_largest_pool_runs,
    files_are_filled_and_warmed_without_phases,
    a_panic_names_the_worker_and_the_message,
    an_error_ends_the_pool_at_once,
    exit_and_kill_are_distinguished,
    a_worker_that_hangs_is_named,
    different_phases_are_refused,
    an_unknown_test_and_an_impossible_pool_are_refused,
    a_worker_started_by_hand_says_so,
    a_stop_ends_a_pool_that_works,
    workers_die_with_their_coordinator,
    workers_that_are_confined_are_a_pool,
    confined_workers_die_with_their_coordinator,
    programs_of_others_run_only_where_the_job_allows_them,
    a_pool_in_the_name_of_a_user_has_no_other_rights;
    staying:
    workers_stay_for_further_jobs,
    nothing_of_a_job_is_left_in_its_worker,
    a_worker_keeps_to_the_processor_of_its_job_and_no_longer,
    a_worker_keeps_to_its_numa_node_and_no_longer,
    one_that_died_while_it_waited_is_replaced,
    a_pool_that_failed_is_followed_by_a_new_one,
    output_of_a_job_is_not_attributed_to_the_next,
    worker_with_external_programs_does_one_job,
    workers_that_wait_die_with_their_coordinator,
];

fn main() -> ExitCode {
    match env::args().nth(1).as_deref() {
        Some(workers::WORKER_VERB) => workers::main(acts::find),
        Some(cases::COORDINATE) => {
            cases::coordinate();
            ExitCode::SUCCESS
        }
        Some(filter) if !filter.starts_with('-') => run(filter),
        _ => run(""),
    }
}

/// One after the other: several pools at a time would share the two or so processors.
fn run(filter: &str) -> ExitCode {
    let failed: Vec<&str> = CASES
        .iter()
        .filter(|(name, _)| name.contains(filter))
        .filter(|(name, case)| {
            let result = catch_unwind(case);
            println!("test {name} ... {}", if result.is_ok() { "ok" } else { "FAILED" });
            result.is_err()
        })
        .map(|(name, _)| *name)
        .collect();
    if !failed.is_empty() {
        println!("failed: {}", failed.join(", "));
        exit(101);
    }
    ExitCode::SUCCESS
}
