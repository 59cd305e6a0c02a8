// Running one cell, from Rust's message to its end.
(function (kernel) {
  'use strict';
  const { native, storage } = kernel;
  const { Script } = kernel.require('node:vm');
  const { inspect, types } = kernel.require('node:util');
  const { stringify, parse } = JSON;
  const { setImmediate } = globalThis;
  const then = Function.prototype.call.bind(Promise.prototype.then);

  // The same numbers stand in `js_worker_port.rs` and `plan.rs`.
  const RUN = 1, ABANDON = 2, REPLY = 3, VARIABLES = 4, EXIT = 5;
  const ASYNC = 1, WRAPPED = 2, HAS_VALUE = 4;
  const EMPTY_PLAN = Object.freeze({});
  const QUIET = { displayErrors: false };

  const compile = (text, filename, lineOffset) =>
    new Script(text, { filename, lineOffset, importModuleDynamically: kernel.defaultLoader });

  // Microtasks, ticks and the rejections that nobody handled: what a plain program does when its script has ended.
  const drain = process._tickCallback ?? (() => {});

  // What a cell needs to say before it can reach a process or a thread; afterwards idle time has prepared for it.
  const REACHES_OUT = /require|import|process|module|Worker|eval|Function|constructor/;

  const start = (run, main, flags) => {
    const { plan } = run;
    if (plan.imports !== undefined || REACHES_OUT.test(main)) kernel.prepare();
    let script;
    let hoisted;
    try {
      if (flags & WRAPPED) kernel.rememberWrapped(run.cell, main);
      script = compile(main, run.cell, flags & WRAPPED ? -1 : 0);
      if (plan.hoisted !== undefined) hoisted = compile(plan.hoisted, `${run.cell}#functions`, 0);
    } catch (error) {
      kernel.fail(run, error, 'syntax');
      return;
    }
    if (plan.imports === undefined) {
      execute(run, script, hoisted, flags);
    } else {
      then(kernel.bindImports(plan.imports, run.cell), () => {
        if (isOver(run)) return;
        run.imported = true;
        execute(run, script, hoisted, flags);
      }, (failure) => kernel.fail(run, failure.error, 'exception', failure));
    }
  };

  const execute = (run, script, hoisted, flags) => {
    let completion;
    try {
      if (run.plan !== EMPTY_PLAN) kernel.openNames(run, run.plan);
      globalThis._$at = 0;
      run.started = true;
      if (hoisted !== undefined) hoisted.runInThisContext(QUIET);
      completion = script.runInThisContext(QUIET);
    } catch (error) {
      kernel.fail(run, error);
      return;
    }
    const hasValue = (flags & HAS_VALUE) !== 0;
    if ((flags & ASYNC) !== 0 || (hasValue && types.isPromise(completion))) {
      then(completion, (value) => later(run, () => succeed(run, hasValue ? value : undefined)),
        (error) => later(run, () => kernel.fail(run, error)));
      return;
    }
    run.bodyEnded = true;
    try {
      drain();
    } catch (error) {
      kernel.fail(run, error);
      return;
    }
    succeed(run, hasValue ? completion : undefined);
  };

  // After the rejections of the same turn, which belong to this cell.
  const later = (run, action) => {
    run.bodyEnded = true;
    if (kernel.current === run) setImmediate(action);
  };

  // After `process.exit`, too: where JavaScript cannot be terminated, the cell runs on to its next `catch`.
  const isOver = (run) => kernel.current !== run || run.ending || run.exiting;

  const succeed = (run, value) => {
    if (isOver(run)) return;
    let detail;
    try {
      if (run.plan.maxBytes !== undefined) detail = kernel.jsonValue(value, run.plan.maxBytes);
      else if (value !== undefined) native.write(run.id, `${inspect(value)}\n`);
    } catch (error) {
      kernel.fail(run, error);
      return;
    }
    end(run, detail);
  };

  kernel.fail = (run, error, kind = 'exception', place = undefined) => {
    if (isOver(run)) return;
    const facts = kind === 'syntax' ? kernel.describeSyntax(error, run.cell) : kernel.describe(error, run.cell);
    const detail = { kind, ...facts, ...kernel.nameReport(run) };
    if (place !== undefined) {
      detail.line ??= place.line;
      detail.column ??= place.column;
    }
    end(run, detail);
  };

  /**
   * An error that nobody handled, while the run is current. Where its own code still waits for something, that must not go on
   * after the cell was reported as failed: it ends as a stopped one does.
   */
  kernel.failStray = (run, error) => {
    if (isOver(run)) return;
    const goesOn = run.bodyEnded === true;
    if (!goesOn) kernel.declareDead(run);
    kernel.fail(run, error);
    if (!goesOn) kernel.cleanUp(run);
  };

  const end = (run, detail) => {
    if (isOver(run)) return;
    if (run.plan !== EMPTY_PLAN) kernel.closeNames();
    // False when an interrupt has taken this run already: its own message ends it. Only after this the run is forgotten
    // here, because until then an interrupt can come between any two lines.
    if (!native.done(run.id, detail === undefined ? undefined : stringify(detail), false)) return;
    kernel.current = null;
    kernel.dropToolCalls(run);
    kernel.afterRun?.();
  };

  const control = (kind, id, text, cell, flags, rest) => {
    kernel.settleImmediates();
    switch (kind) {
      case RUN: {
        const run = { id, cell, dead: false, ending: false, started: false, plan: rest === '' ? EMPTY_PLAN : parse(rest) };
        if (run.plan.tools !== undefined) kernel.setTools(run.plan.tools);
        kernel.current = run;
        kernel.enter(run, start, text, flags);
        break;
      }
      case ABANDON:
        kernel.abandon(id);
        break;
      case REPLY:
        kernel.toolReply(id, flags === 1, text);
        break;
      case VARIABLES:
        kernel.variables(id);
        break;
      case EXIT:
        kernel.exit();
        break;
    }
  };

  kernel.exit = () => kernel.realExit(0);

  kernel.attach = () => {
    try {
      kernel.interruptible = native.attach(kernel.facts.worker, control, kernel.mend, kernel.platformNames);
    } catch {
      // The session that asked for this worker has been closed meanwhile. As an uncaught error it would be told on the
      // host's stderr.
      kernel.realExit(0);
    }
  };
})
