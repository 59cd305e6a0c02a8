// `evalcell/pi`: a session of the Pi coding agent as the runtime of an eval case. Knows no Pi package by name: it uses
// what `createAgentSession` of either of them gives.

/** Roles that Pi writes into its session as message entries when they end. */
const RECORDED = new Set(['user', 'assistant', 'toolResult', 'system']);

/** How long an agent that was told to stop may take, in milliseconds. */
const STOP_GRACE_MS = 2000;

/** See `pi.d.mts`. */
export function createPiRuntime(session, options = {}) {
  const { sessionManager } = session;
  // What the session already held counts, then what the agent says while it works: two witnesses of one transcript.
  const messages = sessionManager
    .getBranch()
    .filter(({ type }) => type === 'message')
    .map(({ message }) => message);
  let steps = 0;
  let reason;
  const unsubscribe = session.subscribe((event) => {
    if (event.type !== 'message_end' || !RECORDED.has(event.message.role)) return;
    messages.push(event.message);
    if (event.message.role !== 'assistant') return;
    steps += 1;
    reason = event.message.stopReason;
  });
  let disposed;

  return {
    session: { entries: () => sessionManager.getEntries() },
    getActiveLeafId: () => sessionManager.getLeafId(),
    async prompt(text) {
      steps = 0;
      reason = undefined;
      await session.prompt(text, options.promptOptions);
      await idle();
      return { reason: reason ?? 'none', steps, messages: [...messages] };
    },
    async flush() {
      await idle();
    },
    dispose() {
      return (disposed ??= close());
    },
  };

  // Newer sessions also wait for their own work after the agent's: compaction, retries.
  async function idle() {
    await (session.waitForIdle?.() ?? session.agent.waitForIdle());
  }

  async function close() {
    unsubscribe();
    try {
      // An agent that is still at work (a case that ran out of time) must not go on behind the judge's back.
      if (session.isStreaming) await within(STOP_GRACE_MS, session.abort());
    } finally {
      try {
        await session.dispose();
      } finally {
        await options.dispose?.();
      }
    }
  }
}

async function within(milliseconds, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('The agent did not stop when it was told to')), milliseconds);
  });
  try {
    await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
