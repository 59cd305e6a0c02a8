//! Interrupts at random moments, many of them: none hits a later cell, and nothing is lost. `EVALCELL_SOAK` is the number
//! of rounds; `npm run soak` runs the long version.

mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use evalcell::kernel::python::{PythonConfig, Transport};
use evalcell::kernel::{Driver, Outcome, State};
use support::{Event, Recorder, Session, block_on};

/// What is interrupted; each adds 1 to `n` first. `$` is the round.
const CELLS: &[&str] = &[
    "for i in range(3000): pass",
    "for i in range(60): print('$', i)",
    "for i in range(400): print('$', i)",
    "for i in range(60): print('$', i, flush=True)\nawait asyncio.sleep(0.0005)",
    "await asyncio.sleep(0.0005)",
    "tool.echo(a=1)",
    "await asyncio.gather(tool.echo(a=1), tool.echo(a=2))",
    "display({'a': 1}); display('b')",
    "time.sleep(0.0005)",
    "t = asyncio.create_task(asyncio.sleep(0.0003)); await t",
    "pool = threading.Thread(target=time.sleep, args=(0.0005,)); pool.start(); pool.join()",
    "import json, decimal; [json.dumps({'k': [1] * 50}) for _ in range(30)]",
    "try: time.sleep(0.001)\nfinally: cleaned = $",
    "1/0",
];

fn rounds() -> usize {
    std::env::var("EVALCELL_SOAK").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(300)
}

/// A small seeded generator: a failure can be looked at again.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// Returns how many of the interrupts hit their cell.
async fn soak(transport: Transport, rounds: usize) -> usize {
    let session = Session::with(PythonConfig { transport, ..support::config() }).await;
    session.text("import asyncio, threading, time\nn = 0").await;
    let (mut hits, mut count, mut random) = (0, 0, Random(88_172_645_463_325_252));
    for round in 0..rounds {
        let code = CELLS[round % CELLS.len()].replace('$', &round.to_string());
        let recorder = Arc::new(Recorder::default());
        let request = session.request(&format!("n += 1\n{code}"));
        let run = request.run;
        let end = session.kernel.run(request, recorder.clone());
        // Busy waiting: the runtime's timer is coarser than a cell is long.
        let wait = Instant::now() + Duration::from_micros(random.below(1500));
        while Instant::now() < wait {
            std::hint::spin_loop();
        }
        session.kernel.interrupt(run);
        let end = end.await;
        assert_eq!(end.state, State::Kept, "round {round}: {end:?}");
        match end.outcome {
            Outcome::Stopped => hits += 1,
            Outcome::Complete => {}
            Outcome::Exception(ref thrown) if thrown.name.as_deref() == Some("ZeroDivisionError") => {}
            ref other => panic!("round {round}: {other:?}"),
        }
        is_a_whole_beginning(round, &recorder.text(), !matches!(end.outcome, Outcome::Stopped));
        // The next cell is untouched, and sees every name that there was.
        let (next, events) = session.run("n").await;
        assert!(matches!(next.outcome, Outcome::Complete), "round {round}: {next:?}");
        let [Event::Text(text)] = &*events else { panic!("round {round}: {events:?}") };
        let now: usize = text.trim().parse().unwrap_or_else(|_| panic!("round {round}: {text:?}"));
        assert!(now == count || now == count + 1, "round {round}: n was {count} and is {now}");
        assert!(now == count + 1 || matches!(end.outcome, Outcome::Stopped), "round {round}: it ran and n is {now}");
        count = now;
    }
    session.kernel.close().await;
    hits
}

/// What a cell has printed is whole from its first line on, whenever it was stopped.
fn is_a_whole_beginning(round: usize, text: &str, is_all: bool) {
    let expected: String = (0..400).map(|line| format!("{round} {line}\n")).collect();
    if CELLS[round % CELLS.len()].contains("print") {
        assert!(expected.starts_with(text), "round {round}: {text:?}");
        assert!(!is_all || text.lines().count() >= 60, "round {round}: {text:?}");
    }
}

#[test]
fn random_interrupts_never_hit_a_later_cell_and_lose_nothing() {
    block_on(async {
        let hits = soak(Transport::default(), rounds()).await;
        println!("{hits} of {} interrupts hit their cell", rounds());
        assert!(hits > 0);
    });
}

#[test]
fn over_a_local_socket_neither() {
    block_on(async {
        let hits = soak(Transport::Named, rounds()).await;
        println!("{hits} of {} interrupts hit their cell", rounds());
        assert!(hits > 0);
    });
}
