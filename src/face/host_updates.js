// Partial results for `onUpdate`. An expression: evaluates to a factory of one call's keeper.
//
//   const take = createUpdates()
//   take(message, onUpdate)    one message from Rust (`src/call/updates.rs`); calls `onUpdate` once for each change of status
//                              in it, in order, or once when there is none
//
// Rust tells each row, image, JSON output and status event once. Partial results share them: building one costs a list of
// references, however much was displayed.
(function createUpdates() {
  'use strict';

  const LISTS = ['jsonOutputs', 'images', 'statusEvents'];

  let details;
  const lists = { jsonOutputs: [], images: [], statusEvents: [] };

  function partial(text, running) {
    const cells = details.cells.slice();
    const row = running && cells[running.index];
    if (row?.status === 'running') {
      const now = { ...row, output: running.output };
      const events = lists.statusEvents.slice(running.eventsFrom);
      if (events.length > 0) now.statusEvents = events;
      if (running.hasMarkdown) now.hasMarkdown = true;
      cells[running.index] = now;
    }
    const shown = { ...details, cells };
    for (const name of LISTS) if (lists[name].length > 0) shown[name] = lists[name].slice();
    return { content: [{ type: 'text', text }], details: shown };
  }

  return function take(message, onUpdate) {
    const { details: before, changes, text, running, ...news } = JSON.parse(message);
    details ??= before;
    for (const name of LISTS) for (const one of news[name] ?? []) lists[name].push(one);
    for (const row of changes) {
      details.cells[row.index] = row;
      onUpdate(partial(text, running));
    }
    if (changes.length === 0) onUpdate(partial(text, running));
  };
})
