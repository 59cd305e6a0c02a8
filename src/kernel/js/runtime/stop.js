// After a stop: the run is declared dead, what it started ends, and the context is probed before anybody says that it lives.
(function (kernel) {
  'use strict';
  const { native } = kernel;
  const { setTimeout, clearTimeout, setImmediate } = globalThis;
  // Turns of the event loop, not time: a thread that gets no processor has not died.
  const PROBE_TURNS = 20;
  const PROBE_TURN_MS = 50;

  /** Called before a cell can load modules: what it will see must have been wrapped. */
  kernel.preparations = [];
  /** Called with a run that is to leave nothing behind; parts of the runtime add theirs. */
  kernel.cleanups = [];
  kernel.cleanUp = (run) => {
    for (const clean of kernel.cleanups) {
      try {
        clean(run);
      } catch {
        // One cleanup must not keep the others from happening.
      }
    }
  };

  /** Each resolves to true when what it probes works. */
  kernel.probes = [() => new Promise((resolve) => setImmediate(resolve, true))];

  const probe = async () => {
    let timer;
    const late = new Promise((resolve) => {
      let turns = 0;
      const turn = () => {
        turns += 1;
        if (turns > PROBE_TURNS) resolve(false);
        else timer = setTimeout(turn, PROBE_TURN_MS);
      };
      turn();
    });
    // One that throws has found what it looks for.
    const all = Promise.all(kernel.probes.map(async (one) => one())).then((answers) => answers.every(Boolean), () => false);
    const alive = await Promise.race([all, late]);
    clearTimeout(timer);
    return alive;
  };

  /** The end of a run that was stopped from outside, or that ended itself (`detail` of an exit). */
  kernel.abandon = (id, detail = { kind: 'stopped' }) => {
    const run = kernel.current;
    if (run === null || run.id !== id) {
      // The interrupt came before the run's first line here, or after its last: nothing of it is left to clean up.
      native.done(id, JSON.stringify(detail), true);
      return;
    }
    if (run.ending) return;
    run.ending = true;
    kernel.declareDead(run);
    kernel.cleanUp(run);
    let report;
    try {
      report = kernel.nameReport(run);
    } catch {
      // A name that cannot even be looked at must not keep the run from ending.
    }
    kernel.dropToolCalls(run);
    probe().then((alive) => {
      if (kernel.current !== run) return;
      kernel.current = null;
      native.done(id, JSON.stringify({ ...detail, ...report, lost: !alive }), true);
    });
  };
})
