// HTTP requests of a run. A stop leaves nobody who could take their answers: without this both ends would stay open for as long as
// the session lives.
(function (kernel) {
  'use strict';
  const { subscribe = () => {} } = kernel.require('node:diagnostics_channel');
  const FIRST_SWEEP = 16;
  const nothing = () => {};

  // ---- node:http --------------------------------------------------------------------------------------------------

  const isOver = (request) => request.destroyed || request.res?.complete === true;
  subscribe('http.client.request.start', ({ request }) => {
    const run = kernel.store();
    if (run === undefined || run.dead) return;
    const list = (run.requests ??= []);
    list.push(request);
    if (list.length >= (run.sweepRequestsAt ?? FIRST_SWEEP)) {
      run.requests = list.filter((one) => !isOver(one));
      run.sweepRequestsAt = Math.max(FIRST_SWEEP, run.requests.length * 2);
    }
  });

  kernel.cleanups.push((run) => {
    for (const request of run.requests ?? []) {
      if (isOver(request)) continue;
      // Nothing of the run is to be told.
      for (const emitter of [request, request.res]) {
        for (const event of ['error', 'close', 'abort', 'aborted']) emitter?.removeAllListeners(event);
        emitter?.on('error', nothing);
      }
      request.destroy();
    }
    run.requests = undefined;
  });

  // ---- fetch ------------------------------------------------------------------------------------------------------

  const runs = new WeakMap(); // request -> the run that made it
  const over = ({ request }) => runs.get(request)?.fetches?.delete(request);
  subscribe('undici:request:create', ({ request }) => {
    const run = kernel.store();
    if (run === undefined || run.dead) return;
    runs.set(request, run);
    (run.fetches ??= new Map()).set(request, undefined);
  });
  subscribe('undici:client:sendHeaders', ({ request, socket }) => {
    const fetches = runs.get(request)?.fetches;
    if (fetches?.has(request)) fetches.set(request, socket);
  });
  subscribe('undici:request:trailers', over);
  subscribe('undici:request:error', over);

  kernel.cleanups.push((run) => {
    for (const socket of run.fetches?.values() ?? []) socket?.destroy();
    run.fetches = undefined;
  });
})
